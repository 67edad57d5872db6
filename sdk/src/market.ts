import type { Bar, Call, CallOptions, Candles, Client } from './contract.ts'
import { ApiError } from './errors.ts'

type Fields = Omit<Call<'stockBars'>['query'], 'symbols' | 'page_token' | 'limit'>

/** The bars to read. Pages are read as they are needed. */
export type BarsQuery = Fields & {
  /** One symbol or several, all stocks or all crypto. */
  readonly symbols: string | readonly string[]
  /** Maximum number of bars. Default: all. */
  readonly limit?: number | undefined
  /** Number of bars per request, at most 10000. */
  readonly pageSize?: number | undefined
}

export type SymbolBar = Bar & { readonly symbol: string }
/** A block of candles of one symbol, as columns for a chart. */
export type SymbolCandles = Candles & { readonly symbol: string }

const PAGE_SIZE = 10_000
const LOCATION = 'us'

export const isCrypto = (symbol: string): boolean => symbol.includes('/')

/** The price of the last trade. */
export async function latestPrice(client: Client, symbol: string, options?: CallOptions): Promise<number> {
  if (!isCrypto(symbol)) {
    const { trade } = await client.stockLatestTradeSingle({ params: { symbol } }, options)
    return priceOf(trade, symbol)
  }
  const query = { symbols: [symbol] }
  const { trades } = await client.cryptoLatestTrades({ params: { loc: LOCATION }, query }, options)
  return priceOf(trades[symbol], symbol)
}

function priceOf(trade: { readonly p: number } | undefined, symbol: string): number {
  if (trade === undefined) throw new ApiError({ status: 404, message: `no trade found for ${symbol}` })
  return trade.p
}

type Page<Block> = {
  readonly blocks: Readonly<Record<string, Block>>
  readonly next: string | null
}

/** The bars of all pages: all bars of the first symbol in the order of the alphabet, then of the next. */
export async function* bars(
  client: Client,
  query: BarsQuery,
  options?: CallOptions,
): AsyncGenerator<SymbolBar, undefined> {
  const pages = pagesOf(query, async (call) => {
    const page = isCrypto(call.query.symbols[0] ?? '')
      ? await client.cryptoBars(call, options)
      : await client.stockBars(call, options)
    return { blocks: page.bars, next: page.next_page_token }
  })
  let left = query.limit ?? Number.POSITIVE_INFINITY
  for await (const blocks of pages)
    for (const [symbol, some] of Object.entries<readonly Bar[]>(blocks))
      for (const bar of some) {
        if (left-- <= 0) return undefined
        yield { symbol, ...bar }
      }
  return undefined
}

/** The candles of all pages, one block per symbol and page. */
export async function* candles(
  client: Client,
  query: Omit<BarsQuery, 'limit'>,
  options?: CallOptions,
): AsyncGenerator<SymbolCandles, undefined> {
  const pages = pagesOf(query, async (call) => {
    const page = isCrypto(call.query.symbols[0] ?? '')
      ? await client.cryptoCandles(call, options)
      : await client.stockCandles(call, options)
    return { blocks: page.candles, next: page.next_page_token }
  })
  for await (const blocks of pages)
    for (const [symbol, block] of Object.entries<Candles>(blocks))
      if (block.time.length > 0) yield { symbol, ...block }
  return undefined
}

type PageCall = {
  readonly params: { readonly loc: typeof LOCATION }
  readonly query: Fields & {
    readonly symbols: readonly string[]
    readonly limit: number
    readonly page_token: string | undefined
  }
}

async function* pagesOf<Block>(
  { symbols, limit, pageSize = PAGE_SIZE, ...fields }: BarsQuery,
  read: (call: PageCall) => Promise<Page<Block>>,
): AsyncGenerator<Readonly<Record<string, Block>>, undefined> {
  const named = typeof symbols === 'string' ? symbols.split(',') : symbols
  if (named.length === 0) throw new TypeError('symbols: expected at least one symbol')
  if (new Set(named.map(isCrypto)).size > 1)
    throw new TypeError('symbols: expected only stocks or only crypto, received both')
  let token: string | undefined
  do {
    const query = {
      ...fields,
      symbols: named,
      limit: Math.min(pageSize, limit ?? pageSize),
      page_token: token,
    }
    const { blocks, next } = await read({ params: { loc: LOCATION }, query })
    yield blocks
    token = next ?? undefined
  } while (token !== undefined)
  return undefined
}
