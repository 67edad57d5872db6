import {
  builtInListing,
  type CivilDate,
  dayOf,
  makeMarket,
  midnightIn,
  minuteIn,
  type Tape,
} from '@quipu/core'
import * as math from './mathematics.ts'
import { END, lastDays, type Scope, type Statistic, statistic, tapeOf } from './statistics.ts'

/** Minutes before the open in a market that never closes, compared with the minutes of the next session. */
export function nightStatistics({ seed, sessions }: Scope): Statistic[] {
  const market = makeMarket({ seed, hours: 'always', profiles: builtInListing().profiles })
  return ['SPY', 'VOO', 'KO'].flatMap((symbol) => {
    const [night, session] = [
      [0, 570],
      [570, 960],
    ].map(([from, to]) => minutesOf(tapeOf(market, symbol), lastDays(sessions), from!, to!))
    return [
      statistic(`${symbol}: trades of a minute at night`, night!.trades / session!.trades, 0.85, 1.15),
      statistic(`${symbol}: size of a trade at night`, night!.size / session!.size, 0.45, 0.6),
      statistic(`${symbol}: variance of a minute at night`, night!.variance / session!.variance, 0.15, 0.4),
    ]
  })
}

/** Means over some days, for each minute from one time of day to another. */
function minutesOf(tape: Tape, days: readonly number[], first: number, end: number) {
  let [trades, volume] = [0, 0]
  const returns = days.flatMap((day) => {
    const closes: number[] = []
    const [from, to] = [minuteIn('newYork', day, first), minuteIn('newYork', day, end)]
    tape.minutes({ from, to, backwards: false }, (_, span) => {
      trades += span.trades
      volume += span.volume
      return closes.push(span.close) > 0
    })
    return math.changes(closes)
  })
  return {
    trades: trades / days.length / (end - first),
    size: volume / trades,
    variance: math.deviation(returns) ** 2,
  }
}

/** A Sunday in a market that never closes: minutes with trades, fewest trades in ten minutes, quotes per trade. */
export function sundayOf(seed: string, symbol: string) {
  const tape = tapeOf(makeMarket({ seed, hours: 'always', profiles: builtInListing().profiles }), symbol)
  const day = dayOf('2026-11-15' as CivilDate)
  const counts: number[] = []
  const range = { from: midnightIn('newYork', day), to: midnightIn('newYork', day + 1), backwards: false }
  tape.minutes(range, (_, { trades }) => counts.push(trades) > 0)
  const tens = counts.slice(9).map((_, start) => sum(counts.slice(start, start + 10)))
  const hour = [minuteIn('newYork', day, 600), minuteIn('newYork', day, 660)] as const
  return {
    minutes: counts.length,
    fewest: Math.min(...tens),
    quotesPerTrade: tape.quotes(hour[0], hour[1] - 1, END).length / tape.fold(...hour)!.trades,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
