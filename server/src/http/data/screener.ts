import { adjustedColumns } from '@quipu/broker/market/adjusted-bars.ts'
import { inSlices } from '@quipu/broker/market/slices.ts'
import type { World } from '@quipu/broker/world/world.ts'
import {
  type AssetClass,
  type Bar,
  barsOfColumns,
  EPOCH,
  earlier,
  formatInstant,
  type Instant,
  MINUTE,
  type Ticker,
} from '@quipu/core'
import type { Context, SomeHandlers } from '../context.ts'
import { LOOK_BACK_NS } from './latest.ts'
import { worldOf } from './pages.ts'

/** The latest day of a symbol, and the close before it. */
type Latest = { readonly symbol: Ticker; readonly day: Bar; readonly before: number | undefined }

const CLASSES = { stocks: 'usEquity', crypto: 'crypto' } as const

/** Rankings of the current day from finished minutes; of the previous day until the first trade. */
export const screenerHandlers = {
  mostActives: async ({ query: { by, top } }, context) => {
    const { latest, updated } = await ranked(context, 'usEquity')
    const amount = ({ day }: Latest): number => (by === 'volume' ? day.volume : day.trades)
    return {
      most_actives: highest(latest, amount, top).map(({ symbol, day }) => ({
        symbol,
        volume: day.volume,
        trade_count: day.trades,
      })),
      last_updated: updated,
    }
  },
  movers: async ({ params: { market_type }, query: { top } }, context) => {
    const { latest, updated } = await ranked(context, CLASSES[market_type])
    const movers = latest.flatMap((each) => moverOf(each) ?? [])
    return {
      gainers: highest(
        movers.filter(({ change }) => change > 0),
        (mover) => mover.percent_change,
        top,
      ),
      losers: highest(
        movers.filter(({ change }) => change < 0),
        (mover) => -mover.percent_change,
        top,
      ),
      market_type,
      last_updated: updated,
    }
  },
} satisfies SomeHandlers

/** Symbols with the same amount are in the order of their names. */
const highest = <Item extends { readonly symbol: string }>(
  items: readonly Item[],
  amount: (item: Item) => number,
  top: number,
): readonly Item[] =>
  items.toSorted((a, b) => amount(b) - amount(a) || (a.symbol < b.symbol ? -1 : 1)).slice(0, top)

function moverOf({ symbol, day, before }: Latest) {
  if (!before) return undefined
  const change = rounded(day.close - before)
  return { symbol, price: day.close, change, percent_change: rounded((100 * change) / before, 100) }
}

const rounded = (value: number, parts = 1_000_000): number => Math.round(value * parts) / parts

/** The latest day of every symbol that has traded on it. */
async function ranked(context: Context, wanted: AssetClass) {
  const world = worldOf(context, {})
  const now = world.clock.now()
  const assets = [...world.market.assets().values()].filter((asset) => asset.class === wanted)
  const found = await inSlices(assets, async ({ symbol }) => latestOf(world, symbol, now), SYMBOLS_MAX)
  const days = found.flatMap((each) => each ?? [])
  const start = days.reduce((last, { day }) => (day.start > last ? day.start : last), EPOCH)
  return {
    latest: days.filter(({ day }) => day.start === start),
    updated: formatInstant(earlier(now, now % MINUTE)),
  }
}

/** Symbols per batch: the bar of the current day is built from minutes in some tenths of a millisecond. */
const SYMBOLS_MAX = 20

async function latestOf({ market, view }: World, symbol: Ticker, now: Instant): Promise<Latest | undefined> {
  const query = {
    symbol,
    frame: { unit: 'day', count: 1 },
    from: earlier(now, LOOK_BACK_NS),
    to: now,
    now,
    sort: 'desc',
    limit: 2,
  } as const
  // Adjusted for splits, because a split is not a loss.
  const columns = await adjustedColumns(market.history, view, query, { split: true, dividend: false })
  const [day, before] = columns.flatMap(barsOfColumns)
  return day && { symbol, day, before: before?.close }
}
