import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { DailyAuctionsRecord } from '@quipu/contract'
import type { Auction, DailyAuctions, Instant, QuoteTick, Ticker } from '@quipu/core'
import { formatInstant, lastOf, unreachable } from '@quipu/core/values'
import { barListJson, barMapJson } from '../wire/bar-json.ts'
import {
  cryptoQuoteToWire,
  cryptoTradeToWire,
  pageEnd,
  quoteToWire,
  toNumber,
  tradeToWire,
} from '../wire/market-data-wire.ts'
import {
  auctions,
  type BarList,
  barList,
  type HistoryList,
  type HistorySource,
  type ListKind,
  type Pieces,
  quotes,
  trades,
} from './lists.ts'
import { pageToken } from './page-token.ts'

/** A page of market history: plain data, because a thread may read the page. */
export type PageQuery = {
  readonly list: HistoryList
  /** In the order of the page. */
  readonly symbols: readonly SymbolQuery[]
  readonly to: Instant
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  /** How many items all symbols together may have. */
  readonly limit: number
  /** The page is the list of this one symbol. Default: lists by symbol. */
  readonly single?: string | undefined
  readonly currency?: string | undefined
}

export type SymbolQuery = {
  /** As the request names it. */
  readonly name: Ticker
  /** As the market names it. */
  readonly symbol: Ticker
  readonly from: Instant
  /** The position of the last item of the previous page. */
  readonly after?: unknown
}

/** Reads one page and returns the bytes of its JSON. Pauses before each symbol. */
export async function readPage(source: HistorySource, query: PageQuery): Promise<Uint8Array<ArrayBuffer>> {
  const { list } = query
  switch (list.kind) {
    case 'bars':
      return barsJson(list, await pageOf(source, query, barList(list)), query)
    case 'trades':
      return recordsJson(await pageOf(source, query, trades), query, (items) =>
        list.class === 'crypto' ? items.map(cryptoTradeToWire) : items.map(tradeToWire),
      )
    case 'quotes':
      return recordsJson(await pageOf(source, query, quotes), query, (items, name) =>
        list.class === 'crypto' ? items.map(cryptoQuoteToWire) : quotesToWire(source, name, items),
      )
    case 'auctions':
      return recordsJson(await pageOf(source, query, auctions), query, (days) => days.map(dayToWire))
    default:
      return unreachable(list)
  }
}

/** Items by symbol, without symbols that have none, and the token of the next page. */
type Page<Items> = { readonly items: ReadonlyMap<Ticker, Items>; readonly next: string | null }

/**
 * All items of the first symbol, then of the next one. Reads one item more than the limit to know whether there is a
 * next page.
 */
async function pageOf<Items, Position>(
  source: HistorySource,
  { symbols, to, now, sort, limit }: PageQuery,
  kind: ListKind<Items, Position>,
): Promise<Page<Items>> {
  const items = new Map<Ticker, Items>()
  let rest = limit
  for (const { name, symbol, from, after } of symbols) {
    await pauseWork()
    const query = { symbol, from, to, now, sort, limit: rest + 1 }
    const position = after === undefined ? {} : { after: after as Position }
    const found = await kind.readItems(source, { ...query, ...position })
    const count = kind.countOf(found)
    if (count > 0 && rest > 0) items.set(name, kind.firstOf(found, rest))
    if (count > rest) return { items, next: tokenAfter(items, kind) }
    rest -= count
  }
  return { items, next: null }
}

function tokenAfter<Items, Position>(
  items: ReadonlyMap<Ticker, Items>,
  kind: ListKind<Items, Position>,
): string {
  const [symbol, last] = lastOf([...items])
  return pageToken({ symbol, position: kind.lastPosition(last) }, kind)
}

function barsJson(
  { form }: BarList,
  { items, next }: Page<Pieces>,
  query: PageQuery,
): Uint8Array<ArrayBuffer> {
  const { single, currency } = query
  const end = `,${JSON.stringify(pageEnd(next, currency)).slice(1)}`
  const parts = [...items].map(([symbol, pieces]) => ({ symbol, pieces }))
  if (single === undefined) return barMapJson(`{"${form}":`, form, parts, end)
  const start = `{"symbol":${JSON.stringify(single)},"bars":`
  const [part] = parts
  return part ? barListJson(start, part, end) : bytesOf(`${start}[]${end}`)
}

function recordsJson<Item>(
  { items, next }: Page<readonly Item[]>,
  { list, single, currency }: PageQuery,
  toWire: (items: readonly Item[], name: Ticker) => readonly unknown[],
): Uint8Array<ArrayBuffer> {
  const lists = [...items].map(([name, some]) => [name, toWire(some, name)] as const)
  const found = single === undefined ? Object.fromEntries(lists) : (lists[0]?.[1] ?? [])
  const page = { symbol: single, [list.kind]: found, ...pageEnd(next, currency) }
  return bytesOf(JSON.stringify(page))
}

const encoder = new TextEncoder()

/** Bytes that share no memory with others, so a thread can transfer them. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

function quotesToWire({ market }: HistorySource, name: Ticker, items: readonly QuoteTick[]) {
  const asset = market.assets().get(name)
  return asset ? items.map((quote) => quoteToWire(quote, asset)) : []
}

const dayToWire = ({ date, open, close }: DailyAuctions): DailyAuctionsRecord => ({
  d: date,
  o: open.map(auctionToWire),
  c: close.map(auctionToWire),
})

const auctionToWire = ({ at, exchange, price, size, condition }: Auction) => ({
  t: formatInstant(at),
  x: exchange,
  p: toNumber(price),
  s: toNumber(size),
  c: condition,
})
