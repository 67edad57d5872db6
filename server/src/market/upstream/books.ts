import type { Book, BookLevel, Price, Quantity, Ticker } from '@quipu/core'
import type { News } from '../news.ts'

type Side = Map<Price, Quantity>
type Kept = { at: Book['at']; readonly bids: Side; readonly asks: Side }

/** The order books that are followed, each as its changes have made it: whoever is new gets the whole. */
export class Books {
  readonly #books = new Map<Ticker, Kept>()

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

  /** A book that nobody follows any more would soon be wrong. */
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
