import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { type PaneName, panes, resize, sizes } from './layout.ts'

type GripProps = {
  readonly pane: PaneName
  /** Whether the pane is before the grip: then a move to the right or down makes it larger. */
  readonly isBefore: boolean
}

const STEP_PX = 16
const LARGE_STEP_PX = 64

/** The gap between two panes: drag it, or use arrow keys; a double click or Enter gives the first size again. */
export function Grip({ pane, isBefore }: GripProps): JSX.Element {
  const start = useRef<{ readonly at: number; readonly size: number }>(undefined)
  const isRow = pane === 'blotter'
  const size = sizes.value[pane]
  const { title, min, max } = panes[pane]
  const positionOf = (event: PointerEvent): number => (isRow ? event.clientY : event.clientX)
  const direction = isBefore ? 1 : -1
  const onKeyDown = (event: KeyboardEvent) => {
    const step = (event.shiftKey ? LARGE_STEP_PX : STEP_PX) * direction
    const moves: Readonly<Record<string, number>> = isRow
      ? { ArrowDown: step, ArrowUp: -step }
      : { ArrowRight: step, ArrowLeft: -step }
    const move = moves[event.key]
    if (move !== undefined) resize(pane, size + move)
    else if (event.key === 'Home') resize(pane, min)
    else if (event.key === 'End') resize(pane, max)
    else if (event.key === 'Enter') resize(pane, undefined)
    else return
    event.preventDefault()
  }
  return (
    <div
      class={`pane-grip ${isRow ? 'row' : 'column'} of-${pane}`}
      role="separator"
      aria-label={`Size of the ${title.toLowerCase()}`}
      aria-orientation={isRow ? 'horizontal' : 'vertical'}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      title="Drag, or use the arrow keys. A double click resets the size."
      onKeyDown={onKeyDown}
      onDblClick={() => resize(pane, undefined)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { at: positionOf(event), size }
      }}
      onPointerMove={(event) => {
        const from = start.current
        if (from) resize(pane, from.size + (positionOf(event) - from.at) * direction)
      }}
      onPointerUp={() => {
        start.current = undefined
      }}
      onPointerCancel={() => {
        start.current = undefined
      }}
    />
  )
}
