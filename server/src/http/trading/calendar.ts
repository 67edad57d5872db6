import { mapWithPauses } from '@quipu/broker/clock/long-work.ts'
import type { CalendarDayRecord, MarketClockRecord, MarketDayRecord, MarketRecord } from '@quipu/contract'
import {
  addDays,
  type CivilDate,
  CLOCK_END,
  closeMinute,
  dateOf,
  dayOf,
  FIRST_YEAR,
  formatInstant,
  formatNewYork,
  type Instant,
  instantOfNanos,
  isMarketOpen,
  LAST_YEAR,
  later,
  missing,
  newYork,
  nextCloseAfter,
  nextOpenAfter,
  OPEN_MINUTE,
  PRE_OPEN_MINUTE,
  phasesOf,
  postCloseMinute,
  SECOND,
  settingsOf,
  settlementDate,
  settlementDay,
  tradingDayAt,
  tradingDaysBefore,
  type VenueKind,
  venueAt,
} from '@quipu/core'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'
import { callersWorld } from '../services.ts'

const FIRST_DAY = `${FIRST_YEAR}-01-01` as CivilDate
const LAST_DAY = `${LAST_YEAR}-12-31` as CivilDate
/** The start of 2 January 1970 in UTC: before it, New York may still be in 1969. */
const FIRST_INSTANT = instantOfNanos(86_400_000_000_000n)
const LAST_INSTANT = later(CLOCK_END, SECOND)

export const calendarHandlers = {
  getClock: async (_, context) => {
    const { at, always } = await nowIn(context)
    const isOpen = always || isMarketOpen(at)
    const nextClose = nextCloseAfter(at)
    return {
      timestamp: formatNewYork(at),
      is_open: isOpen,
      // While the market is open, the next open is the one after the next close, also in a world that never closes.
      next_open: formatNewYork(nextOpenAfter(isOpen ? nextClose : at)),
      next_close: formatNewYork(nextClose),
    }
  },

  getMarketClocks: async ({ query }, context) => {
    const { at, always } = await nowIn(context)
    const time = query.time === undefined ? at : instantOf(query.time)
    if (time < FIRST_INSTANT || time >= LAST_INSTANT) throw refuse({ code: 'outsideCalendar' })
    return { clocks: query.markets.map((code) => clockToWire(marketOf(code), time, always)) }
  },

  getCalendar: async ({ query }, context) => {
    context.state.seq = callersWorld(context).engine.durable
    const isWhole = query.start === undefined && query.end === undefined && query.date_type === 'TRADING'
    if (isWhole) return prebuilt(await wholeCalendar())
    const [start, end] = [query.start ?? FIRST_DAY, query.end ?? LAST_DAY]
    if (query.date_type === 'TRADING') return eachDay(daysBetween(start, end), dayToWire)
    // A trade settles on the next business day, so the trading day may be a long weekend before the settlement date.
    const days = await eachDay(daysBetween(addDays(start, -10), end), dayToWire)
    return days.filter(({ settlement_date: settled }) => settled >= start && settled <= end)
  },

  getMarketCalendar: async ({ params, query }, context) => {
    const market = marketOf(params.market)
    const { at } = await nowIn(context)
    const start = query.start ?? newYork(at).date
    const end = query.end ?? addDays(start, 7)
    const formatTime = query.timezone === 'UTC' ? formatInstant : formatNewYork
    const days = daysBetween(start, end)
    const calendar = await eachDay(days, (day) => marketDayToWire(market, dateAt(day), formatTime))
    return { market: market.market, calendar }
  },
} satisfies SomeHandlers

/** The full calendar as bytes: 2.5 MB, the same for every caller, and many bots request it at their start. */
let whole: Uint8Array | undefined

async function wholeCalendar(): Promise<Uint8Array> {
  whole ??= Buffer.from(JSON.stringify(await eachDay(daysBetween(FIRST_DAY, LAST_DAY), dayToWire)))
  return whole
}

/** The current time of the caller's world, and whether its market is always open. */
const nowIn = (context: Context): Promise<{ readonly at: Instant; readonly always: boolean }> => {
  const world = callersWorld(context)
  return context.state.read(world, (view) => ({
    at: world.engine.now,
    always: settingsOf(view).hours === 'always',
  }))
}

