import { isPhone } from '../../session/window.ts'
import { keysBetween } from './columns.ts'
import { clearSelection, select } from './table-state.ts'
import type { DataTableProps } from './use-table.ts'

const LONG_PRESS_MS = 500

/** What a row does with the mouse and with a finger. */
export function rowEvents<Row>(props: DataTableProps<Row>, row: Row, key: string) {
  const { table, open, pick, canSelect } = props
  const { cursor, selected } = table.state
  let timer: ReturnType<typeof setTimeout> | undefined
  const endPress = () => clearTimeout(timer)
  return {
    onClick(event: MouseEvent): void {
      const target = event.target as HTMLElement
      if (target.closest('a, button')) return
      const isBox = target.closest('.check-cell') !== null
      if (canSelect && event.shiftKey) extend(props, key)
      else if (canSelect && (isBox || event.ctrlKey || event.metaKey || selected.peek().size > 0))
        toggle(props, key)
      else if (isPhone.peek()) open?.(row)
      else pick?.(row)
      cursor.value = key
    },
    onDblClick: (): void => open?.(row),
    onPointerDown({ pointerType }: PointerEvent): void {
      if (!canSelect || pointerType === 'mouse') return
      endPress()
      timer = setTimeout(() => select(table.state, [...selected.peek(), key], table.keys), LONG_PRESS_MS)
    },
    onPointerUp: endPress,
    onPointerMove: endPress,
    onPointerCancel: endPress,
  }
}

function toggle<Row>({ table: { state, keys } }: DataTableProps<Row>, key: string): void {
  const next = new Set(state.selected.peek())
  if (!next.delete(key)) next.add(key)
  select(state, next, keys)
}

/** Selects the rows between the cursor and a row. */
function extend<Row>({ table: { state, keys } }: DataTableProps<Row>, key: string): void {
  const from = state.cursor.peek() ?? key
  select(state, [...state.selected.peek(), ...keysBetween(keys, from, key)], keys)
}

/** Arrow keys move, with Shift they select; Space selects, Enter opens, Escape selects nothing. */
export function onTableKey<Row>(event: KeyboardEvent, props: DataTableProps<Row>): void {
  if ((event.target as HTMLElement).matches('input, button, a')) return
  const { table, open, pick, canSelect } = props
  const { state, keys, rows } = table
  const at = keys.indexOf(state.cursor.peek() ?? '')
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? keys.length - 1 : at - 1,
    Home: 0,
    End: keys.length - 1,
    PageDown: at + 10,
    PageUp: at - 10,
  }
  const row = rows[at]
  const wanted = moves[event.key]
  if (wanted !== undefined) {
    const key = keys[Math.min(Math.max(wanted, 0), keys.length - 1)]
    if (key === undefined) return
    if (canSelect && event.shiftKey) extend(props, key)
    state.cursor.value = key
  } else if (event.key === ' ' && canSelect && row) toggle(props, keys[at]!)
  else if (event.key === 'a' && (event.ctrlKey || event.metaKey) && canSelect) select(state, keys, keys)
  else if (event.key === 'Enter' && row) (open ?? pick)?.(row)
  else if (event.key === 'Escape' && state.selected.peek().size > 0) clearSelection(state)
  else return
  event.preventDefault()
  event.stopPropagation()
}
