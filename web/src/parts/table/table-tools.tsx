import type { ComponentChildren, JSX } from 'preact'
import { worldName } from '../../session/selection.ts'
import { Icon } from '../icon.tsx'
import { toast } from '../toasts.tsx'
import { csvOf } from './columns.ts'
import { downloadText } from './download.ts'
import { Popover } from './popover.tsx'
import { RowOrder } from './row-order.ts'
import type { Table } from './use-table.ts'

type ToolsProps<Row> = {
  readonly table: Table<Row>
  /** What the rows are, such as `orders`. */
  readonly what: string
  /** Reads the rows that are not here yet, because a file has all rows of the filter. */
  readonly readAll: () => Promise<readonly Row[]>
}

/** Filter, choice of columns, and CSV. */
export function TableTools<Row>({ table, what, readAll }: ToolsProps<Row>): JSX.Element {
  const { state } = table
  return (
    <div class="table-tools">
      <label class="table-filter">
        <Icon name="search" />
        <span class="hidden-text">Filter {what}</span>
        <input
          type="search"
          placeholder="Filter"
          value={state.filter.value}
          onInput={({ currentTarget }) => {
            state.filter.value = currentTarget.value
          }}
        />
      </label>
      {!table.isCompact && <ColumnsMenu table={table} />}
      <button
        type="button"
        class="button small bare"
        title={`Save all ${what} of the filter as a file`}
        onClick={() => void saveCsv(table, what, readAll)}
      >
        <Icon name="download" /> CSV
      </button>
    </div>
  )
}

function ColumnsMenu<Row>({
  table: { state, allColumns, columns },
}: {
  readonly table: Table<Row>
}): JSX.Element {
  const shown = new Set(columns.map(({ id }) => id))
  const turn = (id: string) =>
    state.chosen.set(
      allColumns.map((one) => one.id).filter((one) => (one === id ? !shown.has(one) : shown.has(one))),
    )
  return (
    <Popover
      label="Columns"
      icon="columns"
      content={
        <>
          {allColumns.map(({ id, title }) => (
            <label key={id} class="check-box">
              <input
                type="checkbox"
                checked={shown.has(id)}
                disabled={shown.size === 1 && shown.has(id)}
                onChange={() => turn(id)}
              />
              {title}
            </label>
          ))}
          <button type="button" class="button small" onClick={() => state.chosen.set(undefined)}>
            As at first
          </button>
        </>
      }
    />
  )
}

async function saveCsv<Row>(
  { state, allColumns, searched }: Table<Row>,
  what: string,
  readAll: () => Promise<readonly Row[]>,
): Promise<void> {
  try {
    const [filter, sorts] = [state.filter.peek(), state.sorts.value]
    const sorted = new RowOrder<Row>().update(await readAll(), {
      columns: searched,
      allColumns,
      filter,
      sorts,
    })
    // The file is for programs, so it has every column.
    downloadText(`${what}-${worldName.peek()}.csv`, csvOf(sorted, allColumns))
  } catch (error) {
    // A file with a part of the rows would look whole.
    toast(`The file was not saved: ${(error as Error).message}`)
  }
}

/** What a table has beside its tabs or filters: switches, the bar of its selection, filter, columns and CSV. */
export const Tools = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="tools">{children}</div>
)

/** Rows that came since the viewer began to select. */
export const WaitingRows = <Row,>({
  table: { waiting, state, allKeys },
}: {
  readonly table: Table<Row>
}): JSX.Element | null =>
  waiting === 0 ? null : (
    <button
      type="button"
      class="button small waiting-rows"
      onClick={() => {
        state.kept.value = new Set(allKeys())
      }}
    >
      {waiting} new
    </button>
  )

type BulkProps<Row> = {
  readonly table: Table<Row>
  /** The action, with the number of rows that it can act on: `Cancel 2 orders`. */
  readonly verb: string
  /** What the others are: `1 is filled`. */
  readonly rest?: string | undefined
  readonly isOff: boolean
  readonly run: () => void
  readonly clear: () => void
}

/** What can be done with the selected rows. */
export const BulkBar = <Row,>({ table, verb, rest, isOff, run, clear }: BulkProps<Row>): JSX.Element => (
  <div class="bulk" role="toolbar" aria-label={`${table.selected.length} selected`}>
    <span>
      {table.selected.length} selected
      {rest !== undefined && <span class="wide-only"> · {rest}</span>}
    </span>
    <button data-changes type="button" disabled={isOff} title="Shift X" onClick={run}>
      {verb}
    </button>
    <button type="button" aria-label="Clear the selection" onClick={clear}>
      <Icon name="close" />
    </button>
  </div>
)
