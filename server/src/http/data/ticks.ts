import type { HistoryList } from '../../history/lists.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { prebuiltOnce } from '../prebuilt.ts'
import { historyPage, type ListQuery, type Symbols } from './pages.ts'
import { quoteConditions, tickExchanges, tradeConditions } from './tick-codes.table.ts'

const trades = { kind: 'trades', class: 'usEquity' } as const
const quotes = { kind: 'quotes', class: 'usEquity' } as const
const auctions = { kind: 'auctions', class: 'usEquity' } as const
const cryptoTrades = { kind: 'trades', class: 'crypto' } as const
const cryptoQuotes = { kind: 'quotes', class: 'crypto' } as const

export const tickHandlers = {
  stockTrades: ({ query }, context) => page(context, query, query.symbols, trades),
  stockTradeSingle: ({ params: { symbol }, query }, context) => page(context, query, symbol, trades),
  stockQuotes: ({ query }, context) => page(context, query, query.symbols, quotes),
  stockQuoteSingle: ({ params: { symbol }, query }, context) => page(context, query, symbol, quotes),
  cryptoTrades: ({ query }, context) => page(context, query, query.symbols, cryptoTrades),
  cryptoQuotes: ({ query }, context) => page(context, query, query.symbols, cryptoQuotes),
  stockAuctions: ({ query }, context) => page(context, query, query.symbols, auctions),
  stockAuctionSingle: ({ params: { symbol }, query }, context) => page(context, query, symbol, auctions),

  stockMetaConditions: ({ params: { ticktype }, query: { tape } }) =>
    (ticktype === 'trade' ? tradeConditions : quoteConditions)[tape],
  stockMetaExchanges: () => tickExchanges,
} satisfies SomeHandlers

const page = async <Output>(
  context: Context,
  query: ListQuery,
  symbols: Symbols,
  list: HistoryList,
): Promise<Output> => prebuiltOnce(await historyPage(context, symbols, query, list))
