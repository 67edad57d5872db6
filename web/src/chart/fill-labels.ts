/** A rectangle of the plot, in pixels. */
export type Box = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The arrow of a fill at its price: below it for a buy, above it for a sale. */
type Arrow = { readonly left: number; readonly top: number; readonly isBuy: boolean; readonly text: string }

const HEIGHT = 16
const LETTER_WIDTH = 7
const PADDING = 8
const GAP = 3

/** Of a bar. A larger arrow would hide the candle that it is at. */
export const ARROW_SIZE = 0.7

/** The chart library draws an arrow with a share of the width of a bar, within these limits. */
const arrowSize = (spacing: number): number => Math.min(Math.max(spacing, 12), 30) * ARROW_SIZE

/**
 * Places the quantity of each fill where it covers no other text: behind its arrow, beside it, or before it. The last
 * fills are the first to get a place; undefined if there is none.
 */
export function placeLabels(
  arrows: readonly Arrow[],
  spacing: number,
  plot: { readonly width: number; readonly height: number },
  taken: readonly Box[],
): readonly (Box | undefined)[] {
  const used = [...taken]
  const isFree = (box: Box): boolean =>
    box.left >= 0 &&
    box.top >= 0 &&
    box.left + box.width <= plot.width &&
    box.top + box.height <= plot.height &&
    !used.some((other) => overlaps(box, other))
  return arrows
    .toReversed()
    .map((arrow) => {
      const box = placesOf(arrow, arrowSize(spacing)).find(isFree)
      if (box) used.push(box)
      return box
    })
    .reverse()
}

function placesOf({ left, top, isBuy, text }: Arrow, size: number): readonly Box[] {
  const width = text.length * LETTER_WIDTH + PADDING
  const [reach, side] = [GAP + size, size / 2 + GAP]
  const behind = isBuy ? top + reach + GAP : top - reach - GAP - HEIGHT
  const beside = (isBuy ? top + reach / 2 : top - reach / 2) - HEIGHT / 2
  const before = isBuy ? top - GAP - HEIGHT : top + GAP
  const at = (x: number, y: number): Box => ({ left: x, top: y, width, height: HEIGHT })
  return [
    at(left - width / 2, behind),
    at(left + side, beside),
    at(left - side - width, beside),
    at(left - width / 2, before),
  ]
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height
