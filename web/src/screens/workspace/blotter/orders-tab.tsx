import type { Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { current } from '../../../live/current.ts'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { DataTable } from '../../../parts/table/data-table.tsx'
import { orderColumns } from '../../../parts/table/order-columns.tsx'
import { clearSelection, tableState } from '../../../parts/table/table-state.ts'
import { BulkBar, TableTools } from '../../../parts/table/table-tools.tsx'
import { useTable } from '../../../parts/table/use-table.ts'
import { go, hrefOf } from '../../../router.ts'
import { remembered } from '../../../session/remembered.ts'
import { isAuditor } from '../../../session/session.ts'
import { chooseSymbol } from '../chosen-symbol.ts'
import { BlotterTools, WaitingRows } from './blotter-tools.tsx'
import { cancelOrders, isCancelable } from './bulk-acts.ts'
import { orderProfit } from './order-profit.tsx'
import { useOrderRows } from './order-rows.ts'
import { useBulkKey } from './use-bulk-key.ts'

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
  const [sort, ...others] = state.sorts.value
  const needsAll = isLong || state.filter.value !== '' || others.length > 0 || sort?.id !== 'time'
  const isWhole = source?.isComplete.value
  useEffect(() => {
    // After a broken connection the list begins again.
    if (!isWhole && (needsAll || !sort?.isDown)) void source?.readAll()
  }, [source, isWhole, needsAll, sort?.isDown])
  const able = table.selected.filter(isCancelable)
  const cancel = () => {
    if (able.length === 0) return
    clearSelection(state)
    void cancelOrders(able)
  }
  useBulkKey(table.selected.length > 0, cancel)
  const readAll = async () => {
    await source?.readAll()
    if (source?.problem.peek()) throw source.problem.peek()
    return [...(source?.open.peek() ?? []), ...(isLong ? (source?.ended.peek() ?? []) : [])]
  }
  const problem = source?.problem.value ?? current.value?.store.problem.value
  return (
    <>
      <BlotterTools>
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
        <WaitingRows table={table} />
        {table.selected.length > 0 && (
          <BulkBar
            table={table}
            verb={`Cancel ${able.length} ${able.length === 1 ? 'order' : 'orders'}`}
            rest={restText(table.selected.length - able.length)}
            isOff={able.length === 0}
            run={cancel}
            clear={() => clearSelection(state)}
          />
        )}
        <TableTools table={table} what="orders" readAll={readAll} />
      </BlotterTools>
      {problem && open === undefined ? (
        <Failed what="orders" error={problem} retry={() => current.peek()?.store.refresh()} />
      ) : open === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty icon="list" title={isLong ? 'No orders today' : 'No open orders'}>
          Press <kbd>b</kbd> to buy, or let a program place one.
        </Empty>
      ) : (
        <DataTable
          table={table}
          label={isLong ? 'Orders' : 'Open orders'}
          canSelect={!isAuditor.value}
          open={({ id }) => go(orderHref(id))}
          pick={({ symbol }) => chooseSymbol(symbol)}
          onEnd={() => void source?.readMore()}
        />
      )}
    </>
  )
}

const restText = (count: number): string | undefined =>
  count === 0 ? undefined : count === 1 ? '1 has ended' : `${count} have ended`

/** The number of open orders, as text: `500+` while not all are read. */
export const openOrderCount = (): string =>
  current.value?.store.openOrders.value === undefined ? '' : current.value.store.openCount.value
