import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Decimal, decimal } from '../../format/decimal.ts'
import { advances, clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import type { Point } from '../../parts/chart-frame.ts'

/** The ranges of the equity curve. */
export const ranges = {
  '1D': { period: '1D', timeframe: '1Min' },
  '1W': { period: '1W', timeframe: '15Min' },
  '1M': { period: '1M', timeframe: '1D' },
  '3M': { period: '3M', timeframe: '1D' },
  All: { period: '10A', timeframe: '1D' },
} as const
export type Range = keyof typeof ranges

export type History = {
  readonly points: readonly Point[]
  /** Equity before the range, for the dotted line. */
  readonly base: number
}

/** The gain of the day as the server computed it: transfers are no gain. */
export type DayGain = { readonly gain: Decimal; readonly equity: Decimal }

export const range = signal<Range>('1D')
export const history = signal<History | undefined>(undefined)
export const dayGain = signal<DayGain | undefined>(undefined)
export const historyProblem = signal<Error | undefined>(undefined)

/** Reads the curve when the screen opens, the range changes, or time jumps. */
export function useHistory(): void {
  const live = current.value
  useEffect(() => {
    if (!live) return undefined
    const closing = new AbortController()
    void read(range.value, closing.signal)
    return () => closing.abort()
  }, [live, range.value, advances.value, clock.value?.isOpen])
}

async function read(chosen: Range, signal: AbortSignal): Promise<void> {
  const live = current.peek()
  if (!live) return
  try {
    const query = { ...ranges[chosen], intraday_reporting: 'market_hours' as const }
    const read = await live.store.connection.client.getPortfolioHistory({ query }, { signal })
    const points = read.timestamp.map(
      (at, index) => [Number(at) * 1000, Number(read.equity[index] ?? 0)] as const,
    )
    // Days before the account existed have no equity.
    const first = points.findIndex(([, value]) => value !== 0)
    history.value = { points: first < 0 ? [] : points.slice(first), base: Number(read.base_value) }
    if (chosen === '1D') dayGain.value = dayGainOf(read.profit_loss.at(-1), read.equity.at(-1))
    historyProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) historyProblem.value = error as Error
  }
}

/** The numbers have whole cents, so they are exact as decimals. */
const dayGainOf = (gain: Cents, equity: Cents): DayGain | undefined =>
  gain == null || equity == null
    ? undefined
    : { gain: decimal(Number(gain).toFixed(2)), equity: decimal(Number(equity).toFixed(2)) }

type Cents = number | string | null | undefined
