import { type BarFrame, isDayFrame, parseFrame } from '@quipu/core'
import type { SeriesRows } from '../store/index.ts'

/** A series of bars and its frame. */
export type BarSeries = { readonly series: SeriesRows; readonly frame: BarFrame }

const MINUTES: Readonly<Record<BarFrame['unit'], number>> = {
  minute: 1,
  hour: 60,
  day: 1440,
  week: 7 * 1440,
  month: 30 * 1440,
}

export const minutesOf = ({ unit, count }: BarFrame): number => MINUTES[unit] * count

export const sameFrame = (a: BarFrame, b: BarFrame): boolean => a.unit === b.unit && a.count === b.count

/** The series of bars among a symbol's, finest first. */
export function barSeries(all: readonly SeriesRows[]): readonly BarSeries[] {
  const found: BarSeries[] = []
  for (const series of all) {
    const frame = series.frame === undefined ? undefined : parseFrame(series.frame)
    if (frame?.ok) found.push({ series, frame: frame.value })
  }
  return found.sort((a, b) => minutesOf(a.frame) - minutesOf(b.frame))
}

/**
 * The source of bars of a frame: the same frame if it is stored, otherwise the longest stored frame that divides it.
 * Days are also folded from minutes and hours, weeks and months only from days.
 */
export function sourceFor(frame: BarFrame, stored: readonly BarSeries[]): BarSeries | undefined {
  return (
    stored.find((one) => sameFrame(one.frame, frame)) ?? stored.findLast((one) => foldsInto(one.frame, frame))
  )
}

function foldsInto(from: BarFrame, to: BarFrame): boolean {
  if (isDayFrame(to)) return from.unit === 'day' || (!isDayFrame(from) && 1440 % minutesOf(from) === 0)
  return !isDayFrame(from) && minutesOf(to) > minutesOf(from) && minutesOf(to) % minutesOf(from) === 0
}
