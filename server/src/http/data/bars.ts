import type { Handlers, Timeframe } from '@quipu/contract'
import type { AssetClass, Bar, Frame, Instant } from '@quipu/core'
import type { Context } from '../context.ts'
import { readInstant } from './page-token.ts'
import { currencyOf, type Listed, type ListQuery, mapped, type Page, pageOf } from './pages.ts'
import { barToWire, candlesToWire } from './wire.ts'

type Names = 'stockBars' | 'stockBarSingle' | 'stockCandles' | 'cryptoBars' | 'cryptoCandles'

export const barHandlers: Handlers<Context, Names> = {
  stockBars: async ({ query }, context) => {
    const { items, next } = await barPage(context, 'usEquity', query.symbols, query)
    return { bars: mapped(items, barsToWire), next_page_token: next, ...currencyOf(query) }
  },
  stockBarSingle: async ({ params: { symbol }, query }, context) => {
    const { items, next } = await barPage(context, 'usEquity', [symbol], query)
    const bars = barsToWire(items.get(symbol) ?? [])
    return { symbol, bars, next_page_token: next, ...currencyOf(query) }
  },
  stockCandles: async ({ query }, context) => {
    const { items, next } = await barPage(context, 'usEquity', query.symbols, query)
    return { candles: mapped(items, candlesToWire), next_page_token: next, ...currencyOf(query) }
  },
  cryptoBars: async ({ query }, context) => {
    const { items, next } = await barPage(context, 'crypto', query.symbols, query)
    return { bars: mapped(items, barsToWire), next_page_token: next }
  },
  cryptoCandles: async ({ query }, context) => {
    const { items, next } = await barPage(context, 'crypto', query.symbols, query)
    return { candles: mapped(items, candlesToWire), next_page_token: next }
  },
}

const barsToWire = (bars: readonly Bar[]) => bars.map(barToWire)

type BarsQuery = ListQuery & { readonly timeframe: Timeframe }

const barPage = (
  context: Context,
  assetClass: AssetClass,
  symbols: readonly string[],
  query: BarsQuery,
): Promise<Page<Bar>> => pageOf(context, symbols, query, listedBars(assetClass, frameOf(query.timeframe)))

/** The place of a bar is its start. */
const listedBars = (assetClass: AssetClass, frame: Frame): Listed<Bar, Instant> => ({
  kind: `${frame.count}${frame.unit}`,
  class: assetClass,
  write: String,
  read: readInstant,
  placeOf: ({ start }) => start,
  readItems: (world, stretch) => world.market.bars({ ...stretch, frame }),
})

const frameOf = ({ unit, amount }: Timeframe): Frame => ({ unit, count: amount }) as Frame
