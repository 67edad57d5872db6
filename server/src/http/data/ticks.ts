import type { Handlers } from '@quipu/contract'
import type { AssetClass, QuoteTick, TickCursor, Ticker, Trade } from '@quipu/core'
import {
  cryptoQuoteToWire,
  cryptoTradeToWire,
  quoteToWire,
  tradeToWire,
} from '../../wire/market-data-wire.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'
import { type PositionCodec, readInstant } from './page-token.ts'
import { type ListKind, mapped, pageOf, recordsBy } from './pages.ts'

type Names =
  | 'stockTrades'
  | 'stockTradeSingle'
  | 'stockQuotes'
  | 'stockQuoteSingle'
  | 'cryptoTrades'
  | 'cryptoQuotes'

export const tickHandlers: Handlers<Context, Names> = {
  stockTrades: async ({ query }, context) => {
    const { items, next } = await pageOf(context, query.symbols, query, trades('usEquity'))
    return { trades: mapped(items, tradesToWire), next_page_token: next, currency: query.currency }
  },
  stockTradeSingle: async ({ params: { symbol }, query }, context) => {
    const { items, next } = await pageOf(context, [symbol], query, trades('usEquity'))
    const list = tradesToWire(items.get(symbol) ?? [])
    return { symbol, trades: list, next_page_token: next, currency: query.currency }
  },
  stockQuotes: async ({ query }, context) => {
    const { items, next } = await pageOf(context, query.symbols, query, quotes('usEquity'))
    const records = Object.fromEntries(
      [...items].map(([symbol, list]) => [symbol, quotesToWire(context.world!, symbol, list)]),
    )
    return { quotes: records, next_page_token: next, currency: query.currency }
  },
  stockQuoteSingle: async ({ params: { symbol }, query }, context) => {
    const { items, next } = await pageOf(context, [symbol], query, quotes('usEquity'))
    const list = quotesToWire(context.world!, symbol, items.get(symbol) ?? [])
    return { symbol, quotes: list, next_page_token: next, currency: query.currency }
  },
  cryptoTrades: async ({ query }, context) => {
    const { items, next } = await pageOf(context, query.symbols, query, trades('crypto'))
    return { trades: mapped(items, (list) => list.map(cryptoTradeToWire)), next_page_token: next }
  },
  cryptoQuotes: async ({ query }, context) => {
    const { items, next } = await pageOf(context, query.symbols, query, quotes('crypto'))
    return { quotes: mapped(items, (list) => list.map(cryptoQuoteToWire)), next_page_token: next }
  },
}

const tradesToWire = (list: readonly Trade[]) => list.map(tradeToWire)

function quotesToWire(world: World, symbol: string, list: readonly QuoteTick[]) {
  const asset = world.market.assets().get(symbol as Ticker)
  return asset ? list.map((quote) => quoteToWire(quote, asset)) : []
}

/** Several ticks may have the same time, so the position of a tick is its time and its id. */
const tickPositions = (kind: string): PositionCodec<TickCursor> => ({
  kind,
  write: ({ at, id }) => `${at}.${id}`,
  read: (text) => {
    const [nanos = '', digits = '', more] = text.split('.')
    const [at, id] = [readInstant(nanos), Number(digits)]
    const isRight = more === undefined && digits !== '' && Number.isSafeInteger(id)
    return at !== undefined && isRight ? { at, id } : undefined
  },
})

const positionOf = ({ at, id }: TickCursor): TickCursor => ({ at, id })

const trades = (assetClass: AssetClass): ListKind<readonly Trade[], TickCursor> => ({
  ...tickPositions('trades'),
  ...recordsBy<Trade, TickCursor>(positionOf),
  class: assetClass,
  readItems: (world, query) => world.market.history.trades(query),
})

const quotes = (assetClass: AssetClass): ListKind<readonly QuoteTick[], TickCursor> => ({
  ...tickPositions('quotes'),
  ...recordsBy<QuoteTick, TickCursor>(positionOf),
  class: assetClass,
  readItems: (world, query) => world.market.history.quotes(query),
})
