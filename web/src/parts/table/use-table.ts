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
  /** The columns that the filter searches: also those that have no space. */
  readonly searched: readonly Column<Row>[]
  /** The rows of the filter, sorted. */
  readonly rows: readonly Row[]
  readonly keys: readonly string[]
  /** The keys of all rows, also of those that the filter hides. */
  readonly allKeys: () => readonly string[]
  /** Rows that came since the selection began. */
  readonly waiting: number
  readonly selected: readonly Row[]
  /** There is space for a few columns only. */
  readonly isCompact: boolean
}

type TableInput<Row> = {
  readonly state: TableState
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  /** The columns of a phone, because the table is beside something else. */
  readonly isCompact?: boolean
}

const NO_ROWS: readonly never[] = []

export function useTable<Row>(input: TableInput<Row>): Table<Row> {
  const { state, rows, keyOf, columns: all } = input
  const isCompact = isPhone.value || input.isCompact === true
  const ids = columnsOf(all, state.chosen.value)
    .map(({ id }) => id)
    .join()
  const searched = useMemo(() => columnsOf(all, state.chosen.value), [all, ids])
  const columns = useMemo(
    () => (isCompact ? all.filter(({ onPhone }) => onPhone) : searched),
    [all, searched, isCompact],
  )
  const [filter, sorts, kept] = [state.filter.value, state.sorts.value, state.kept.value]
  const order = useMemo(() => new RowOrder<Row>(), [])
  const choice = { columns: searched, allColumns: all, filter, sorts }
  // What a live column reads is followed only if it is read in each draw.
  const isLive = isLiveChoice(choice) ? {} : undefined
  const sorted = useMemo(() => order.update(rows, choice), [rows, filter, sorts, searched, isLive])
  const shown = useMemo(() => (kept ? sorted.filter((row) => kept.has(keyOf(row))) : sorted), [sorted, kept])
  const keys = useMemo(() => shown.map(keyOf), [shown])
  const chosen = state.selected.value
  const selected = useMemo(
    () => (chosen.size === 0 ? NO_ROWS : shown.filter((row) => chosen.has(keyOf(row)))),
    [shown, chosen],
  )
  const waiting = sorted.length - shown.length
  const allKeys = () => rows.map(keyOf)
  return {
    state,
    keyOf,
    allColumns: all,
    columns,
    searched,
    rows: shown,
    keys,
    allKeys,
    waiting,
    selected,
    isCompact,
  }
}

function columnsOf<Row>(
  all: readonly Column<Row>[],
  chosen: readonly string[] | undefined,
): readonly Column<Row>[] {
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
