import { dayKey, newYorkMs } from '../format/times.ts'
import type { ChartBar } from './bar.ts'

const DAY_MS = 86_400_000

/** The ranges that the chart offers, each with bars that fit its width. */
export const ranges = [
  { label: '1D', bars: '5m', days: 1, about: 'the session' },
  { label: '5D', bars: '15m', days: 5, about: 'five sessions' },
  { label: '1M', bars: '1h', days: 31, about: 'one month' },
  { label: '3M', bars: '1D', days: 92, about: 'three months' },
  { label: '1Y', bars: '1D', days: 366, about: 'one year' },
  { label: 'All', bars: '1W', days: Number.POSITIVE_INFINITY, about: 'everything' },
] as const

export type Range = (typeof ranges)[number]

/** The index of the first bar of a range. Sessions are counted, longer ranges are days of the calendar. */
export function firstOf({ days }: Range, bars: readonly ChartBar[], hasSessions = true): number {
  const last = bars.at(-1)
  if (!last || days === Number.POSITIVE_INFINITY) return 0
  if (days > 5)
    return Math.max(
      bars.findIndex(({ atMs }) => atMs >= last.atMs - days * DAY_MS),
      0,
    )
  const seen = new Set<string>()
  let first = 0
  for (let index = bars.length - 1; index >= 0; index -= 1) {
    seen.add(dayKey(bars[index]!.atMs))
    if (seen.size > days) break
    first = index
  }
  if (!hasSessions) return first
  // The flat hours before the session are left of the view.
  const openMs = newYorkMs(dayKey(bars[first]!.atMs), '09:30')
  const open = bars.findIndex(({ atMs }, index) => index >= first && atMs >= openMs)
  return open < 0 ? first : open
}
