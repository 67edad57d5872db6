import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Activity } from '../../../live/account-store.ts'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import type { Column } from '../../../parts/table/columns.ts'
import { DataTable } from '../../../parts/table/data-table.tsx'
import type { TableState } from '../../../parts/table/table-state.ts'
import { TableTools, Tools } from '../../../parts/table/table-tools.tsx'
import { useTable } from '../../../parts/table/use-table.ts'
import { useActivityRows } from './activity-rows.ts'

type ActivityTableProps<Row extends Activity> = {
  readonly what: string
  readonly onlyFills?: true
  readonly state: TableState
  readonly columns: readonly Column<Row>[]
  readonly open: (row: Row) => void
  readonly empty: { readonly title: string; readonly text: string }
}

const NO_ROWS: readonly never[] = []

/** A list of activities. Sorting and filter need all of them, so then they are read. */
export function ActivityTable<Row extends Activity>(props: ActivityTableProps<Row>): JSX.Element {
  const { what, onlyFills = false, state, columns, open, empty } = props
  const source = useActivityRows(onlyFills)
  // The source has only fills if it was asked for them.
  const rows = source?.rows.value as readonly Row[] | undefined
  const table = useTable({ state, rows: rows ?? NO_ROWS, keyOf: ({ id }) => id, columns })
  const [sort, ...others] = state.sorts.value
  const needsAll = state.filter.value !== '' || others.length > 0 || sort?.id !== 'time' || !sort.isDown
  useEffect(() => {
    if (needsAll) void source?.readAll()
  }, [source, needsAll])
  const readAll = async () => {
    await source?.readAll()
    if (source?.problem.peek()) throw source.problem.peek()
    return (source?.rows.peek() ?? NO_ROWS) as readonly Row[]
  }
  return (
    <>
      <Tools>
        <TableTools table={table} what={what} readAll={readAll} />
      </Tools>
      {source?.problem.value && !rows ? (
        <Failed what={what} error={source.problem.value} retry={() => void source.readMore()} />
      ) : rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty icon="pulse" title={empty.title}>
          {empty.text}
        </Empty>
      ) : (
        <DataTable
          table={table}
          label={onlyFills ? 'Fills' : 'Activity'}
          open={open}
          onEnd={() => void source?.readMore()}
        />
      )}
    </>
  )
}
