import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { DataTable, Tip } from './chart-data.tsx'
import { ChartEvents } from './chart-events.tsx'
import { frameOf, type LineChartProps } from './chart-frame.ts'
import { Axes, Base, Curve, LevelLine, MarkKnot } from './chart-marks.tsx'

/** Lines over time, with market events, levels and marks. The button "Table" shows the data behind it. */
export function LineChart(props: LineChartProps): JSX.Element {
  const { height = 226, summary, series, places = 0 } = props
  const figure = useRef<HTMLElement>(null)
  const width = useWidth(figure)
  const [isTable, setTable] = useState(false)
  const [hover, setHover] = useState<number>()
  const frame = frameOf(props, width, height)
  return (
    <figure
      ref={figure}
      class="chart"
      data-curve={props.of}
      onPointerMove={(event) => setHover(event.offsetX)}
      onPointerLeave={() => setHover(undefined)}
    >
      {isTable ? (
        <DataTable {...props} />
      ) : (
        <svg role="img" aria-label={summary} viewBox={`0 0 ${width} ${height}`} height={height}>
          <Axes {...props} frame={frame} />
          <ChartEvents frame={frame} events={props.events ?? []} nowMs={props.nowMs} toMs={props.toMs} />
          {props.base && <Base frame={frame} base={props.base} />}
          {series.map((one) => (
            <Curve key={one.name} frame={frame} series={one} places={places} />
          ))}
          {props.levels?.map((level) => (
            <LevelLine key={level.label} frame={frame} level={level} {...props} />
          ))}
          {props.marks?.map((mark) => (
            <MarkKnot key={`${mark.atMs} ${mark.label}`} frame={frame} mark={mark} />
          ))}
          {hover !== undefined && hover < frame.right && (
            <line class="cross" x1={hover} x2={hover} y1={frame.top} y2={frame.bottom} />
          )}
        </svg>
      )}
      {hover !== undefined && !isTable && <Tip {...props} frame={frame} at={hover} />}
      <button
        type="button"
        class="button small bare to-table"
        aria-pressed={isTable}
        onClick={() => setTable(!isTable)}
      >
        {isTable ? 'Chart' : 'Table'}
      </button>
    </figure>
  )
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(entry!.contentRect.width, 120)))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return width
}
