import type { Client } from '@quipu/sdk'
import { type RunEquity, type RunPrice, signOf } from '@quipu/sdk/runs'
import type { EquityPoint } from './curve.ts'
import type { Fill } from './fills.ts'

const DAY_MS = 86_400_000
const PAGE = 10_000
/** Each symbol is a request for its bars. */
const SYMBOLS_MAX = 30
/** What the market as a whole did. */
const MARKET = 'SPY'

/** The symbols that were traded, the one with the largest value first. */
export function tradedSymbols(fills: readonly Fill[]): readonly string[] {
  const values = new Map<string, number>()
  for (const { symbol, qty, price } of fills)
    values.set(symbol, (values.get(symbol) ?? 0) + Number(qty) * Number(price))
  return [...values].sort((a, b) => b[1] - a[1]).map(([symbol]) => symbol)
}

/** A position at the end of the run, with its last price. */
export type HeldPosition = RunPrice & { readonly qty: number }

export async function heldBy(account: Client): Promise<readonly HeldPosition[]> {
  const positions = await account.listPositions()
  return positions.flatMap(({ symbol, qty, current_price: price }) =>
    price === null || price === undefined ? [] : [{ symbol, qty: Number(qty), price: Number(price) }],
  )
}

/** The curve with its transfers since the start. */
export function withTransfers(points: readonly EquityPoint[]): readonly RunEquity[] {
  const [first] = points
  return points.map(({ at, equity, gain, day }) => {
    const transfers = first ? cents(equity - gain - (first.equity - first.gain)) : 0
    return { at, equity, ...(transfers !== 0 && { transfers }), ...(day !== undefined && { day }) }
  })
}

/**
 * The curve with what the same money would be worth in the traded symbols, in equal parts, and in the whole market, and with
 * the part of the equity that was invested.
 */
export async function withHoldings(
  account: Client,
  points: readonly RunEquity[],
  fills: readonly Fill[],
  held: readonly HeldPosition[],
): Promise<readonly RunEquity[]> {
  const traded = tradedSymbols(fills)
  const owned = held.map(({ symbol }) => symbol)
  const wanted = [...new Set([MARKET, ...traded.slice(0, SYMBOLS_MAX), ...owned])].slice(0, 2 * SYMBOLS_MAX)
  const found = await Promise.all(
    wanted.map(async (symbol) => [symbol, await pricesAt(account, symbol, points)] as const),
  )
  const prices = new Map(found)
  const basket = traded.slice(0, SYMBOLS_MAX).flatMap((symbol) => {
    const series = prices.get(symbol)
    return series ? [series] : []
  })
  const market = prices.get(MARKET)
  const isWhole = new Set([...traded, ...owned]).size <= wanted.length
  const exposures = isWhole ? exposureAt(points, fills, held, prices) : undefined
  const money = points[0]?.equity ?? 0
  const grown = (series: readonly number[], index: number): number =>
    (series[index] ?? 0) / (series[0] ?? Number.NaN)
  return points.map((point, index) => {
    const hold = basket.reduce((sum, series) => sum + grown(series, index), 0) / basket.length
    const exposure = exposures?.[index]
    return {
      ...point,
      ...(basket.length > 0 && { hold: cents(money * hold) }),
      ...(market && { spy: cents(money * grown(market, index)) }),
      ...(exposure !== undefined && { exposure }),
    }
  })
}

const cents = (amount: number): number => Math.round(amount * 100) / 100

type Bar = { readonly t: string; readonly o: number; readonly c: number }

/** The last price of a symbol before each point, and before the first bar its opening price; undefined without bars. */
async function pricesAt(
  account: Client,
  symbol: string,
  points: readonly RunEquity[],
): Promise<readonly number[] | undefined> {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return undefined
  const bars = await barsOf(account, symbol, first.at, last.at).catch(() => [])
  const [{ o: opening } = { o: 0 }] = bars
  if (opening <= 0) return undefined
  const times = bars.map(({ t }) => Date.parse(t))
  let next = 0
  let price = opening
  return points.map(({ at }) => {
    for (; next < bars.length && times[next]! < Date.parse(at); next++) price = bars[next]!.c
    return price
  })
}

async function barsOf(account: Client, symbol: string, from: string, to: string): Promise<readonly Bar[]> {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  const timeframe = days <= 5 ? '1Min' : days <= 7 ? '5Min' : days <= 29 ? '15Min' : '1Day'
  const query = { timeframe, start: from, end: to, limit: PAGE } as const
  if (symbol.includes('/')) {
    const { bars } = await account.cryptoBars({ params: { loc: 'us' }, query: { ...query, symbols: symbol } })
    return bars[symbol] ?? []
  }
  return (await account.stockBarSingle({ params: { symbol }, query })).bars
}

/** The value of all positions at each point, long and short, as a fraction of the equity. */
function exposureAt(
  points: readonly RunEquity[],
  fills: readonly Fill[],
  held: readonly HeldPosition[],
  prices: ReadonlyMap<string, readonly number[] | undefined>,
): readonly number[] {
  const owned = new Map(held.map(({ symbol, qty }) => [symbol, qty]))
  let next = fills.length
  const latestFirst = points.map((point, index) => ({ ...point, index })).reverse()
  const exposures = latestFirst.map(({ at, equity, index }) => {
    for (; next > 0 && Date.parse(fills[next - 1]!.at) > Date.parse(at); next--) {
      const { symbol, side, qty } = fills[next - 1]!
      owned.set(symbol, (owned.get(symbol) ?? 0) - signOf(side) * Number(qty))
    }
    const values = [...owned].map(([symbol, qty]) => Math.abs(qty) * (prices.get(symbol)?.[index] ?? 0))
    return equity > 0 ? values.reduce((sum, value) => sum + value, 0) / equity : 0
  })
  return exposures.reverse()
}
