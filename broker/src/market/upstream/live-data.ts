import {
  type AssetClass,
  type BookLevel,
  isPair,
  type Price,
  type Quantity,
  type QuoteBook,
  type Ticker,
} from '@quipu/core'
import type { Log } from '../../log/log.ts'
import type { LiveMarket } from '../live.ts'
import type { News } from '../news.ts'
import type { History } from './history.ts'
import type { Latest } from './latest.ts'
import { LivePrices } from './live-prices.ts'
import { ProviderStream } from './provider-stream.ts'
import { type StreamsFrom, termsSource, type UpstreamTerms } from './terms.ts'

export type LiveDataParts = {
  readonly terms: UpstreamTerms
  readonly history: History
  readonly latest: Latest
  readonly streamsFrom: StreamsFrom
  readonly log: Log
}

export type LiveData = {
  readonly board: LivePrices
  readonly live: LiveMarket
  readonly streams: Readonly<Record<AssetClass, ProviderStream>>
}

/** The provider's streams: one per asset class, and the prices and order books that they update. */
export function openLiveData({ terms, history, latest, streamsFrom, log }: LiveDataParts): LiveData {
  const books = new OrderBooks()
  const { symbolsMax } = terms
  const classOf = (symbol: Ticker): AssetClass => (isPair(symbol) ? 'crypto' : 'usEquity')
  const streamOf = (symbol: Ticker) => streams[classOf(symbol)]
  const board: LivePrices = new LivePrices({ latest, streamOf, symbolsMax, log, now: Date.now })
  const openStream = (of: AssetClass, path: string) =>
    new ProviderStream({
      source: () => termsSource(terms, path, streamsFrom(of)),
      terms,
      history,
      first: (news) => {
        board.onNews(news)
        books.onNews(news)
      },
      book: (symbol) => books.whole(symbol)?.book,
      onLess: () => books.keepOnly((symbol) => streams.crypto.follows('orderbooks', symbol)),
      onUp: () => board.refresh((symbol) => classOf(symbol) === of),
      log,
    })
  const streams = {
    usEquity: openStream('usEquity', `/v2/${terms.feed}`),
    crypto: openStream('crypto', `/v1beta3/crypto/${terms.crypto}`),
  } as const satisfies Record<AssetClass, ProviderStream>
  return { board, live: liveOf(board, books, streams), streams }
}

const liveOf = (
  board: LivePrices,
  books: OrderBooks,
  streams: Readonly<Record<AssetClass, ProviderStream>>,
): LiveMarket => ({
  follow: ({ class: of, channel, symbol }, onNews) => streams[of].follow(channel, symbol, onNews),
  watch: (symbol, changed) => board.watch(symbol, changed),
  waitForPrice: (symbol) => board.waitForPrice(symbol),
  book: (symbol) => books.whole(symbol),
})

type Side = Map<Price, Quantity>
type StoredBook = { at: QuoteBook['at']; readonly bids: Side; readonly asks: Side }

/** The followed order books, updated by changes. A new follower gets the whole book. */
export class OrderBooks {
  readonly #books = new Map<Ticker, StoredBook>()

  onNews(news: News): void {
    if (news.channel !== 'orderbooks') return
    const { symbol, book, isWhole } = news
    const known = isWhole ? undefined : this.#books.get(symbol)
    if (!known && !isWhole) return
    const stored = known ?? { at: book.at, bids: new Map(), asks: new Map() }
    stored.at = book.at
    change(stored.bids, book.bids)
    change(stored.asks, book.asks)
    this.#books.set(symbol, stored)
  }

  whole(symbol: Ticker): (News & { readonly channel: 'orderbooks' }) | undefined {
    const stored = this.#books.get(symbol)
    if (!stored) return undefined
    const bids = levelsOf(stored.bids).sort((one, other) => (one.price > other.price ? -1 : 1))
    const asks = levelsOf(stored.asks).sort((one, other) => (one.price < other.price ? -1 : 1))
    return { channel: 'orderbooks', symbol, book: { at: stored.at, bids, asks }, isWhole: true }
  }

  /** Drops books without followers, because they receive no more changes. */
  keepOnly(isFollowed: (symbol: Ticker) => boolean): void {
    for (const symbol of this.#books.keys()) if (!isFollowed(symbol)) this.#books.delete(symbol)
  }
}

function change(side: Side, levels: readonly BookLevel[]): void {
  for (const { price, size } of levels)
    if (size === 0n) side.delete(price)
    else side.set(price, size)
}

const levelsOf = (side: Side): BookLevel[] => [...side].map(([price, size]) => ({ price, size }))
