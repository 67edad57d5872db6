import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { current } from '../../live/current.ts'
import type { Point } from '../../parts/chart-frame.ts'

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

/** Has the curve in the store while the card is on screen. */
export function useHistory(): void {
  const live = current.value
  useEffect(() => live?.store.stream.wantCurve(ranges[range.value]), [live, range.value])
}
