import {
  type CivilDate,
  dayOf,
  type Instant,
  instantOfMicros,
  midnightIn,
  minuteIn,
  type Ticker,
  type Zone,
} from '@quipu/core'
import type { MarketSource } from '../market-source.ts'

/** A market to be tried: it knows `symbol` and trades it on `date`, a trading day, in the regular session. */
export type Trial = {
  readonly symbol: Ticker
  readonly date: CivilDate
  /** Where its days begin, if that is not New York: then it never rests. */
  readonly zone?: Zone
  /** How long a stretch has a handful of trades, if half a minute has not. */
  readonly seconds?: number
  /** Its trades are made up to fit its bars: they have their prices, not their number and size. */
  readonly hasMadeTrades?: true
  open(): MarketSource | Promise<MarketSource>
}

/** A minute of the day of a trial. */
export const momentOf = ({ date, zone = 'newYork' }: Trial, minute: number): Instant =>
  minute === 1440
    ? instantOfMicros(midnightIn(zone, dayOf(date) + 1))
    : instantOfMicros(minuteIn(zone, dayOf(date), minute))

export type Rule = (title: string, run: (market: MarketSource) => Promise<void>) => void
