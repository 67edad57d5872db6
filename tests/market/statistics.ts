import {
  builtInListing,
  type CivilDate,
  dayOf,
  makeMarket,
  minuteIn,
  type Tape,
  type Tapes,
  type Ticker,
  tradingDayAt,
  tradingDaysBefore,
} from '@quipu/core'
import * as math from './mathematics.ts'

/** A measured property of the prices of a seed, with its expected range. */
export type Statistic = {
  readonly name: string
  readonly value: number
  readonly least: number
  readonly most: number
}

export type Scope = {
  readonly seed: string
  /** Trading days of history, up to 13 November 2026. */
  readonly days: number
  /** One of this many companies is measured. */
  readonly everyCompany: number
  /** Sessions of which minutes and quotes are compared. */
  readonly sessions: number
}

export const END = Number.MAX_SAFE_INTEGER
const LAST = tradingDaysBefore(dayOf('2026-11-13' as CivilDate))
const YEAR = 252

/** Second share classes and funds on one index; the first pair are share classes. */
export const EQUIVALENT_PAIRS = [
  ['GOOGL', 'GOOG'],
  ['SPY', 'VOO'],
  ['SPY', 'IVV'],
  ['QQQ', 'QQQM'],
  ['GLD', 'IAU'],
] as const
const SECTOR_PAIRS = [
  ['XLE', 'XOM'],
  ['SMH', 'NVDA'],
  ['XLF', 'JPM'],
  ['XLK', 'MSFT'],
] as const
const LEVERAGED = [
  ['QQQ', 'TQQQ', 3],
  ['QQQ', 'SQQQ', -3],
  ['SPY', 'SPXL', 3],
  ['SMH', 'SOXL', 3],
] as const

/** The daily history of a symbol. */
export type History = {
  readonly closes: readonly number[]
  readonly returns: readonly number[]
  readonly logVolumes: readonly number[]
}

export function measure(scope: Scope): readonly Statistic[] {
  const market = makeMarket({ seed: scope.seed, hours: 'nyse', profiles: builtInListing().profiles })
  const histories = new Map<string, History>()
  const history = (symbol: string): History => {
    const known = histories.get(symbol) ?? historyOf(market, symbol, scope.days)
    histories.set(symbol, known)
    return known
  }
  return [
    ...equivalentPairStatistics(market, history, scope),
    ...fundStatistics(history),
    ...stockStatistics(history, scope),
    ...indexStatistics(history, scope),
    cryptoStatistic(market, scope),
    ...auctionStatistics(market, scope),
  ]
}

export function historyOf(market: Tapes, symbol: string, count: number): History {
  const tape = tapeOf(market, symbol)
  const days = Array.from({ length: count + 1 }, (_, step) =>
    tape.day(tradingDayAt(LAST - count + step)!, END),
  )
  const traded = days.flatMap((day) => day ?? [])
  const closes = traded.map(({ close }) => close)
  return {
    closes,
    returns: math.changes(closes),
    logVolumes: traded.map(({ volume }) => Math.log(volume)),
  }
}

export const tapeOf = (market: Tapes, symbol: string): Tape => market.get(symbol as Ticker)!

type HistoryOf = (symbol: string) => History

export const statistic = (name: string, value: number, least: number, most: number): Statistic => ({
  name,
  value,
  least,
  most,
})

function equivalentPairStatistics(market: Tapes, history: HistoryOf, { sessions }: Scope): Statistic[] {
  return EQUIVALENT_PAIRS.flatMap(([one, other], index) => {
    const daily = math.correlation(history(one).returns, history(other).returns)
    const [a, b] = [one, other].map((symbol) => fiveMinutes(market, symbol, sessions))
    const limit = index === 0 ? 10 : 3
    return [
      statistic(`${one} and ${other}: daily correlation`, daily, 0.98, 1.000_001),
      statistic(
        `${one} and ${other}: correlation of five minutes`,
        math.correlation(a!, b!),
        0.95,
        1.000_001,
      ),
      statistic(
        `${one} and ${other}: basis points that 99 % of quotes are within`,
        ratioSpread(market, one, other, sessions),
        0,
        limit,
      ),
    ]
  })
}

/** The last trading days of the scope, newest last. */
export const lastDays = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, step) => tradingDayAt(LAST - (count - 1 - step) * 5)!)

function fiveMinutes(market: Tapes, symbol: string, sessions: number): readonly number[] {
  const tape = tapeOf(market, symbol)
  return lastDays(sessions).flatMap((day) =>
    math.changes(
      Array.from({ length: 78 }, (_, step) => tape.last(minuteIn('newYork', day, 575 + 5 * step) - 1)!.price),
    ),
  )
}

/** How far the ratio of two quotes is from its daily mean, in basis points: the 99th percentile. */
function ratioSpread(market: Tapes, one: string, other: string, sessions: number): number {
  const [a, b] = [tapeOf(market, one), tapeOf(market, other)]
  const middle = (tape: Tape, at: number): number => {
    const { bid, ask } = tape.lastQuote(at)!
    return (bid + ask) / 2
  }
  const distances = lastDays(sessions).flatMap((day) => {
    const start = minuteIn('newYork', day, 575)
    const ratios = Array.from({ length: 250 }, (_, step) => {
      const at = start + step * 90_123_457
      return middle(a, at) / middle(b, at)
    })
    const mean = math.mean(ratios)
    return ratios.map((ratio) => Math.abs(ratio / mean - 1) * 10_000)
  })
  return math.quantile(distances, 0.99)
}

