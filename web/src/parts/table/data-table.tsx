import type { JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { isPhone, isSlim } from '../../session/window.ts'
import { rowPx, VirtualRows } from '../virtual-rows.tsx'
import { type Column, leastWidth } from './columns.ts'
import './data-table.css'
import { HeadCell, SelectAll } from './head.tsx'
import { onTableKey, rowEvents } from './row-events.ts'
import type { DataTableProps } from './use-table.ts'

/** A table of any length: sorted by its heads, with rows that are selected by mouse, keyboard or finger. */
export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const { table, label, canSelect = false, marked, onEnd, onScroll } = props
  const { state, columns, rows, keys } = table
  const [cursor, selected] = [state.cursor.value, state.selected.value]
  const region = useRef<HTMLDivElement>(null)
  // On a phone a long press selects, and the rows show it.
  const isNarrow = isSlim.value || (table.isCompact && !isPhone.value)
  const hasBoxes = canSelect && !isNarrow
  const widths = columns.map((column) => leastWidth(column, isNarrow))
  const width = widths.reduce((all, one) => all + one, hasBoxes ? CHECK_REM : 0)
  // The focus follows the cursor, if it is in the table.
  const focusCursor = () => {
    const at = document.activeElement
    if (cursor === undefined || !region.current?.contains(at) || at?.closest('input, button, a, .story-card'))
      return
    const row = region.current.querySelector<HTMLElement>('tr[data-cursor]')
    if (row !== at) row?.focus({ preventScroll: true })
  }
  return (
    <VirtualRows
      class="data-table"
      items={rows}
      label={label}
      region={region}
      rowHeight={rowPx.value}
      reveal={cursor === undefined ? undefined : { key: cursor, index: keys.indexOf(cursor) }}
      {...(onEnd && { onEnd })}
      {...(onScroll && { onScroll })}
      onDrawn={focusCursor}
      onKeyDown={(event) => onTableKey(event, props)}
      table={{
        role: 'grid',
        'aria-multiselectable': canSelect,
        'aria-rowcount': rows.length + 1,
        style: { minWidth: `${width}rem` },
      }}
      columns={
        <colgroup>
          {hasBoxes && <col style={{ width: `${CHECK_REM}rem` }} />}
          {columns.map(({ id }, index) => (
            <col key={id} style={{ width: `${(widths[index]! / width) * 100}%` }} />
          ))}
        </colgroup>
      }
      head={
        <tr aria-rowindex={1}>
          {hasBoxes && <SelectAll table={table} />}
          {columns.map((column) => (
            <HeadCell key={column.id} column={column} state={state} />
          ))}
        </tr>
      }
      row={(row, index) => {
        const key = keys[index]!
        const isSelected = selected.has(key)
        return (
          <tr
            key={key}
            data-row
            data-cursor={cursor === key ? '' : undefined}
            tabIndex={-1}
            aria-rowindex={index + 2}
            aria-selected={canSelect ? isSelected : undefined}
            class={`${isSelected ? 'picked' : ''} ${marked === key ? 'selected' : ''}`}
            {...rowEvents(props, row, key)}
          >
            {hasBoxes && (
              <td class="check-cell">
                <input
                  type="checkbox"
                  aria-label="Select"
                  tabIndex={-1}
                  checked={isSelected}
                  onChange={() => undefined}
                />
              </td>
            )}
            <Cells columns={columns} row={row} />
          </tr>
        )
      }}
    />
  )
}

const CHECK_REM = 2.25

type CellsProps<Row> = { readonly columns: readonly Column<Row>[]; readonly row: Row }

/** The cells of a row. They are drawn again if the row changes, not if others do. */
const Cells = <Row,>({ columns, row }: CellsProps<Row>): JSX.Element =>
  useMemo(
    () => (
      <>
        {columns.map((column) => (
          <Cell key={column.id} column={column} row={row} />
        ))}
      </>
    ),
    [columns, row],
  )

const Cell = <Row,>({ column, row }: { readonly column: Column<Row>; readonly row: Row }): JSX.Element => (
  <td class={column.isNumber ? 'r' : ''}>{column.cell(row)}</td>
)
