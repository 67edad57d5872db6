import type { JSX } from 'preact'
import { priceText } from '../format/amounts.ts'
import { decimalOfNumber } from '../format/decimal.ts'
import { Story } from '../story/story.tsx'
import type { ChartView } from './chart-view.ts'
import { type Box, placeLabels } from './fill-labels.ts'
import type { FillMark } from './fill-marks.ts'

type FillSpotsProps = {
  readonly fills: readonly FillMark[]
  readonly view: ChartView
  /** The start of the bar at the crosshair. */
  readonly hereMs: number | undefined
  /** Where other texts are. */
  readonly taken: readonly Box[]
}

/** The quantity of each fill, and over its arrow a place that shows the story of its orders. */
export function FillSpots({ fills, view, hereMs, taken }: FillSpotsProps): JSX.Element {
  const shown = fills
    .map((fill) => ({ ...fill, left: view.x(fill.atMs), top: view.y(fill.price) }))
    .filter(({ left, top }) => left >= 0 && left <= view.width && top >= 0 && top <= view.height)
  const arrows = shown.map(({ left, top, side, text }) => ({ left, top, isBuy: side === 'buy', text }))
  const labels = placeLabels(arrows, view.spacing, view, taken)
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
      {shown.map(({ atMs, side, text }, index) => {
        const box = labels[index]
        return (
          box && (
            <span
              key={`label ${atMs} ${side}`}
              class={`fill-label ${side}`}
              aria-hidden="true"
              style={{ left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px` }}
            >
              {text}
            </span>
          )
        )
      })}
    </>
  )
}
