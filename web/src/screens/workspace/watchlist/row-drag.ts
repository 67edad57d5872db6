import { signal } from '@preact/signals'
import { isAuditor } from '../../../session/session.ts'
import { moveSymbol, watchedSymbols } from './watchlist-state.ts'

/**
 * How this works: the row that is dragged is known by its symbol, and the window hears the pointer. So a drag goes on when the
 * rows are drawn again, moved or scrolled meanwhile; the browser drops what it drags itself when its element is drawn again.
 */
type Drag = {
  readonly symbol: string
  /** The row under the pointer. */
  readonly over: string | undefined
}

const drag = signal<Drag | undefined>(undefined)

/** A resting pointer moves a little. */
const MOVE_PX = 4

/** The symbol of the row at an element. */
export const symbolAt = (element: Element | null): string | undefined =>
  element?.closest('[data-symbol]')?.getAttribute('data-symbol') ?? undefined

/** Where the row under the pointer shows that the dragged one comes. */
export function dragClass(symbol: string): string {
  if (drag.value === undefined) return ''
  const { symbol: dragged, over } = drag.value
  if (symbol === dragged) return 'dragged'
  if (symbol !== over) return ''
  const order = watchedSymbols.value ?? []
  return order.indexOf(symbol) < order.indexOf(dragged) ? 'drop-above' : 'drop-below'
}

/** Begins to drag a row when the pointer moves. A finger scrolls. */
export function startDrag(down: PointerEvent): void {
  const symbol = symbolAt(down.target as Element)
  const isOther =
    down.button !== 0 || down.pointerType === 'touch' || (down.target as Element).closest('button')
  if (symbol === undefined || isOther || isAuditor.peek()) return
  const ending = new AbortController()
  const end = () => {
    ending.abort()
    drag.value = undefined
  }
  const on = <Name extends keyof WindowEventMap>(name: Name, run: (event: WindowEventMap[Name]) => void) =>
    addEventListener(name, run, { signal: ending.signal, capture: true })
  on('pointermove', (event) => {
    if (!drag.peek() && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < MOVE_PX)
      return
    const row = (event.target as Element).closest('[data-symbol]')
    drag.value = { symbol, over: symbolAt(row) }
    showBeside(row)
  })
  on('pointerup', ({ target }) => {
    if (drag.peek()) drop(symbol, symbolAt(target as Element))
    end()
  })
  on('pointercancel', end)
  on('keydown', (event) => {
    if (event.key !== 'Escape' || !drag.peek()) return
    event.stopPropagation()
    end()
  })
}

/** Scrolls to the neighbours of a row, so that a drag to the edge of the list goes on. */
function showBeside(row: Element | null): void {
  for (const next of [row?.previousElementSibling, row?.nextElementSibling])
    if (next?.matches('[data-symbol]')) next.scrollIntoView({ block: 'nearest' })
}

/** The dragged row takes the place of the other one. */
function drop(symbol: string, over: string | undefined): void {
  const order = watchedSymbols.peek() ?? []
  if (over !== undefined && over !== symbol)
    void moveSymbol(symbol, order.indexOf(over) - order.indexOf(symbol))
}
