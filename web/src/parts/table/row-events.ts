import { isPhone } from '../../session/window.ts'
import { keysBetween } from './columns.ts'
import { clearSelection, select } from './table-state.ts'
import type { DataTableProps } from './use-table.ts'

const LONG_PRESS_MS = 500
/** A resting finger moves a little. */
const MOVE_PX = 10

/** The finger that is down. Rows are drawn again meanwhile, so it belongs to no row. */
let press:
  | { readonly x: number; readonly y: number; readonly timer: ReturnType<typeof setTimeout> }
  | undefined
/** The end of a long press is no click. */
let wasLong = false

function endPress(): void {
  clearTimeout(press?.timer)
  press = undefined
}

/** What a row does with the mouse and with a finger. */
export function rowEvents<Row>(props: DataTableProps<Row>, row: Row, key: string) {
  const { table, open, pick, canSelect } = props
  const { selected } = table.state
  return {
    onMouseDown(event: MouseEvent): void {
      // Otherwise the browser selects the text between two clicks.
      if (canSelect && event.shiftKey) event.preventDefault()
    },
    onClick(event: MouseEvent): void {
      const target = event.target as HTMLElement
      if (target.closest('a, button') || wasLong) return
      const isBox = target.closest('.check-cell') !== null
      if (canSelect && event.shiftKey) return extend(props, key)
      if (canSelect && (isBox || event.ctrlKey || event.metaKey || selected.peek().size > 0))
        toggle(props, key)
      else if (isPhone.peek()) open?.(row)
      else pick?.(row)
      moveTo(props, key)
    },
    onDblClick: (): void => open?.(row),
    onPointerDown({ pointerType, target, clientX: x, clientY: y }: PointerEvent): void {
      wasLong = false
      endPress()
      // A long press on a story opens the story.
      if (!canSelect || pointerType === 'mouse' || (target as Element).closest('.story-cell')) return
      const selectRow = () => {
        wasLong = true
        select(table.state, [...selected.peek(), key], table.allKeys)
        moveTo(props, key)
      }
      press = { x, y, timer: setTimeout(selectRow, LONG_PRESS_MS) }
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      if (press && Math.hypot(clientX - press.x, clientY - press.y) > MOVE_PX) endPress()
    },
    onPointerUp: endPress,
    onPointerCancel: endPress,
  }
}

function moveTo<Row>({ table: { state } }: DataTableProps<Row>, key: string): void {
  state.cursor.value = key
  state.anchor.value = key
}

function toggle<Row>({ table: { state, allKeys } }: DataTableProps<Row>, key: string): void {
  const next = new Set(state.selected.peek())
  if (!next.delete(key)) next.add(key)
  select(state, next, allKeys)
}

/** Moves the end of the range that begins at the anchor. Rows that it leaves are not selected any more. */
function extend<Row>({ table: { state, keys, allKeys } }: DataTableProps<Row>, key: string): void {
  const cursor = state.cursor.peek()
  const from = state.anchor.peek() ?? cursor ?? key
  const left = new Set(keysBetween(keys, from, cursor ?? from))
  const others = [...state.selected.peek()].filter((one) => !left.has(one))
  select(state, [...others, ...keysBetween(keys, from, key)], allKeys)
  state.anchor.value = from
  state.cursor.value = key
}

/** Arrow keys move, with Shift they select; Space selects, Enter opens, Escape selects nothing. */
export function onTableKey<Row>(event: KeyboardEvent, props: DataTableProps<Row>): void {
  const target = event.target as HTMLElement
  if (target.matches('input, button, a') || target.closest('.story-card')) return
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
    else moveTo(props, key)
  } else if (event.key === ' ' && canSelect && row) {
    toggle(props, keys[at]!)
    moveTo(props, keys[at]!)
  } else if (event.key === 'a' && (event.ctrlKey || event.metaKey) && canSelect)
    select(state, keys, table.allKeys)
  else if (event.key === 'Enter' && row) (open ?? pick)?.(row)
  else if (event.key === 'Escape' && state.selected.peek().size > 0) clearSelection(state)
  else return
  event.preventDefault()
  event.stopPropagation()
}
