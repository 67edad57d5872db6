import type { AssetClass, Book, BookLevel, Price, Quantity, Ticker } from '@quipu/core'
import type { Log } from '../../process/log.ts'
import type { LiveMarket } from '../live.ts'
import type { News } from '../news.ts'
import type { History } from './history.ts'
import type { Latest } from './latest.ts'
import { LivePrices } from './live-prices.ts'
import { ProviderStream } from './provider-stream.ts'
import { classOf } from './symbol-class.ts'
import { streamUrlOf, type UpstreamTerms } from './terms.ts'

export type LiveDataParts = {
  readonly terms: UpstreamTerms
  readonly history: History
  readonly latest: Latest
  readonly log: Log
}

export type LiveData = { readonly board: LivePrices; readonly live: LiveMarket; close(): void }

/** The provider's streams: one per asset class, and the prices and order books that they update. */
export function openLiveData({ terms, history, latest, log }: LiveDataParts): LiveData {
  const books = new OrderBooks()
  const { symbolsMax } = terms
  const streamOf = (symbol: string) => lines[classOf(symbol)]
  const board: LivePrices = new LivePrices({ latest, streamOf, symbolsMax, log, now: Date.now })
  const lineAt = (of: AssetClass, path: string) =>
    new ProviderStream({
      url: streamUrlOf(terms) + path,
      terms,
      history,
      first: (news) => {
        board.onNews(news)
        books.told(news)
      },
      onUp: () => board.refresh((symbol) => classOf(symbol) === of),
      log,
    })
  const lines = {
    usEquity: lineAt('usEquity', `/v2/${terms.feed}`),
    crypto: lineAt('crypto', `/v1beta3/crypto/${terms.crypto}`),
  } as const satisfies Record<AssetClass, ProviderStream>
  const close = () => {
    for (const line of Object.values(lines)) line.close()
  }
  return { board, live: liveOf(board, books, lines), close }
}

const liveOf = (
  board: LivePrices,
  books: OrderBooks,
  lines: Readonly<Record<AssetClass, ProviderStream>>,
): LiveMarket => ({
  follow: ({ class: of, channel, symbol }, tell) => {
    const over = lines[of].follow(channel, symbol, tell)
    if (channel !== 'orderbooks') return over
    return () => {
      over()
      books.keepOnly((one) => lines.crypto.follows('orderbooks', one))
    }
  },
  watch: (symbol, changed) => board.watch(symbol, changed),
  priced: (symbol) => board.priced(symbol),
  book: (symbol) => books.whole(symbol),
})

type Side = Map<Price, Quantity>
type StoredBook = { at: Book['at']; readonly bids: Side; readonly asks: Side }

/** The followed order books, updated by changes. A new follower gets the whole book. */
export class OrderBooks {
  readonly #books = new Map<Ticker, StoredBook>()

  told(news: News): void {
    if (news.channel !== 'orderbooks') return
    const { symbol, book, isWhole } = news
    const known = isWhole ? undefined : this.#books.get(symbol)
    if (!known && !isWhole) return
    const kept = known ?? { at: book.at, bids: new Map(), asks: new Map() }
    kept.at = book.at
    change(kept.bids, book.bids)
    change(kept.asks, book.asks)
    this.#books.set(symbol, kept)
  }

  whole(symbol: Ticker): (News & { readonly channel: 'orderbooks' }) | undefined {
    const kept = this.#books.get(symbol)
    if (!kept) return undefined
    const bids = levelsOf(kept.bids).sort((one, other) => (one.price > other.price ? -1 : 1))
    const asks = levelsOf(kept.asks).sort((one, other) => (one.price < other.price ? -1 : 1))
    return { channel: 'orderbooks', symbol, book: { at: kept.at, bids, asks }, isWhole: true }
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
