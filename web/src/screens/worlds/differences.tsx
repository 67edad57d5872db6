import type { JSX } from 'preact'
import { priceText } from '../../format/amounts.ts'
import { priceOf, sizeOf, statusOf } from '../../format/orders.ts'
import { nearText } from '../../format/times.ts'
import { Side } from '../../parts/order-words.tsx'
import { hrefOf } from '../../router.ts'
import { session } from '../../session/session.ts'
import type { Compared, Difference, WorldOrder } from './compare-data.ts'

type DifferencesProps = {
  readonly all: readonly Difference[]
  readonly left: Compared
  readonly right: Compared
}

/** The orders that only one of two worlds has, or that ended differently. */
export function Differences({ all, left, right }: DifferencesProps): JSX.Element {
  return (
    <>
      <header class="differences-head">
        <h2>Orders that differ</h2>
        <span class="chip">{all.length}</span>
      </header>
      {all.length === 0 ? (
        <p class="soft none-differ">Both worlds have the same orders with the same results.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Orders that differ">
          <table>
            <thead>
              <tr>
                <th>Time</th>
                <th>{left.world}</th>
                <th>{right.world}</th>
                <th class="r">Result</th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <tr key={one.key}>
                  <td class="mono faint">{nearText(one.atMs, left.nowMs)}</td>
                  <td>
                    <OrderCell order={one.left} other={one.right} world={left.world} />
                  </td>
                  <td>
                    <OrderCell order={one.right} other={one.left} world={right.world} />
                  </td>
                  <td class="r n">{resultText(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

/** An order; only its end if the other world has the same order and it did better. */
function OrderCell({
  order,
  other,
  world,
}: {
  readonly order: WorldOrder | undefined
  readonly other: WorldOrder | undefined
  readonly world: string
}): JSX.Element {
  if (!order) return <span class="faint">none</span>
  if (other && rankOf(other) > rankOf(order))
    return <span class="faint">{statusOf(order).word.toLowerCase()}</span>
  // The address of an order names its world, unless it is the world of the session.
  const query = {
    world: world === session.peek()?.world ? undefined : world,
    account: undefined,
    with: undefined,
  }
  return (
    <a href={hrefOf('orders', order.id, query)}>
      <Side side={order.side ?? ''} /> {sizeOf(order)} {priceOf(order)}
    </a>
  )
}

/** Filled is more than working, and working is more than ended. */
function rankOf(order: WorldOrder): number {
  const { shape } = statusOf(order)
  return shape === 'filled' ? 2 : shape === 'ended' || shape === 'refused' ? 0 : 1
}

function resultText({ left, right }: Difference): string {
  const prices = [left, right]
    .filter((order) => order?.filled_avg_price != null)
    .map((order) => priceText(order!.filled_avg_price!))
  if (prices.length > 0) return `filled ${[...new Set(prices)].join(' and ')}`
  const [best] = [left, right]
    .filter((order) => order !== undefined)
    .toSorted((a, b) => rankOf(b) - rankOf(a))
  return best ? statusOf(best).word.toLowerCase() : ''
}
