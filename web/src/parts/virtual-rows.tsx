import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

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
  readonly reveal?: { readonly key: string; readonly index: number } | undefined
  /** The `<colgroup>`, if columns have fixed widths. */
  readonly columns?: ComponentChildren
  readonly table?: JSX.IntrinsicElements['table']
  readonly region?: RefObject<HTMLDivElement | null>
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

/** Rows above and below those in view, so that a small step draws nothing. */
const MORE_ROWS = 8
const FIRST_ROWS = 30

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
  onKeyDown,
}: VirtualRowsProps<Item>): JSX.Element {
  const own = useRef<HTMLDivElement>(null)
  const scroller = region ?? own
  const [range, setRange] = useState<Range>({ first: 0, end: FIRST_ROWS })
  const look = () => {
    if (scroller.current) setRange((before) => rangeInView(scroller.current!, rowHeight, before))
  }
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [rowHeight])
  useLayoutEffect(() => {
    if (reveal !== undefined && reveal.index >= 0) scrollTo(scroller.current!, reveal.index, rowHeight)
    look()
  }, [reveal?.key])
  useKeptFocus(scroller)
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
        look()
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

/** The rows to draw. It is the same object while those in view are drawn. */
function rangeInView({ scrollTop, clientHeight }: HTMLElement, rowHeight: number, before: Range): Range {
  const first = Math.floor(scrollTop / rowHeight)
  const end = Math.ceil((scrollTop + clientHeight) / rowHeight)
  const isDrawn = before.first <= first && before.end >= end
  // A region that became much smaller needs fewer rows.
  if (isDrawn && before.end - before.first <= end - first + 2 * MORE_ROWS + 1) return before
  return { first: Math.max(first - MORE_ROWS, 0), end: end + MORE_ROWS }
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
