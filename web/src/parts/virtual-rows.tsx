import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren, JSX } from 'preact'
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
}: VirtualRowsProps<Item>): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null)
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
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table aria-rowcount={items.length}>
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
