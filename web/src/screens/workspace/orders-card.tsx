import type { JSX } from 'preact'
import { priceOf, statusOf } from '../../format/orders.ts'
import { current } from '../../live/current.ts'
import { Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { Side, Status } from '../../parts/order-words.tsx'
import { Empty, Loading } from '../../parts/states.tsx'
import { go, hrefOf } from '../../router.ts'

const SHOWN_MAX = 8

/** Orders that wait. */
export function OrdersCard(): JSX.Element {
  const orders = current.value?.store.openOrders.value
  const shown = [...(orders?.values() ?? [])].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  return (
    <Card
      title="Open orders"
      beside={
        <>
          {shown.length > 0 && <span class="chip">{current.value?.store.openCount.value}</span>}
          <a class="link right" href={hrefOf('orders')}>
            All orders
          </a>
        </>
      }
    >
      {orders === undefined ? (
        <Loading />
      ) : shown.length === 0 ? (
        <Empty icon="list" title="No open orders">
          Press <kbd>b</kbd> to buy, or let a program place one.
        </Empty>
      ) : (
        <table>
          <thead class="hidden-text">
            <tr>
              <th>Side</th>
              <th>Symbol</th>
              <th>Quantity</th>
              <th>Price</th>
              <th>Status</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, SHOWN_MAX).map((order) => (
              <tr key={order.id} data-href onClick={() => go(hrefOf('orders', order.id))}>
                <td>
                  <Side side={order.side} />
                </td>
                <td>
                  <a href={hrefOf('orders', order.id)}>
                    <b>{order.symbol}</b>
                  </a>
                </td>
                <td class="r">
                  <Quantity value={order.qty ?? order.notional} />
                </td>
                <td class="r n">{priceOf(order)}</td>
                <td>
                  <Status {...statusOf(order)} api={order.status} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
