import type { JSX } from 'preact'
import { priceText } from '../format/amounts.ts'
import { decimalOfNumber } from '../format/decimal.ts'
import { Story } from '../story/story.tsx'
import type { ChartView } from './chart-view.ts'
import type { FillMark } from './fill-marks.ts'

type FillSpotsProps = {
  readonly fills: readonly FillMark[]
  readonly view: ChartView
  /** The start of the bar at the crosshair. */
  readonly hereMs: number | undefined
}

/** Over the arrow of each fill, a place that shows the story of its orders. */
export function FillSpots({ fills, view, hereMs }: FillSpotsProps): JSX.Element {
  const shown = fills
    .map((fill) => ({ ...fill, left: view.x(fill.atMs), top: view.y(fill.price) }))
    .filter(({ left, top }) => left >= 0 && left <= view.width && top >= 0 && top <= view.height)
  // Without a crosshair, `w` is about the newest fill.
  const here = shown.findLast(({ atMs }) => atMs === hereMs) ?? shown.at(-1)
  return (
    <>
      {shown.map(({ atMs, side, price, text, orders: [first, ...others], left, top }) => (
        <div
          key={`${atMs} ${side}`}
          class={`fill-spot ${side}`}
          data-here={here?.atMs === atMs && here.side === side ? '' : undefined}
          style={{ left: `${left}px`, top: `${top}px` }}
        >
          <Story subject={{ order: first! }} others={others.map((order) => ({ order }))} hasFocus>
            <span class="hidden-text">
              {side === 'buy' ? 'Bought' : 'Sold'} {text} at {priceText(decimalOfNumber(price))}
            </span>
          </Story>
        </div>
      ))}
    </>
  )
}
