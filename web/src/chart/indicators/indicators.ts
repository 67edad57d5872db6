import { dayKey } from '../../format/times.ts'
import type { ChartBar } from '../bar.ts'

/** One value per bar; undefined where there are too few bars before it. For drawing only. */
export type Values = readonly (number | undefined)[]

/** The mean of the last values. */
export function simpleAverage(values: readonly number[], period: number): Values {
  let total = 0
  return values.map((value, index) => {
    total += value - (index >= period ? values[index - period]! : 0)
    return index < period - 1 ? undefined : total / period
  })
}

/** Each value weighs 2 / (period + 1); the first average is the mean of the first values. */
export const exponentialAverage = (values: readonly number[], period: number): Values =>
  smoothed(values, period, 2 / (period + 1))

function smoothed(values: readonly number[], period: number, weight: number): Values {
  let [average, total] = [0, 0]
  return values.map((value, index) => {
    total += index < period ? value : 0
    if (index < period - 1) return undefined
    average = index === period - 1 ? total / period : average + weight * (value - average)
    return average
  })
}

/** The simple average, and bands at some standard deviations of the same values. */
export function bollingerBands(
  values: readonly number[],
  period: number,
  deviations: number,
): { readonly upper: Values; readonly middle: Values; readonly lower: Values } {
  const middle = simpleAverage(values, period)
  const spread = middle.map((mean, index) => {
    if (mean === undefined) return undefined
    const last = values.slice(index - period + 1, index + 1)
    return deviations * Math.sqrt(last.reduce((sum, value) => sum + (value - mean) ** 2, 0) / period)
  })
  const band = (side: 1 | -1): Values =>
    middle.map((mean, index) => (mean === undefined ? undefined : mean + side * spread[index]!))
  return { upper: band(1), middle, lower: band(-1) }
}

/** Wilder's relative strength index: 0 to 100, the share of the gains in the last moves. */
export function relativeStrength(values: readonly number[], period: number): Values {
  const moves = values.slice(1).map((value, index) => value - values[index]!)
  const [gains, losses] = [1, -1].map((side) =>
    smoothed(
      moves.map((move) => Math.max(side * move, 0)),
      period,
      1 / period,
    ),
  )
  return values.map((_, index) => {
    const [gain, loss] = [gains![index - 1], losses![index - 1]]
    if (gain === undefined || loss === undefined) return undefined
    return gain + loss === 0 ? 50 : (100 * gain) / (gain + loss)
  })
}

/** The volume-weighted average price since the start of each day, and the last bar of each day. */
export function dayVwap(bars: readonly ChartBar[]): {
  readonly values: Values
  readonly ends: ReadonlySet<number>
} {
  let [day, hourEndMs, money, volume] = ['', 0, 0, 0]
  const ends = new Set<number>()
  const values = bars.map((bar, index) => {
    // Formatting a day is slow, so it is done once per hour of bars.
    if (bar.atMs >= hourEndMs) {
      const key = dayKey(bar.atMs)
      hourEndMs = bar.atMs - (bar.atMs % 3_600_000) + 3_600_000
      if (key !== day) {
        ends.add(index - 1)
        ;[day, money, volume] = [key, 0, 0]
      }
    }
    money += bar.vwap * bar.volume
    volume += bar.volume
    return volume > 0 ? money / volume : bar.close
  })
  return { values, ends }
}

/** The closes of another symbol, scaled so that both are equal at a bar; the last known one where it has no bar. */
export function scaledCloses(bars: readonly ChartBar[], others: readonly ChartBar[], at: number): Values {
  let next = 0
  let close: number | undefined
  const closes = bars.map(({ atMs }) => {
    while (next < others.length && others[next]!.atMs <= atMs) close = others[next++]!.close
    return close
  })
  const base = closes.findIndex((value, index) => index >= at && value !== undefined)
  if (base < 0) return closes.map(() => undefined)
  const factor = bars[base]!.close / closes[base]!
  return closes.map((value) => (value === undefined ? undefined : value * factor))
}
