import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { numberOf } from '../../format/decimal.ts'
import { current } from '../../live/current.ts'
import type { Point } from '../../parts/chart-frame.ts'
import { liveEquity } from './live-values.ts'

/** The ranges of the equity curve, and their periods. */
export const ranges = { '1D': '1D', '1W': '1W', '1M': '1M', '3M': '3M', All: '10A' } as const
export type Range = keyof typeof ranges

export type History = {
  readonly points: readonly Point[]
  /** Equity before the range, for the dotted line. */
  readonly base: number
}

export const range = signal<Range>('1D')

/** The curve of the store, without the days before the account existed. */
export const history = computed<History | undefined>(() => {
  const curve = current.value?.store.curve.value
  if (!curve) return undefined
  const first = curve.equity.findIndex((value) => value !== 0)
  const points =
    first < 0
      ? []
      : curve.timestamp
          .slice(first)
          .map((at, row) => [Number(at) * 1000, Number(curve.equity[first + row])] as const)
  return { points, base: curve.base_value }
})

/** The curve up to the instant of the store, which ends with the equity of that instant. */
export const playedHistory = computed<History | undefined>(() => {
  const now = current.value?.store.asOf.value?.timeMs
  const [read, equity] = [history.value, liveEquity.value?.equity]
  if (!read || now === undefined) return undefined
  const played = read.points.filter(([at]) => at < now)
  return { ...read, points: equity ? [...played, [now, numberOf(equity)]] : played }
})

/** Has the curve of a period in the store while a component is on screen. The newest component decides the period. */
export function useHistory(period: (typeof ranges)[Range]): void {
  const live = current.value
  useEffect(() => live?.store.stream.wantCurve(period), [live, period])
}
