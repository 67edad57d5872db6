import type { WireOrder as Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { problemText } from '../../format/problem-text.ts'
import { addKeys } from '../../keyboard.ts'
import { orderColumns } from '../../parts/table/order-columns.tsx'
import { OrdersTable } from '../../parts/table/orders-table.tsx'
import { tableState } from '../../parts/table/table-state.ts'
import { type Table, useTable } from '../../parts/table/use-table.ts'
import { toast } from '../../parts/toasts.tsx'
import { go, place } from '../../router.ts'
import { api } from '../../session/selection.ts'
import { isBeside } from '../../session/window.ts'
import { FiltersBar } from './filters-bar.tsx'
import {
  followList,
  isAtTop,
  isWhole,
  LIST_MAX,
  orderHref,
  orders,
  problem,
  readAll,
  readMore,
  showWaiting,
  waiting,
} from './order-list.ts'

const state = tableState('all-orders', [{ id: 'time', isDown: true }])
const columns = orderColumns(orderHref, ({ id }) => orderHref(id))
const NO_ORDERS: readonly Order[] = []
const openOrder = ({ id }: Order): void => go(orderHref(id))

/** All orders of the account, live. */
export function ListCard(): JSX.Element {
  useEffect(() => followList(), [])
  const chosen = place.value.item
  const rows = orders.value ?? NO_ORDERS
  const table = useTable({
    state,
    rows,
    keyOf: ({ id }) => id,
    columns,
    isCompact: chosen !== undefined && isBeside.value,
  })
  useListKeys(table)
  const isCut = rows.length >= LIST_MAX && !isWhole.value
  return (
    <section class="card orders-list">
      <div class="orders-head">
        <FiltersBar isCompact={table.isCompact} />
        {waiting.value.length > 0 && (
          <button type="button" class="button small waiting-rows" onClick={showWaiting}>
            {waiting.value.length} new
          </button>
        )}
        {isCut && <span class="faint small">the newest {LIST_MAX.toLocaleString('en')} orders</span>}
      </div>
      <OrdersTable
        table={table}
        group="Orders"
        label="Orders"
        marked={chosen}
        isRead={orders.value !== undefined}
        isWhole={isWhole.value}
        readAll={readAll}
        isEmpty={rows.length === 0}
        nothing="No orders"
        problem={problem.value}
        retry={() => void readMore()}
        open={openOrder}
        pick={openOrder}
        onEnd={() => void readMore()}
        onScroll={(top) => {
          isAtTop.value = top < 4
        }}
      />
    </section>
  )
}

/** `j` and `k` move, `x` cancels the chosen order. A canceled order can be placed again, so nothing is asked. */
function useListKeys(table: Table<Order>): void {
  const latest = useRef(table)
  latest.current = table
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const { keys } = latest.current
      const at = keys.indexOf(place.peek().item ?? '')
      const next = keys[Math.min(Math.max(at + step, 0), keys.length - 1)]
      if (next === undefined) return
      state.cursor.value = next
      go(orderHref(next), { replace: at >= 0 })
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
    .catch((error: Error) => toast(problemText(error)))
}
