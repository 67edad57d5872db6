import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks'

type VirtualRowsProps<Item> = {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
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
  /** The row that must be in view; another one scrolls there. */
  readonly reveal?: number | undefined
  /** The `<colgroup>`, if columns have fixed widths. */
  readonly columns?: ComponentChildren
  readonly table?: JSX.IntrinsicElements['table']
  readonly region?: RefObject<HTMLDivElement | null>
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

/** A table that draws only the rows in view, for lists of any length. */
export function VirtualRows<Item>({
  items,
  keyOf,
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
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element>>(undefined)
  const options = {
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index: number) => keyOf(items[index]!),
    overscan: 8,
    initialRect: { width: 800, height: 600 },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  }
  virtualizer.current ??= new Virtualizer(options)
  virtualizer.current.setOptions(options)
  useLayoutEffect(() => virtualizer.current!._didMount(), [])
  useLayoutEffect(() => virtualizer.current!._willUpdate())
  useLayoutEffect(() => virtualizer.current!.measure(), [rowHeight])
  useLayoutEffect(() => {
    if (reveal !== undefined && reveal >= 0) virtualizer.current!.scrollToIndex(reveal, { align: 'auto' })
  }, [reveal])
  const shown = virtualizer.current.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 5) onEnd?.()
  }, [last, items.length])
  const above = shown[0]?.start ?? 0
  const below = virtualizer.current.getTotalSize() - (shown.at(-1)?.end ?? 0)
  return (
    <div
      class={`virtual-list ${extra}`}
      ref={scroller}
      onScroll={() => onScroll?.(scroller.current?.scrollTop ?? 0)}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table {...table}>
        {columns}
        <thead>{head}</thead>
        <tbody>
          {above > 0 && <tr style={{ height: `${above}px` }} aria-hidden="true" />}
          {shown.map(({ index }) => row(items[index]!, index))}
          {below > 0 && <tr style={{ height: `${below}px` }} aria-hidden="true" />}
        </tbody>
      </table>
    </div>
  )
}