function fundStatistics(history: HistoryOf): Statistic[] {
  const leveraged = LEVERAGED.flatMap(([index, fund, times]) => {
    const [a, b] = [index, fund].map((symbol) => history(symbol).closes)
    const slope = math.slope(math.simpleChanges(a!), math.simpleChanges(b!))
    const growth = (closes: readonly number[]): number => Math.log(closes.at(-1)! / closes[0]!)
    const decay = (times * growth(a!) - growth(b!)) / (a!.length / YEAR)
    return [
      statistic(`${fund} on ${index}: slope over ${times}`, slope / times, 2.95 / 3, 3.05 / 3),
      statistic(`${fund} on ${index}: decay a year, as a logarithm`, decay, 0.02, 2),
    ]
  })
  const sectors = SECTOR_PAIRS.map(([fund, company]) =>
    statistic(
      `${fund} and ${company}: daily correlation`,
      math.correlation(history(fund).returns, history(company).returns),
      0.6,
      0.9,
    ),
  )
  return [...leveraged, ...sectors]
}

function stockStatistics(history: HistoryOf, { everyCompany }: Scope): Statistic[] {
  const spy = history('SPY').returns
  const companies = builtInListing()
    .profiles.filter(({ isFund, pace }) => !isFund && pace === undefined)
    .filter((_, index) => index % everyCompany === 0)
    .map(({ symbol }) => history(symbol))
  const median = (measureOne: (history: History) => number): number =>
    math.quantile(companies.map(measureOne), 0.5)
  return [
    statistic(
      'companies and SPY: median correlation',
      median(({ returns }) => math.correlation(returns, spy)),
      0.5,
      0.7,
    ),
    statistic(
      'companies: median kurtosis',
      median(({ returns }) => math.kurtosis(returns)),
      6,
      9,
    ),
    statistic(
      'companies: median autocorrelation of absolute returns, one day',
      median(({ returns }) => math.autocorrelation(returns.map(Math.abs), 1)),
      0.15,
      0.3,
    ),
    statistic(
      'companies: median autocorrelation of returns, one day',
      median(({ returns }) => math.autocorrelation(returns, 1)),
      -0.04,
      0.04,
    ),
    statistic(
      'companies: median autocorrelation of log volume, one day',
      median(({ logVolumes }) => math.autocorrelation(logVolumes, 1)),
      0.5,
      0.7,
    ),
  ]
}

function indexStatistics(history: HistoryOf, { days }: Scope): Statistic[] {
  const { closes, returns, logVolumes } = history('SPY')
  const growth = (closes.at(-1)! / closes[0]!) ** (YEAR / days) - 1
  return [
    statistic('SPY: growth a year', growth, 0.05, 0.11),
    statistic('SPY: volatility a year', math.deviation(returns) * Math.sqrt(YEAR), 0.12, 0.2),
    statistic('SPY: kurtosis', math.kurtosis(returns), 6, 15),
    statistic('SPY: skew', math.skew(returns), -0.6, 0),
    statistic(
      'SPY: autocorrelation of absolute returns, one day',
      math.autocorrelation(returns.map(Math.abs), 1),
      0.15,
      0.4,
    ),
    statistic('SPY: autocorrelation of log volume, one day', math.autocorrelation(logVolumes, 1), 0.5, 0.7),
    statistic(
      'SPY: return of a day and absolute return of the next',
      math.correlation(returns.slice(0, -1), returns.slice(1).map(Math.abs)),
      -0.3,
      0,
    ),
  ]
}

/** The volume of a cryptocurrency on a weekend day, divided by its volume on a weekday. */
function cryptoStatistic(market: Tapes, { days }: Scope): Statistic {
  const tape = tapeOf(market, 'BTC/USD')
  const last = dayOf('2026-11-13' as CivilDate)
  const volumes: [number[], number[]] = [[], []]
  for (let day = last - days; day <= last; day++) {
    const weekday = (day + 4) % 7
    volumes[weekday === 0 || weekday === 6 ? 1 : 0].push(tape.day(day, END)!.volume)
  }
  return statistic('BTC/USD: volume of weekends', math.mean(volumes[1]) / math.mean(volumes[0]), 0.55, 0.65)
}

/** The shares of the opening and closing auction in the volume of a session. */
function auctionStatistics(market: Tapes, { sessions }: Scope): Statistic[] {
  return ['AAPL', 'VOO'].flatMap((symbol) => {
    const tape = tapeOf(market, symbol)
    const shares = lastDays(sessions).map((day) => {
      const [open, close] = [minuteIn('newYork', day, 570), minuteIn('newYork', day, 960)]
      const { priced } = tape.day(day, END)!
      return [tape.next(open - 1, close)!.size / priced, tape.last(close - 1)!.size / priced] as const
    })
    const [opening, closing] = [shares.map(([first]) => first), shares.map(([, last]) => last)]
    return [
      statistic(`${symbol}: smallest share of an opening auction`, Math.min(...opening), 0.01, 0.02),
      statistic(`${symbol}: largest share of an opening auction`, Math.max(...opening), 0.01, 0.02),
      statistic(`${symbol}: smallest share of a closing auction`, Math.min(...closing), 0.05, 0.08),
      statistic(`${symbol}: largest share of a closing auction`, Math.max(...closing), 0.05, 0.08),
    ]
  })
}
