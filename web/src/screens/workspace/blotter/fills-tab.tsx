import type { JSX } from 'preact'
import { moneyText, quantityText } from '../../../format/amounts.ts'
import { decimal, multiply, negate, textOf } from '../../../format/decimal.ts'
import { timeWords } from '../../../format/times.ts'
import { Price, Quantity } from '../../../parts/amounts.tsx'
import { Side } from '../../../parts/order-words.tsx'
import type { Column } from '../../../parts/table/columns.ts'
import { RowTime } from '../../../parts/table/order-columns.tsx'
import { tableState } from '../../../parts/table/table-state.ts'
import { go, hrefOf, symbolHref } from '../../../router.ts'
import { Story } from '../../../story/story.tsx'
import type { Fill } from './activity-rows.ts'
import { ActivityTable } from './activity-table.tsx'

const state = tableState('fills', [{ id: 'time', isDown: true }])

const cashOf = ({ side, qty, price }: Fill) => {
  const value = multiply(decimal(qty), decimal(price))
  return side === 'buy' ? negate(value) : value
}

const columns: readonly Column<Fill>[] = [
  {
    id: 'time',
    title: 'Time, New York',
    width: 8.5,
    key: ({ id }) => id,
    text: ({ transaction_time: at }) => at,
    words: ({ transaction_time: at }) => timeWords(at),
    cell: ({ transaction_time: at }) => <RowTime at={at} />,
  },
  {
    id: 'side',
    title: 'Side',
    width: 3.75,
    onPhone: true,
    key: ({ side }) => side,
    text: ({ side }) => side,
    cell: ({ side }) => <Side side={side} />,
  },
  {
    id: 'symbol',
    title: 'Symbol',
    width: 5,
    onPhone: true,
    key: ({ symbol }) => symbol,
    text: ({ symbol }) => symbol,
    cell: ({ symbol }) => (
      <a href={symbolHref(symbol)} tabIndex={-1}>
        <b>{symbol}</b>
      </a>
    ),
  },
  {
    id: 'quantity',
    title: 'Quantity',
    width: 5.5,
    isNumber: true,
    onPhone: true,
    key: ({ qty }) => Number(qty),
    text: ({ qty }) => qty,
    cell: ({ id, qty }) => <Quantity value={qty} of={`activity.${id}.qty`} />,
  },
  {
    id: 'price',
    title: 'Price',
    width: 6,
    isNumber: true,
    onPhone: true,
    key: ({ price }) => Number(price),
    text: ({ price }) => price,
    cell: ({ id: fill, price, order_id: id }) => (
      <Story subject={{ order: id }} hasFocus>
        <a class="source n" href={hrefOf('orders', id)} tabIndex={-1}>
          <Price value={price} of={`activity.${fill}.price`} />
        </a>
      </Story>
    ),
  },
  {
    id: 'cash',
    title: 'Cash',
    width: 7,
    isNumber: true,
    key: (fill) => Number(textOf(cashOf(fill))),
    text: (fill) => textOf(cashOf(fill)),
    cell: (fill) => (
      <Story subject={{ order: fill.order_id }} hasFocus>
        <span class="n" data-number={`cash.${fill.id}`}>
          {moneyText(cashOf(fill))}
        </span>
      </Story>
    ),
  },
  {
    id: 'filled',
    title: 'Order filled',
    width: 7,
    isNumber: true,
    key: ({ cum_qty: filled }) => Number(filled),
    text: ({ cum_qty: filled, leaves_qty: rest }) => `${filled} of ${Number(filled) + Number(rest)}`,
    cell: ({ cum_qty: filled, leaves_qty: rest }) => (
      <span class="n soft">
        {rest === '0' ? 'all' : `${quantityText(filled)}, ${quantityText(rest)} left`}
      </span>
    ),
  },
  {
    id: 'order',
    title: 'Order id',
    width: 6.5,
    key: ({ order_id: id }) => id,
    text: ({ order_id: id }) => id,
    cell: ({ order_id: id }) => (
      <a class="source mono soft" href={hrefOf('orders', id)} title={id} tabIndex={-1}>
        {id.slice(0, 8)}
      </a>
    ),
  },
]

/** Every fill of the account. */
export const FillsTab = (): JSX.Element => (
  <ActivityTable<Fill>
    what="fills"
    onlyFills
    state={state}
    columns={columns}
    open={({ order_id: id }) => go(hrefOf('orders', id))}
    empty={{ title: 'No fills yet', text: 'An order that trades appears here.' }}
  />
)
