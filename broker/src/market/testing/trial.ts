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

/** A market under test: it lists `symbol` and has trades in the regular session of the trading day `date`. */
export type Trial = {
  readonly symbol: Ticker
  readonly date: CivilDate
  /** Time zone of its days, if not New York; the market is then always open. */
  readonly zone?: Zone
  /** Length of a time span with several trades. Default: 30 seconds. */
  readonly seconds?: number
  /** Its trades are derived from bars: they match the prices of the bars, not the number and size of trades. */
  readonly hasDerivedTrades?: true
  open(): MarketSource | Promise<MarketSource>
}

/** The instant of a minute of the tested day. */
export const momentOf = ({ date, zone = 'newYork' }: Trial, minute: number): Instant =>
  minute === 1440
    ? instantOfMicros(midnightIn(zone, dayOf(date) + 1))
    : instantOfMicros(minuteIn(zone, dayOf(date), minute))

export type Rule = (title: string, run: (market: MarketSource) => Promise<void>) => void
