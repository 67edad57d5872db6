import { blockOf, type Estimate, estimateOf } from './bootstrap.ts'
import { costsOf, type RunCosts, tradedValue } from './costs.ts'
import { drawdownOf } from './figures.ts'
import { deviationOf, meanOf, sumOf } from './numbers.ts'
import type { RunEquity, RunFill, RunPrice } from './run-file.ts'
import { type RunTrade, tradesOf } from './trades.ts'

/** Figures of a run. Those of days are from closing values; shares are fractions. */
export type RunStatistics = {
  /** Number of daily returns. */
  readonly days: number
  /** Growth of the equity without transfers. */
  readonly totalReturn: number
  readonly maxDrawdown: number
  /** Absent below 20 days, as the figures of `DayFigures`. */
  readonly daily?: DayFigures
  /** By month, `2025-01`, the first one first. */
  readonly months: readonly { readonly month: string; readonly value: number }[]
  /** Trades that were closed. */
  readonly closed: number
  /** Absent without closed trades. */
  readonly trades?: TradeFigures
  /** Share of the days at whose close something was held, and the mean of the value held, as a fraction of the equity. */
  readonly exposure?: { readonly time: number; readonly mean: number }
  /** The value that was traded, in mean equities. */
  readonly turnover: number
  readonly costs: RunCosts
}

/** Annualized with 252 days, with an interest rate of zero. */
export type DayFigures = {
  readonly annualReturn: number
  readonly volatility: number
  /** Absent if all returns are equal. */
  readonly sharpe?: Estimate
  /** Absent without a loss. */
  readonly sortino?: Estimate
  readonly calmar?: Estimate
}

export type TradeFigures = {
  readonly won: number
  readonly winRate: Estimate
  /** Gains over losses. Absent without a loss. */
  readonly profitFactor?: Estimate
  /** Absent without a gain. */
  readonly meanWin?: number
  /** Absent without a loss. */
  readonly meanLoss?: number
  readonly meanHoldingMs: number
}

const DAYS_MIN = 20
const DAYS_PER_YEAR = 252
/** Sums of fractional shares may not be exactly zero. */
const NOTHING = 1e-9

/** What the figures are computed from. `fees`: all that the account paid. */
export type StatisticsInput = {
  readonly equity: readonly RunEquity[]
  readonly fill: readonly RunFill[]
  readonly price: readonly RunPrice[]
  readonly fees: number
}

export function statisticsOf({ equity, fill, price, fees }: StatisticsInput): RunStatistics {
  const closes = closesOf(equity)
  const returns = returnsOf(closes.map(({ worth }) => worth))
  const [first, last] = [equity[0], equity.at(-1)]
  const totalReturn = first && last && first.equity > 0 ? worthOf(last) / worthOf(first) - 1 : 0
  const trades = tradesOf(fill, price).filter(({ closedAt }) => closedAt !== undefined)
  const held = equity.flatMap(({ day, exposure }) => (day === undefined ? [] : (exposure ?? [])))
  const mean = equity.length === 0 ? 0 : meanOf(equity.map(worthOf))
  return {
    days: returns.length,
    totalReturn,
    maxDrawdown: deepestOf(equity.map((point) => worthOf(point))),
    ...(returns.length >= DAYS_MIN && { daily: dayFigures(returns) }),
    months: monthsOf(closes),
    closed: trades.length,
    ...(trades.length > 0 && { trades: tradeFigures(trades) }),
    ...(held.length > 0 && {
      exposure: { time: held.filter((one) => one > NOTHING).length / held.length, mean: meanOf(held) },
    }),
    turnover: mean > 0 ? tradedValue(fill) / mean : 0,
    costs: costsOf(fill, fees),
  }
}

/** The equity without the transfers since the start. */
export const worthOf = ({ equity, transfers = 0 }: RunEquity): number => equity - transfers

type Close = { readonly day: string; readonly worth: number }

/** The first value, then that at each close. */
function closesOf(equity: readonly RunEquity[]): readonly Close[] {
  const [first] = equity
  const days = equity.flatMap((point) =>
    point.day === undefined ? [] : [{ day: point.day, worth: worthOf(point) }],
  )
  return first && days.length > 0 ? [{ day: '', worth: worthOf(first) }, ...days] : []
}

const returnsOf = (values: readonly number[]): readonly number[] =>
  values.slice(1).map((value, index) => value / (values[index] ?? value) - 1)

const deepestOf = (worths: readonly number[]): number =>
  Math.max(0, ...drawdownOf(worths.map((equity) => ({ at: '', equity }))).map(({ fall }) => -fall))

function dayFigures(returns: readonly number[]): DayFigures {
  const block = blockOf(returns.length)
  const isFlat = deviationOf(returns) === 0
  const hasLoss = returns.some((one) => one < 0)
  return {
    annualReturn: annualOf(returns),
    volatility: deviationOf(returns) * Math.sqrt(DAYS_PER_YEAR),
    ...(!isFlat && { sharpe: estimateOf(returns, sharpeOf, block) }),
    ...(hasLoss && {
      sortino: estimateOf(returns, sortinoOf, block),
      calmar: estimateOf(returns, calmarOf, block),
    }),
  }
}

const growthOf = (returns: readonly number[]): number =>
  returns.reduce((growth, one) => growth * (1 + one), 1)

const annualOf = (returns: readonly number[]): number =>
  growthOf(returns) ** (DAYS_PER_YEAR / returns.length) - 1

const sharpeOf = (returns: readonly number[]): number =>
  (meanOf(returns) / deviationOf(returns)) * Math.sqrt(DAYS_PER_YEAR)

const sortinoOf = (returns: readonly number[]): number =>
  (meanOf(returns) / Math.sqrt(meanOf(returns.map((one) => Math.min(one, 0) ** 2)))) *
  Math.sqrt(DAYS_PER_YEAR)

const calmarOf = (returns: readonly number[]): number => {
  let worth = 1
  const fall = deepestOf([1, ...returns.map((one) => (worth *= 1 + one))])
  return annualOf(returns) / fall
}

function monthsOf(closes: readonly Close[]): RunStatistics['months'] {
  const ends = new Map<string, number>()
  for (const { day, worth } of closes) if (day !== '') ends.set(day.slice(0, 7), worth)
  let before = closes[0]?.worth ?? 0
  return [...ends].map(([month, worth]) => {
    const value = before > 0 ? worth / before - 1 : 0
    before = worth
    return { month, value }
  })
}

function tradeFigures(trades: readonly RunTrade[]): TradeFigures {
  const profits = trades.map(({ profit = 0 }) => profit)
  const [wins, losses] = [profits.filter((one) => one > 0), profits.filter((one) => one < 0)]
  const held = trades.map(({ openedAt, closedAt = openedAt }) => Date.parse(closedAt) - Date.parse(openedAt))
  return {
    won: wins.length,
    winRate: estimateOf(profits, (some) => some.filter((one) => one > 0).length / some.length),
    ...(losses.length > 0 && { profitFactor: estimateOf(profits, factorOf) }),
    ...(wins.length > 0 && { meanWin: meanOf(wins) }),
    ...(losses.length > 0 && { meanLoss: meanOf(losses) }),
    meanHoldingMs: meanOf(held),
  }
}

/** 0 / 0 of a sample that neither won nor lost is no number, and is left out. */
const factorOf = (profits: readonly number[]): number =>
  sumOf(profits.map((one) => Math.max(one, 0))) / sumOf(profits.map((one) => Math.max(-one, 0)))
