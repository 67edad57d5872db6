import type { Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { priceOf, statusOf } from '../../format/orders.ts'
import { addKeys } from '../../keyboard.ts'
import { Quantity } from '../../parts/amounts.tsx'
import { Side, Status } from '../../parts/order-words.tsx'
import { onRow } from '../../parts/row-click.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { go, place } from '../../router.ts'
import { api } from '../../session/selection.ts'
import { Story } from '../../story/story.tsx'
import { FiltersBar } from './filters-bar.tsx'
import {
  followList,
  isAtTop,
  orderHref,
  orders,
  problem,
  readMore,
  showWaiting,
  waiting,
} from './order-list.ts'

/** All orders of the account, live. */
export function ListCard(): JSX.Element {
  useEffect(() => followList(), [])
  useListKeys()
  const chosen = place.value.item
  const rows = orders.value
  return (
    <section class="card orders-list">
      <FiltersBar />
      {waiting.value.length > 0 && (
        <button type="button" class="button small wide" onClick={showWaiting}>
          {waiting.value.length} new
        </button>
      )}
      {problem.value && !rows ? (
        <Failed what="orders" error={problem.value} retry={() => void readMore()} />
      ) : rows === undefined ? (
        <Loading rows={8} />
      ) : rows.length === 0 ? (
        <Empty icon="list" title="No orders">
          Press <kbd>b</kbd> to buy, or let a program place one.
        </Empty>
      ) : (
        <VirtualRows
          label="Orders"
          items={rows}
          onEnd={() => void readMore()}
          onScroll={(top) => {
            isAtTop.value = top < 4
          }}
          head={
            <tr>
              <th>Side</th>
              <th>Symbol</th>
              <th class="r">Qty</th>
              <th class="r">Price</th>
              <th>Status</th>
            </tr>
          }
          row={(order) => <Row key={order.id} order={order} isChosen={order.id === chosen} />}
        />
      )}
    </section>
  )
}

function Row({ order, isChosen }: { readonly order: Order; readonly isChosen: boolean }): JSX.Element {
  const href = orderHref(order.id)
  return (
    <tr class={isChosen ? 'selected' : ''} data-href onClick={onRow(() => go(href))}>
      <td>
        <Side side={order.side} />
      </td>
      <td>
        <a href={href} aria-current={isChosen ? 'true' : undefined}>
          <b>{order.symbol}</b>
        </a>
      </td>
      <td class="r">
        <Quantity
          value={order.qty ?? order.notional}
          of={`order.${order.id}.${order.qty == null ? 'notional' : 'qty'}`}
        />
      </td>
      <td class="r n">{priceOf(order)}</td>
      <td>
        <Story subject={{ order: order.id }}>
          <Status {...statusOf(order)} api={order.status} />
        </Story>
      </td>
    </tr>
  )
}

/** `j` and `k` move, `x` cancels the chosen order. A canceled order can be placed again, so nothing is asked. */
function useListKeys(): void {
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const rows = orders.peek() ?? []
      const at = rows.findIndex(({ id }) => id === place.peek().item)
      const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)]
      if (next) go(orderHref(next.id), { replace: at >= 0 })
    }
    return addKeys('Orders', { j: move(1), k: move(-1), x: () => void cancelChosen() })
  }, [])
}

async function cancelChosen(): Promise<void> {
  const id = place.peek().item
  if (id !== undefined) await cancel(id)
}

/** Cancels an order; a refusal is shown, because the order page shows the rest. */
export async function cancel(id: string): Promise<void> {
  await api
    .peek()
    ?.quipu.orders.cancel(id)
    .catch((error: Error) => toast(error.message))
}
