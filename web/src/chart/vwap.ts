import type { LineData, UTCTimestamp } from 'lightweight-charts'
import { dayKey } from '../format/times.ts'
import type { ChartBar } from './bar-source.ts'

/** The volume-weighted average price since the start of each day. */
export function vwapOf(bars: readonly ChartBar[]): LineData<UTCTimestamp>[] {
  let [day, hourEndMs, money, volume] = ['', 0, 0, 0]
  const points: LineData<UTCTimestamp>[] = []
  for (const bar of bars) {
    // Formatting a day is slow, so it is done once per hour of bars.
    if (bar.atMs >= hourEndMs) {
      const key = dayKey(bar.atMs)
      hourEndMs = bar.atMs - (bar.atMs % 3_600_000) + 3_600_000
      if (key !== day) {
        ;[day, money, volume] = [key, 0, 0]
        // Days are not joined by a line: the colour of a point is that of the line to the next one.
        const last = points.pop()
        if (last) points.push({ ...last, color: 'transparent' })
      }
    }
    money += bar.vwap * bar.volume
    volume += bar.volume
    const value = volume > 0 ? money / volume : bar.close
    points.push({ time: (bar.atMs / 1000) as UTCTimestamp, value })
  }
  return points
}
