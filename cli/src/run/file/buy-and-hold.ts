import type { Client } from '@quipu/sdk'
import type { RunEquity, RunPrice } from '@quipu/sdk/runs'
import type { Fill } from '../report/measure.ts'
import type { EquityPoint } from '../report/statistics.ts'

const DAY_MS = 86_400_000
const PAGE = 10_000

/** The symbol that was traded most, by the value of its fills. */
export function mostTraded(fills: readonly Fill[]): string | undefined {
  const values = new Map<string, number>()
  for (const { symbol, qty, price } of fills)
    values.set(symbol, (values.get(symbol) ?? 0) + Number(qty) * Number(price))
  return [...values].sort((a, b) => b[1] - a[1])[0]?.[0]
}

/** The curve of the run, with that of buying the symbol with all the money at the first point. */
export async function withBuyAndHold(
  account: Client,
  symbol: string | undefined,
  points: readonly EquityPoint[],
): Promise<readonly RunEquity[]> {
  const [first, last] = [points[0], points.at(-1)]
  const plain = points.map(({ at, equity }) => ({ at, equity }))
  if (symbol === undefined || !first || !last) return plain
  const bars = await barsOf(account, symbol, first.at, last.at)
  if (bars.length === 0) return plain
  const prices = pricesAt(bars, points)
  const start = prices[0]
  if (start === undefined) return plain
  return points.map(({ at, equity }, index) => ({
    at,
    equity,
    hold: Math.round(((first.equity * (prices[index] ?? start)) / start) * 100) / 100,
  }))
}

type Bar = { readonly t: string; readonly o: number; readonly c: number }

async function barsOf(account: Client, symbol: string, from: string, to: string): Promise<readonly Bar[]> {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  const timeframe = days <= 5 ? '1Min' : days <= 120 ? '15Min' : '1Day'
  const query = { timeframe, start: from, end: to, limit: PAGE } as const
  if (symbol.includes('/')) {
    const { bars } = await account.cryptoBars({
      params: { loc: 'us' },
      query: { ...query, symbols: symbol },
    })
    return bars[symbol] ?? []
  }
  return (await account.stockBarSingle({ params: { symbol }, query })).bars
}

/** The last price before each point; before the first bar its opening price. */
function pricesAt(bars: readonly Bar[], points: readonly EquityPoint[]): readonly number[] {
  const times = bars.map(({ t }) => Date.parse(t))
  let next = 0
  let price = bars[0]!.o
  return points.map(({ at }) => {
    for (; next < bars.length && times[next]! < Date.parse(at); next++) price = bars[next]!.c
    return price
  })
}

/** The prices of the symbols that the account still holds. */
export async function lastPrices(account: Client): Promise<readonly RunPrice[]> {
  const positions = await account.listPositions()
  return positions.flatMap(({ symbol, current_price: price }) =>
    price === null || price === undefined ? [] : [{ symbol, price: Number(price) }],
  )
}
