import { computed } from '@preact/signals'
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isTouch, remPx } from '../session/window.ts'

type VirtualRowsProps<Item> = {
  readonly items: readonly Item[]
  readonly row: (item: Item, index: number) => ComponentChildren
  /** The head of the table: one `<tr>`. */
  readonly head: ComponentChildren
  readonly label: string
  readonly rowHeight?: number
  /** Called when the last rows come into view, to read more. */
  readonly onEnd?: () => void
  /** Called with the distance from the top. */
  readonly onScroll?: (top: number) => void
  readonly class?: string
  /** The row that must be in view. Another key scrolls there; the same one may move out of view. */
  readonly reveal?: { readonly key: unknown; readonly index: number } | undefined
  /** The `<colgroup>`, if columns have fixed widths. */
  readonly columns?: ComponentChildren
  readonly table?: JSX.IntrinsicElements['table']
  readonly region?: RefObject<HTMLDivElement | null>
  /** Called after each draw, before the next event: a row takes the focus here, so that the next key is a key of the row. */
  readonly onDrawn?: () => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

const ROW_REM = 1.75
const ROW_TOUCH_REM = 2.75
/** The height of the rows of a dense list. The styles use the same. */
export const rowPx = computed(() => (isTouch.value ? ROW_TOUCH_REM : ROW_REM) * remPx.value)

/** Rows above and below those in view while the viewer scrolls, so that a small step draws nothing. */
const MORE_ROWS = 8
/** As many are enough for the first step. In a busy list each row costs time with every message. */
const FEW_ROWS = 3
const REST_MS = 1000
/** The first draw has the height of all rows and none of them, to measure how many are in view. */
const NO_ROWS: Range = { first: 0, end: 0 }

type Range = { readonly first: number; readonly end: number }

/** A table that draws only the rows in view, for lists of any length. All rows have the same height. */
export function VirtualRows<Item>({
  items,
  row,
  head,
  label,
  rowHeight = 34,
  onEnd,
  onScroll,
  class: extra = '',
  reveal,
  columns,
  table = { 'aria-rowcount': items.length },
  region,
  onDrawn,
  onKeyDown,
}: VirtualRowsProps<Item>): JSX.Element {
  const own = useRef<HTMLDivElement>(null)
  const scroller = region ?? own
  const [range, setRange] = useState(NO_ROWS)
  const look = (more = FEW_ROWS) => {
    if (scroller.current) setRange((before) => rangeInView(scroller.current!, rowHeight, more, before))
  }
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(rest.current), [])
  useLayoutEffect(() => {
    let observer: ResizeObserver | undefined
    const endTurn = inTurn(() => {
      look()
      observer = new ResizeObserver(() => look())
      observer.observe(scroller.current!)
    })
    return () => {
      endTurn()
      observer?.disconnect()
    }
  }, [rowHeight])
  useLayoutEffect(() => {
    if (reveal === undefined) return
    if (reveal.index >= 0) scrollTo(scroller.current!, reveal.index, rowHeight)
    look()
  }, [reveal?.key])
  useKeptFocus(scroller)
  useLayoutEffect(() => onDrawn?.())
  // A list that became shorter has its end in view until the browser has scrolled.
  const end = Math.min(range.end, items.length)
  const first = Math.max(Math.min(range.first, end - (range.end - range.first)), 0)
  useEffect(() => {
    if (items.length > 0 && end >= items.length - 4) onEnd?.()
  }, [end, items.length])
  const [above, below] = [first * rowHeight, (items.length - end) * rowHeight]
  return (
    <div
      class={`virtual-list ${extra}`}
      ref={scroller}
      onScroll={() => {
        look(MORE_ROWS)
        clearTimeout(rest.current)
        rest.current = setTimeout(look, REST_MS)
        onScroll?.(scroller.current?.scrollTop ?? 0)
      }}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table {...table}>
        {columns}
        <thead>{head}</thead>
        <tbody>
          {above > 0 && <tr key="above" style={{ height: `${above}px` }} aria-hidden="true" />}
          {items.slice(first, end).map((item, at) => row(item, first + at))}
          {below > 0 && <tr key="below" style={{ height: `${below}px` }} aria-hidden="true" />}
        </tbody>
      </table>
    </div>
  )
}

/** Lists that open at the same time draw their rows one after the other, so that no task is long. */
const turns = new Set<() => void>()
const TURN_MS = 20
let turnTimer: ReturnType<typeof setTimeout> | undefined

/** Runs at once, or after those that came before. Returns a function that gives the turn up. */
function inTurn(run: () => void): () => void {
  if (turnTimer === undefined) {
    run()
    turnTimer = setTimeout(nextTurn, TURN_MS)
    return () => undefined
  }
  turns.add(run)
  return () => turns.delete(run)
}

function nextTurn(): void {
  const [run] = turns
  turnTimer = run && setTimeout(nextTurn, TURN_MS)
  if (!run) return
  turns.delete(run)
  run()
}

/** The rows to draw. It is the same object while those in view are drawn. */
function rangeInView(
  { scrollTop, clientHeight }: HTMLElement,
  rowHeight: number,
  more: number,
  before: Range,
): Range {
  const first = Math.floor(scrollTop / rowHeight)
  const end = Math.ceil((scrollTop + clientHeight) / rowHeight)
  const isDrawn = before.first <= first && before.end >= end
  // A region that became much smaller needs fewer rows.
  if (isDrawn && before.end - before.first <= end - first + 2 * more + 1) return before
  return { first: Math.max(first - more, 0), end: end + more }
}

/** Scrolls until a row is in view, below the head that stays at the top. */
function scrollTo(scroller: HTMLElement, index: number, rowHeight: number): void {
  const headHeight = scroller.querySelector('thead')?.offsetHeight ?? 0
  const [top, bottom] = [index * rowHeight, headHeight + (index + 1) * rowHeight]
  if (top < scroller.scrollTop) scroller.scrollTop = top
  else if (bottom > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = bottom - scroller.clientHeight
}

/** A row that had the focus and is not drawn any more leaves it to the table, so that its keys still work. */
function useKeptFocus(scroller: RefObject<HTMLDivElement | null>): void {
  const hadFocus = scroller.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  })
}
