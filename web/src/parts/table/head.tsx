import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Column, nextSort } from './columns.ts'
import { clearSelection, select, type TableState } from './table-state.ts'
import type { Table } from './use-table.ts'

/** The head of a column. A click sorts by it, with Shift in addition to the others. */
export function HeadCell<Row>({
  column: { id, title, isNumber },
  state,
}: {
  readonly column: Column<Row>
  readonly state: TableState
}): JSX.Element {
  const sorts = state.sorts.value
  const at = sorts.findIndex((one) => one.id === id)
  const sort = sorts[at]
  return (
    <th class={isNumber ? 'r' : ''} aria-sort={sort ? (sort.isDown ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        title="Sort. Shift adds this column to the sorting."
        onClick={({ shiftKey }) => state.sorts.set(nextSort(sorts, id, shiftKey))}
      >
        <span class="cut-text">{title}</span>
        {sort && (
          <span aria-hidden="true">
            {sort.isDown ? ' ↓' : ' ↑'}
            {sorts.length > 1 && <small>{at + 1}</small>}
          </span>
        )}
      </button>
    </th>
  )
}

/** Selects all rows of the filter, or none. */
export function SelectAll<Row>({ table }: { readonly table: Table<Row> }): JSX.Element {
  const { state, keys, allKeys, selected } = table
  const box = useRef<HTMLInputElement>(null)
  const isAll = keys.length > 0 && selected.length === keys.length
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = selected.length > 0 && !isAll
  })
  return (
    <th class="check-cell">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all rows"
        checked={isAll}
        disabled={keys.length === 0}
        onChange={() => (isAll ? clearSelection(state) : select(state, keys, allKeys))}
      />
    </th>
  )
}
