import { dayKey, dayText, minuteText } from '../../format/times.ts'

/** A time below the chart of a run. `share` is its place, from 0 to 1. */
export type RunTick = { readonly share: number; readonly label: string }

const TICKS_MAX = 6
/** The least distance of two ticks, as a share of the width. */
const DISTANCE = 0.15
const STEPS_MIN = [1, 5, 15, 30, 60, 120, 240]
const MINUTE_MS = 60_000

/** The times of the points of a run: days, or minutes if it is one day. All points have the same distance. */
export function runTicks(points: readonly { readonly at: string }[]): readonly RunTick[] {
  const [first, last] = [points[0]?.at, points.at(-1)?.at]
  if (first === undefined || last === undefined || points.length < 2) return []
  if (dayKey(first) !== dayKey(last)) return thinned(changesOf(points, dayKey), points.length, dayText)
  const minutes = (Date.parse(last) - Date.parse(first)) / MINUTE_MS
  const step = STEPS_MIN.find((one) => minutes / one <= TICKS_MAX) ?? STEPS_MIN.at(-1)!
  const stepOf = (at: string): number => Math.floor(Date.parse(at) / (step * MINUTE_MS))
  const label = (at: string): string => minuteText(stepOf(at) * step * MINUTE_MS)
  return thinned(changesOf(points, stepOf).slice(1), points.length, label)
}

type Point = { readonly at: string; readonly index: number }

/** The first point of each day or step. */
const changesOf = (
  points: readonly { readonly at: string }[],
  keyOf: (at: string) => string | number,
): readonly Point[] =>
  points.flatMap(({ at }, index) =>
    index === 0 || keyOf(at) !== keyOf(points[index - 1]!.at) ? [{ at, index }] : [],
  )

/** Ticks that are far enough from each other for their texts, also on a phone. */
function thinned(
  changes: readonly Point[],
  length: number,
  label: (at: string) => string,
): readonly RunTick[] {
  let free = 0
  return changes.flatMap(({ at, index }, number) => {
    const share = index / (length - 1)
    // The first day is often only an evening.
    const isShort = number === 0 && (changes[1]?.index ?? length) / (length - 1) < DISTANCE
    if (isShort || share < free || share > 1 - DISTANCE / 3) return []
    free = share + DISTANCE
    return [{ share, label: label(at) }]
  })
}
