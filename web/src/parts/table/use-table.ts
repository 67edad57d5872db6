import { useMemo } from 'preact/hooks'
import { isPhone } from '../../session/window.ts'
import type { Column } from './columns.ts'
import { isLiveChoice, RowOrder } from './row-order.ts'
import type { TableState } from './table-state.ts'

/** A table as it is drawn. */
export type Table<Row> = {
  readonly state: TableState
  readonly keyOf: (row: Row) => string
  readonly allColumns: readonly Column<Row>[]
  readonly columns: readonly Column<Row>[]
  /** The rows of the filter, sorted. */
  readonly rows: readonly Row[]
  readonly keys: readonly string[]
  /** The keys of all rows, also of those that the filter hides. */
  readonly allKeys: () => readonly string[]
  /** Rows that came since the selection began. */
  readonly waiting: number
  readonly selected: readonly Row[]
}

type TableInput<Row> = {
  readonly state: TableState
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly Column<Row>[]
}

const NO_ROWS: readonly never[] = []

export function useTable<Row>({ state, rows, keyOf, columns: all }: TableInput<Row>): Table<Row> {
  const ids = columnsOf(all, state.chosen.value)
    .map(({ id }) => id)
    .join()
  const columns = useMemo(() => columnsOf(all, state.chosen.value), [all, ids])
  const [filter, sorts, kept] = [state.filter.value, state.sorts.value, state.kept.value]
  const order = useMemo(() => new RowOrder<Row>(), [])
  const choice = { columns, allColumns: all, filter, sorts }
  // What a live column reads is followed only if it is read in each draw.
  const isLive = isLiveChoice(choice) ? {} : undefined
  const sorted = useMemo(() => order.update(rows, choice), [rows, filter, sorts, columns, isLive])
  const shown = useMemo(() => (kept ? sorted.filter((row) => kept.has(keyOf(row))) : sorted), [sorted, kept])
  const keys = useMemo(() => shown.map(keyOf), [shown])
  const chosen = state.selected.value
  const selected = useMemo(
    () => (chosen.size === 0 ? NO_ROWS : shown.filter((row) => chosen.has(keyOf(row)))),
    [shown, chosen],
  )
  const waiting = sorted.length - shown.length
  const allKeys = () => rows.map(keyOf)
  return { state, keyOf, allColumns: all, columns, rows: shown, keys, allKeys, waiting, selected }
}

function columnsOf<Row>(
  all: readonly Column<Row>[],
  chosen: readonly string[] | undefined,
): readonly Column<Row>[] {
  if (isPhone.value) return all.filter(({ onPhone }) => onPhone)
  const found = all.filter(({ id, isExtra }) => (chosen ? chosen.includes(id) : !isExtra))
  return found.length > 0 ? found : all
}

/** What `DataTable` draws. */
export type DataTableProps<Row> = {
  readonly table: Table<Row>
  readonly label: string
  /** What Enter and a double click on a row do; on a phone a tap. */
  readonly open?: (row: Row) => void
  /** What a click on a row does. */
  readonly pick?: (row: Row) => void
  /** Whether rows can be selected. */
  readonly canSelect?: boolean
  /** The row that another part of the screen shows. */
  readonly marked?: string | undefined
  readonly onEnd?: () => void
  readonly onScroll?: (top: number) => void
}
