import type { WireOrder as Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { current } from '../../../live/current.ts'
import { orderColumns } from '../../../parts/table/order-columns.tsx'
import { OrdersTable } from '../../../parts/table/orders-table.tsx'
import { clearSelection, tableState } from '../../../parts/table/table-state.ts'
import { useTable } from '../../../parts/table/use-table.ts'
import { go, hrefOf } from '../../../router.ts'
import { remembered } from '../../../session/remembered.ts'
import { chooseSymbol } from '../chosen-symbol.ts'
import { orderProfit } from './order-profit.tsx'
import { useOrderRows } from './order-rows.ts'

const state = tableState('orders', [{ id: 'time', isDown: true }])
const withEnded = remembered('blotter-ended', false, (stored) =>
  typeof stored === 'boolean' ? stored : undefined,
)
const orderHref = (id: string): string => hrefOf('orders', id)
const columns = [...orderColumns(orderHref), orderProfit]
const NO_ORDERS: readonly Order[] = []

/** The open orders, and those that ended today if the viewer wants them. */
export function OrdersTab(): JSX.Element {
  const source = useOrderRows()
  const isLong = withEnded.value
  const [open, ended] = [source?.open.value, isLong ? source?.ended.value : undefined]
  const rows = useMemo(() => [...(open ?? NO_ORDERS), ...(ended ?? NO_ORDERS)], [open, ended])
  const table = useTable({ state, rows, keyOf: ({ id }) => id, columns })
  useEffect(() => {
    if (isLong) source?.readEnded()
  }, [source, isLong])
  const readAll = async () => {
    await source?.readAll()
    if (source?.problem.peek()) throw source.problem.peek()
    return [...(source?.open.peek() ?? []), ...(isLong ? (source?.ended.peek() ?? []) : [])]
  }
  const problem = source?.problem.value ?? current.value?.store.problem.value
  return (
    <OrdersTable
      table={table}
      group="Workspace"
      label={isLong ? 'Orders' : 'Open orders'}
      switches={
        <label class="check-box">
          <input
            type="checkbox"
            checked={isLong}
            onChange={() => {
              clearSelection(state)
              withEnded.set(!isLong)
            }}
          />
          with those ended today
        </label>
      }
      isRead={open !== undefined}
      isWhole={source?.isComplete.value ?? false}
      needsAll={isLong}
      readAll={readAll}
      isEmpty={rows.length === 0}
      nothing={isLong ? 'No orders today' : 'No open orders'}
      problem={problem}
      retry={() => current.peek()?.store.refresh()}
      open={({ id }) => go(orderHref(id))}
      pick={({ symbol }) => chooseSymbol(symbol)}
      onEnd={() => void source?.readMore()}
    />
  )
}

/** The number of open orders, as text. */
export const openOrderCount = (): string =>
  current.value?.store.openOrders.value === undefined ? '' : current.value.store.openCount.value
