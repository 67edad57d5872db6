import type { Ticker } from '../ids.ts'
import { fail, ok, type Result } from '../result.ts'
import { type CivilDate, dayOf, fromNewYork, type Instant } from '../time.ts'
import { isMarketOpen, isTradingDay, previousSession } from './calendar.ts'
import { leadersOf } from './followers.ts'

/** Why trading stops; each tape has its own letters for it. */
export type HaltReason =
  | 'newsPending'
  | 'newsReleased'
  | 'operational'
  | 'circuitBreaker1'
  | 'circuitBreaker2'
  | 'circuitBreaker3'

/** A stretch of time; an end that is absent is open. */
type Stretch = { readonly from?: Instant; readonly to?: Instant }

/**
 * What happens to a market beside its ordinary course. Shares run from 0 to 1, instants are inclusive at the start and
 * exclusive at the end. Without a symbol it happens to every stock.
 *   halt      trading stops
 *   pause     the price leaves its band (limit up, limit down), trading stops for some minutes
 *   crash     the price falls by a part of itself within minutes, and comes back or does not
 *   gap       a session opens so many percent away from where it would have
 *   thin      spreads are so many times as wide, and as much less is shown
 *   missing   a share of the minutes has no trades and no new quotes
 *   late      a share of the trades is reported only after their minute was told
 *   mistakes  a share of the trades is first told with a wrong price, or is told and taken back
 */
export type Weather =
  | {
      readonly kind: 'halt'
      readonly symbol: Ticker
      readonly from: Instant
      readonly to: Instant
      readonly reason: HaltReason
    }
  | {
      readonly kind: 'pause'
      readonly symbol: Ticker
      readonly at: Instant
      readonly minutes: number
      /** Which end of the band was reached, and how far both are from its middle. */
      readonly limit: 'up' | 'down'
      readonly percent: number
    }
  | {
      readonly kind: 'crash'
      readonly symbol?: Ticker
      readonly at: Instant
      /** How much of the price goes. */
      readonly depth: number
      readonly minutes: number
      readonly recovers: boolean
    }
  | { readonly kind: 'gap'; readonly symbol?: Ticker; readonly on: CivilDate; readonly percent: number }
  | ({ readonly kind: 'thin'; readonly symbol?: Ticker; readonly times: number } & Stretch)
  | ({
      readonly kind: 'missing' | 'late' | 'mistakes'
      readonly symbol?: Ticker
      readonly share: number
    } & Stretch)

export type WeatherFault = { readonly field: string; readonly rule: string }

/** Whether something can happen as it is described: the first field that cannot be so, and what it must be. */
export function checkWeather(weather: Weather): Result<Weather, WeatherFault> {
  const fault = faultOf(weather)
  return fault ? fail(fault) : ok(weather)
}

function faultOf(weather: Weather): WeatherFault | undefined {
  switch (weather.kind) {
    case 'halt':
      return orderFault(weather)
    case 'pause':
      return rangeFault('minutes', weather.minutes, 1, 120) ?? rangeFault('percent', weather.percent, 1, 50)
    case 'crash':
      return (
        rangeFault('depth', weather.depth, 0.01, 0.9) ??
        rangeFault('minutes', weather.minutes, 1, 120) ??
        (isCrypto(weather.symbol) || isMarketOpen(weather.at)
          ? undefined
          : { field: 'at', rule: 'must lie in a regular session' })
      )
    case 'gap':
      return (
        rangeFault('percent', weather.percent, -90, 400) ??
        (isCrypto(weather.symbol) || isTradingDay(dayOf(weather.on))
          ? undefined
          : { field: 'on', rule: 'must be a trading day' })
      )
    case 'thin':
      return rangeFault('times', weather.times, 1, 100) ?? orderFault(weather)
    default:
      return rangeFault('share', weather.share, 0, 0.9) ?? orderFault(weather)
  }
}

const isCrypto = (symbol: Ticker | undefined): boolean => symbol?.includes('/') ?? false

function rangeFault(field: string, value: number, min: number, max: number): WeatherFault | undefined {
  return value >= min && value <= max ? undefined : { field, rule: `must be from ${min} to ${max}` }
}

const orderFault = ({ from, to }: Stretch): WeatherFault | undefined =>
  from !== undefined && to !== undefined && from >= to
    ? { field: 'to', rule: 'must be after from' }
    : undefined

/** The first instant at which the tape is another: what was told before stays as it was. */
export function weatherBegins(weather: Weather): Instant {
  switch (weather.kind) {
    case 'pause':
    case 'crash':
      return weather.at
    case 'gap':
      // On its way to the open the price goes through all that lies after the close before.
      return isCrypto(weather.symbol)
        ? ((BigInt(dayOf(weather.on)) * 86_400_000_000_000n) as Instant)
        : (previousSession(weather.on)?.close ?? fromNewYork(weather.on, 0))
    default:
      return weather.from ?? (0n as Instant)
  }
}

/**
 * Whether it happens to a symbol. What moves or stops the price of a symbol happens to those that follow it, too: a
 * fund falls with its index, and the second share class of a company is halted with the first.
 */
export function concerns(weather: Weather, symbol: Ticker, leaders = leadersOf(symbol)): boolean {
  if (weather.symbol === undefined) return !isCrypto(symbol)
  return weather.symbol === symbol || (isOfPrice(weather) && leaders.includes(weather.symbol))
}

const isOfPrice = ({ kind }: Weather): boolean =>
  kind === 'crash' || kind === 'gap' || kind === 'halt' || kind === 'pause'
