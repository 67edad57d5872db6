import type { DailyAuctionsRecord } from '@quipu/contract'
import {
  type AssetClass,
  type Auction,
  type CivilDate,
  type DailyAuctions,
  formatInstant,
  newYork,
  type QuoteTick,
  type TickCursor,
  type Ticker,
  type Trade,
} from '@quipu/core'
import {
  cryptoQuoteToWire,
  cryptoTradeToWire,
  quoteToWire,
  toNumber,
  tradeToWire,
} from '../../wire/market-data-wire.ts'
import type { World } from '../../world/world.ts'
import type { SomeHandlers } from '../context.ts'
import { type PositionCodec, readInstant } from './page-token.ts'
import { type ListKind, mapped, pageOf, recordsBy } from './pages.ts'
import { exchanges, quoteConditions, tradeConditions } from './tick-codes.table.ts'

export const tickHandlers = {
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

  stockAuctions: async ({ query }, context) => {
    const { items, next } = await pageOf(context, query.symbols, query, auctions)
    return { auctions: mapped(items, daysToWire), next_page_token: next, currency: query.currency }
  },
  stockAuctionSingle: async ({ params: { symbol }, query }, context) => {
    const { items, next } = await pageOf(context, [symbol], query, auctions)
    const days = daysToWire(items.get(symbol) ?? [])
    return { symbol, auctions: days, next_page_token: next, currency: query.currency }
  },

  stockMetaConditions: ({ params: { ticktype }, query: { tape } }) =>
    (ticktype === 'trade' ? tradeConditions : quoteConditions)[tape],
  stockMetaExchanges: () => exchanges,
} satisfies SomeHandlers

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

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** The position of a day is its date. */
const auctions: ListKind<readonly DailyAuctions[], CivilDate> = {
  kind: 'auctions',
  class: 'usEquity',
  write: (date) => date,
  read: (text) => (DATE.test(text) ? (text as CivilDate) : undefined),
  ...recordsBy(({ date }: DailyAuctions) => date),
  readItems: (world, { from, to, ...query }) =>
    world.market.history.auctions({ ...query, from: newYork(from).date, to: newYork(to).date }),
}

const daysToWire = (days: readonly DailyAuctions[]): readonly DailyAuctionsRecord[] =>
  days.map(({ date, open, close }) => ({ d: date, o: open.map(auctionToWire), c: close.map(auctionToWire) }))

const auctionToWire = ({ at, exchange, price, size, condition }: Auction) => ({
  t: formatInstant(at),
  x: exchange,
  p: toNumber(price),
  s: toNumber(size),
  c: condition,
})
