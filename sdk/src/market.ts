import type { Call, CallOptions, Client } from './contract.ts'
import { NotFoundError } from './errors.ts'
import { type Bar, barOf, type Candles, columns, type WireBar, type WireCandles } from './records/records.ts'

type Below<Max extends number, List extends number[] = []> = List['length'] extends Max
  ? Exclude<List[number], 0>
  : Below<Max, [...List, List['length']]>

/** The interval of a bar: `1Min` to `59Min`, `1Hour` to `23Hour`, `1Day`, `1Week`, and 1, 2, 3, 4, 6 or 12 `Month`. */
export type TimeframeName =
  | `${Below<60>}${'Min' | 'T'}`
  | `${Below<24>}${'Hour' | 'H'}`
  | `1${'Day' | 'D' | 'Week' | 'W'}`
  | `${1 | 2 | 3 | 4 | 6 | 12}${'Month' | 'M'}`

type Fields = Omit<
  Call<'stockBars'>['query'],
  'symbols' | 'page_token' | 'limit' | 'timeframe' | 'start' | 'end'
>

/** The bars to read. Pages are read as they are needed. */
export type BarsQuery = Fields & {
  /** One symbol or several, all stocks or all crypto. */
  readonly symbols: string | readonly string[]
  readonly timeframe: TimeframeName
  /** Inclusive. Default: start of the current day. A date such as `2026-01-31` is a day in New York, of crypto in UTC. */
  readonly start?: string | Date | undefined
  /** Inclusive. Default: now. */
  readonly end?: string | Date | undefined
  /** Maximum number of bars. Default: all. */
  readonly limit?: number | undefined
  /** Number of bars per request, at most 10000. */
  readonly pageSize?: number | undefined
}

const PAGE_SIZE = 10_000
const LOCATION = 'us'

export const isCrypto = (symbol: string): boolean => symbol.includes('/')

/** The price of the last trade, or undefined if there is none. */
export async function latestPrice(
  client: Client,
  symbol: string,
  options?: CallOptions,
): Promise<number | undefined> {
  if (isCrypto(symbol)) {
    const query = { symbols: [symbol] }
    const { trades } = await client.cryptoLatestTrades({ params: { loc: LOCATION }, query }, options)
    return trades[symbol]?.p
  }
  return client.stockLatestTradeSingle({ params: { symbol } }, options).then(
    ({ trade }) => trade?.p,
    (error) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    },
  )
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
): AsyncGenerator<Bar, undefined> {
  const pages = pagesOf(query, async (call) => {
    const page = isCrypto(call.query.symbols[0] ?? '')
      ? await client.cryptoBars(call, options)
      : await client.stockBars(call, options)
    return { blocks: page.bars, next: page.next_page_token }
  })
  let left = query.limit ?? Number.POSITIVE_INFINITY
  for await (const blocks of pages)
    for (const [symbol, some] of Object.entries<readonly WireBar[]>(blocks))
      for (const bar of some) {
        if (left-- <= 0) return undefined
        yield barOf(symbol, bar)
      }
  return undefined
}

/** The candles of all pages: one record for each symbol of the query. A symbol without bars has empty columns. */
export async function candles(
  client: Client,
  query: Omit<BarsQuery, 'limit'>,
  options?: CallOptions,
): Promise<Readonly<Record<string, Candles>>> {
  const pages = pagesOf(query, async (call) => {
    const page = isCrypto(call.query.symbols[0] ?? '')
      ? await client.cryptoCandles(call, options)
      : await client.stockCandles(call, options)
    return { blocks: page.candles, next: page.next_page_token }
  })
  const records: Record<string, CandleColumns> = {}
  for (const symbol of symbolsOf(query)) records[symbol] = emptyColumns(symbol)
  for await (const blocks of pages)
    for (const [symbol, block] of Object.entries<WireCandles>(blocks)) {
      const record = (records[symbol] ??= emptyColumns(symbol))
      for (const column of columns) for (const value of block[column]) record[column].push(value)
    }
  return records
}

type CandleColumns = { readonly symbol: string } & Record<(typeof columns)[number], number[]>
const emptyColumns = (symbol: string): CandleColumns => ({
  symbol,
  time: [],
  open: [],
  high: [],
  low: [],
  close: [],
  volume: [],
})

type PageCall = {
  readonly params: { readonly loc: typeof LOCATION }
  readonly query: Fields & {
    readonly symbols: readonly string[]
    readonly timeframe: string
    readonly limit: number
    readonly page_token: string | undefined
  }
}

const symbolsOf = ({ symbols }: Pick<BarsQuery, 'symbols'>): readonly string[] =>
  typeof symbols === 'string' ? symbols.split(',').map((symbol) => symbol.trim()) : symbols

async function* pagesOf<Block>(
  { symbols, limit, pageSize = PAGE_SIZE, ...fields }: BarsQuery,
  read: (call: PageCall) => Promise<Page<Block>>,
): AsyncGenerator<Readonly<Record<string, Block>>, undefined> {
  const named = symbolsOf({ symbols })
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
    const { blocks, next } = await read({ params: { loc: LOCATION }, query } as PageCall)
    yield blocks
    token = next ?? undefined
  } while (token !== undefined)
  return undefined
}
