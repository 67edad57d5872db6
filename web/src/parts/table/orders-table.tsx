import type { WireOrder as Order } from '@quipu/sdk'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isAuditor } from '../../session/session.ts'
import { Empty, Failed, Loading } from '../states.tsx'
import { cancelOrders, countText, isCancelable } from './bulk.ts'
import { DataTable } from './data-table.tsx'
import { clearSelection } from './table-state.ts'
import { BulkBar, TableTools, Tools, WaitingRows } from './table-tools.tsx'
import { useBulkKey } from './use-bulk-key.ts'
import type { DataTableProps } from './use-table.ts'

type OrdersTableProps = Omit<DataTableProps<Order>, 'canSelect'> & {
  readonly group: 'Workspace' | 'Orders'
  /** What is before the tools. */
  readonly switches?: ComponentChildren
  /** Whether the orders are read. */
  readonly isRead: boolean
  /** Whether the rows are all that there are. Sorting and filter need all of them, so then they are read. */
  readonly isWhole: boolean
  /** Whether all rows are needed in any case. */
  readonly needsAll?: boolean
  readonly readAll: () => Promise<readonly Order[]>
  readonly isEmpty: boolean
  /** What is shown without orders. */
  readonly nothing: string
  readonly problem: Error | undefined
  readonly retry: () => void
}

/** A list of orders with its tools: filter, columns, CSV, and cancel for several rows at once. */
export function OrdersTable(props: OrdersTableProps): JSX.Element {
  const { table, isWhole, readAll, problem, ...rest } = props
  const { state, selected } = table
  const [sort, ...others] = state.sorts.value
  const isNewestFirst = sort?.id === 'time' && sort.isDown && others.length === 0
  const needsAll = props.needsAll === true || state.filter.value !== '' || !isNewestFirst
  useEffect(() => {
    // After a broken connection the list begins again.
    if (needsAll && !isWhole) readAll().catch(() => undefined)
  }, [props.isRead, needsAll, isWhole])
  const able = selected.filter(isCancelable)
  const cancel = () => {
    if (able.length === 0) return
    clearSelection(state)
    void cancelOrders(able)
  }
  useBulkKey(props.group, selected.length > 0, cancel)
  return (
    <>
      <Tools>
        {props.switches}
        <WaitingRows table={table} />
        {selected.length > 0 && (
          <BulkBar
            table={table}
            verb={`Cancel ${countText(able.length, 'order')}`}
            rest={restText(selected.length - able.length)}
            isOff={able.length === 0}
            run={cancel}
            clear={() => clearSelection(state)}
          />
        )}
        <TableTools table={table} what="orders" readAll={readAll} />
      </Tools>
      {problem && !props.isRead ? (
        <Failed what="orders" error={problem} retry={props.retry} />
      ) : !props.isRead ? (
        <Loading rows={8} />
      ) : props.isEmpty ? (
        <Empty icon="list" title={props.nothing}>
          Press <kbd>b</kbd> to buy, or let a program place one.
        </Empty>
      ) : (
        <DataTable {...rest} table={table} canSelect={!isAuditor.value} />
      )}
    </>
  )
}

const restText = (count: number): string | undefined =>
  count === 0 ? undefined : count === 1 ? '1 has ended' : `${count} have ended`
