import type { JSX } from 'preact'
import { priceText } from '../../format/amounts.ts'
import { priceOf, sizeOf, statusOf } from '../../format/orders.ts'
import { nearText } from '../../format/times.ts'
import { Gain, Money } from '../../parts/amounts.tsx'
import { Side } from '../../parts/order-words.tsx'
import { hrefOf } from '../../router.ts'
import { session } from '../../session/session.ts'
import type { DifferenceOrder, DifferenceRow, WorldDifference } from './difference-data.ts'

/** What the two worlds are called. */
export type Names = { readonly left: string; readonly right: string }

type RowsProps = {
  readonly found: WorldDifference
  readonly rows: readonly DifferenceRow[]
  readonly names: Names
}

export const DifferenceTable = ({ found, rows, names }: RowsProps): JSX.Element => (
  <div class="scroll" tabIndex={0} role="region" aria-label="Orders that differ">
    <table class="difference-table">
      <thead>
        <tr>
          <th>Placed</th>
          <th>{names.left}</th>
          <th>{names.right}</th>
          <th class="r">Changes equity by</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <td class="mono faint">{nearText(row.placed_at, found.time)}</td>
            <td>
              <Order row={row} order={row.world_order} of={found.world.world} now={found.time} />
            </td>
            <td>
              <Order row={row} order={row.against_order} of={found.against.world} now={found.time} />
            </td>
            <td class="r">
              <Change row={row} />
            </td>
          </tr>
        ))}
        <tr>
          <td>{restName(found)}</td>
          <td colSpan={2} class="faint">
            {restText(found)}
          </td>
          <td class="r">
            <Gain value={found.rest.equity_change} of="difference.rest" />
          </td>
        </tr>
      </tbody>
      <tfoot>
        <tr>
          <td>Equity</td>
          <td>
            <Money value={found.world.equity} of={`compared.${found.world.world}`} />
          </td>
          <td>
            <Money value={found.against.equity} of={`compared.${found.against.world}`} />
          </td>
          <td class="r">
            <Gain value={found.equity_change} of="compared_gain" />
          </td>
        </tr>
      </tfoot>
    </table>
  </div>
)

/** The same on a phone: a card for each order. */
export const DifferenceCards = ({ found, rows, names }: RowsProps): JSX.Element => (
  <ul class="difference-cards" aria-label="Orders that differ">
    {rows.map((row) => (
      <li key={keyOf(row)}>
        <span class="mono faint">{nearText(row.placed_at, found.time)}</span>
        <span class="r">
          <Change row={row} />
        </span>
        <dl>
          <dt class="cut-text">{names.left}</dt>
          <dd>
            <Order row={row} order={row.world_order} of={found.world.world} now={found.time} />
          </dd>
          <dt class="cut-text">{names.right}</dt>
          <dd>
            <Order row={row} order={row.against_order} of={found.against.world} now={found.time} />
          </dd>
        </dl>
      </li>
    ))}
    <li>
      <span>
        {restName(found)} <span class="faint">{restText(found)}</span>
      </span>
      <span class="r">
        <Gain value={found.rest.equity_change} of="difference.rest" />
      </span>
    </li>
    <li class="sums">
      <span>Equity</span>
      <span class="r">
        <Gain value={found.equity_change} of="compared_gain" />
      </span>
      <dl>
        <dt class="cut-text">{names.left}</dt>
        <dd>
          <Money value={found.world.equity} of={`compared.${found.world.world}`} />
        </dd>
        <dt class="cut-text">{names.right}</dt>
        <dd>
          <Money value={found.against.equity} of={`compared.${found.against.world}`} />
        </dd>
      </dl>
    </li>
  </ul>
)

const keyOf = ({ world_order, against_order }: DifferenceRow): string =>
  `${world_order?.order_id ?? 'none'}.${against_order?.order_id ?? 'none'}`

const Change = ({ row }: { readonly row: DifferenceRow }): JSX.Element => (
  <span
    title={row.price === null ? 'Neither order has fills' : `The fills are valued at ${priceText(row.price)}`}
  >
    <Gain value={row.equity_change} of={`difference.${keyOf(row)}`} />
  </span>
)

const restName = ({ rest }: WorldDifference): string => (rest.kind === 'market' ? 'Market' : 'Other')

const restText = ({ rest }: WorldDifference): string =>
  rest.kind === 'market' ? 'different prices or market events, fees, rounding' : 'fees, rounding, transfers'

type OrderProps = {
  readonly row: DifferenceRow
  readonly order: DifferenceOrder | null
  readonly of: string
  readonly now: string
}

/** `Sell 45 NVDA stop 129.18 filled 129.18 · 10:26:53` */
function Order({ row, order, of, now }: OrderProps): JSX.Element {
  if (order === null) return <span class="faint">no such order</span>
  // The address of an order names its world, unless it is the world of the session.
  const query = { world: of === session.peek()?.world ? undefined : of, account: undefined, with: undefined }
  return (
    <a class="difference-order" href={hrefOf('orders', order.order_id, query)}>
      <Side side={row.side} /> {sizeOf({ ...order, symbol: row.symbol })} {priceOf(order)}{' '}
      <span class="faint">{endText(order, now)}</span>
    </a>
  )
}

const ends: ReadonlySet<string> = new Set(['filled', 'ended', 'refused'])

function endText(order: DifferenceOrder, now: string): string {
  const { word, shape } = statusOf(order)
  const price = order.filled_avg_price === null ? '' : ` ${priceText(order.filled_avg_price)}`
  const at = ends.has(shape) ? ` · ${nearText(order.updated_at, now)}` : ''
  return `${word.toLowerCase()}${price}${at}`
}