function marketOf(code: string): KnownMarket {
  const known = knownMarkets[code]
  if (known) return known
  throw refuse({ code: 'marketNotFound', market: code, known: Object.keys(knownMarkets).join(', ') })
}

/** The numbers of the trading days from one date to another, inclusive, within the calendar. */
function daysBetween(from: CivilDate, to: CivilDate): readonly number[] {
  const first = tradingDaysBefore(dayOf(from < FIRST_DAY ? FIRST_DAY : from))
  const end = tradingDaysBefore(dayOf(to > LAST_DAY ? LAST_DAY : to) + 1)
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
}

const dayAt = (number: number): number => tradingDayAt(number) ?? missing('a trading day')
const dateAt = (number: number): CivilDate => dateOf(dayAt(number))

/** Days per batch: eighty years in one batch would block other requests. */
const TURN_DAYS = 500

/** Converts each day, with pauses for other work. */
const eachDay = <Day>(days: readonly number[], convert: (day: number) => Day): Promise<Day[]> =>
  mapWithPauses(days, TURN_DAYS, convert)

function dayToWire(number: number): CalendarDayRecord {
  const day = dayAt(number)
  return {
    date: dateOf(day),
    open: clockTime(OPEN_MINUTE, ':'),
    close: clockTime(closeMinute(day), ':'),
    session_open: clockTime(PRE_OPEN_MINUTE, ''),
    session_close: clockTime(postCloseMinute(day), ''),
    settlement_date: dateOf(settlementDay(day)),
  }
}

const clockTime = (minute: number, between: string): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}${between}${String(minute % 60).padStart(2, '0')}`

function marketDayToWire(
  { kind }: KnownMarket,
  date: CivilDate,
  formatTime: (at: Instant) => string,
): MarketDayRecord {
  const times = phasesOf(kind, date).flatMap(({ phase, from, to }) => [
    [`${phase}_start`, formatTime(from)],
    [`${phase}_end`, formatTime(to)],
  ])
  return { date, ...Object.fromEntries(times), settlement_date: settlementDate(date) }
}

/** A world that never closes is always in its core phase; its next open and close are those of New York. */
function clockToWire({ kind, market }: KnownMarket, at: Instant, always: boolean): MarketClockRecord {
  const { isMarketDay, phase, until, nextOpen, nextClose } = venueAt(kind, at)
  const openAfter = always ? venueAt(kind, nextClose).nextOpen : nextOpen
  return {
    market,
    timestamp: formatNewYork(at),
    is_market_day: always || isMarketDay,
    next_market_open: formatNewYork(openAfter),
    next_market_close: formatNewYork(nextClose),
    phase: always ? 'core' : phase,
    phase_until: formatNewYork(always ? nextClose : until),
  }
}

/** A market of the calendar operations, and its kind of trading day. */
type KnownMarket = { readonly kind: VenueKind; readonly market: MarketRecord }

const timezone = 'America/New_York'
const inNewYork = (kind: VenueKind, mic: string, acronym: string, name: string): KnownMarket => ({
  kind,
  market: { mic, acronym, name, timezone },
})

const nyse = inNewYork('equities', 'XNYS', 'NYSE', 'New York Stock Exchange')
const nasdaq = inNewYork('equities', 'XNAS', 'NASDAQ', 'Nasdaq Stock Market')
const iex = inNewYork('equities', 'IEXG', 'IEX', 'Investors Exchange')
const otc = inNewYork('equities', 'OTCM', 'OTC', 'OTC Markets')
const boats = inNewYork('overnight', 'OCEA', 'BOATS', 'Blue Ocean ATS')

/** By acronym and by MIC. All have the trading days of the New York exchanges. */
const knownMarkets: Readonly<Record<string, KnownMarket>> = {
  NYSE: nyse,
  XNYS: nyse,
  NASDAQ: nasdaq,
  XNAS: nasdaq,
  IEX: iex,
  IEXG: iex,
  OTC: otc,
  OTCM: otc,
  OPRA: inNewYork('options', 'OPRA', 'OPRA', 'Options Price Reporting Authority'),
  BOATS: boats,
  OCEA: boats,
}
