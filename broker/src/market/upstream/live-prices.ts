import type { Instant, Prices, Quote, Ticker, Trade } from '@quipu/core'
import type { Log } from '../../log/log.ts'
import type { News } from '../news.ts'
import type { Latest } from './latest.ts'
import type { ProviderStream } from './provider-stream.ts'
import { quoteFrom, tradeFrom } from './wire.ts'

export type BoardParts = {
  readonly latest: Pick<Latest, 'of'>
  readonly streamOf: (symbol: Ticker) => Pick<ProviderStream, 'keep' | 'release' | 'knownAtMs'>
  /** Maximum number of symbols. */
  readonly symbolsMax: number
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long a price is valid after the last contact with the provider. */
const STALE_MS = 60_000
/** A symbol without queries, positions or orders is dropped after this time. */
const IDLE_MS = 600_000
/** How long a caller waits for the first price of a symbol. */
const FIRST_PRICE_MS = 3000
/** Minimum time between two requests for one symbol. */
const REQUEST_INTERVAL_MS = 1000

type Entry = {
  quote?: Quote
  /** The last trade without its exchange, for decisions. */
  plain?: Quote
  trade?: Trade
  /** Time of the last price from the stream or a request, in milliseconds since 1970. */
  updatedAtMs: number
  neededAtMs: number
  requestedAtMs: number
  request?: Promise<void> | undefined
  readonly watchers: Set<() => void>
}

/**
 * The newest quote and trade of every symbol in use. The first use of a symbol requests its price; the stream then
 * keeps it current.
 */
export class LivePrices implements Prices {
  readonly #parts: BoardParts
  readonly #entries = new Map<Ticker, Entry>()

  constructor(parts: BoardParts) {
    this.#parts = parts
  }

  /** Only a current, two-sided quote. */
  quote(symbol: Ticker): Quote | undefined {
    const entry = this.#needed(symbol)
    const quote = entry?.quote
    if (!quote || quote.bid <= 0n || quote.ask <= 0n) return undefined
    return this.#isFresh(symbol, entry) ? entry.plain : undefined
  }

  /** The last trade has no expiry, because positions are valued with it. */
  trade(symbol: Ticker): Trade | undefined {
    return this.#needed(symbol)?.trade
  }

  /** The known quote and trade without a request, while they are current. */
  known(symbol: Ticker): { readonly quote?: Quote; readonly trade?: Trade } | undefined {
    const entry = this.#entries.get(symbol)
    return entry && this.#isFresh(symbol, entry) ? entry : undefined
  }

  /** Calls when the quote of a symbol changes. Returns a function that stops the calls. */
  watch(symbol: Ticker, changed: () => void): () => void {
    const entry = this.#needed(symbol)
    entry?.watchers.add(changed)
    return () => entry?.watchers.delete(changed)
  }

  /** Resolves when there is a current price, or after a timeout. */
  async waitForPrice(symbol: Ticker): Promise<void> {
    const entry = this.#needed(symbol)
    if (!entry || (entry.quote && this.#isFresh(symbol, entry))) return
    const request = this.#request(symbol, entry)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FIRST_PRICE_MS)
    })
    await Promise.race([request, timeout])
    clearTimeout(timer)
    if (!entry.quote && !entry.trade)
      this.#parts.log.hint('upstream price', `upstream has not sent a price of ${symbol} yet`)
  }

  onNews(news: News): void {
    const entry = this.#entries.get(news.symbol)
    if (!entry) return
    if (news.channel === 'quotes') this.#update(entry, { quote: news.quote })
    const [trade] = news.channel === 'trades' ? news.trades : []
    if (trade && setsPrice(trade)) this.#update(entry, { trade })
  }

  /** Called when the stream is connected: requests all prices again. */
  refresh(isOurs: (symbol: Ticker) => boolean): void {
    for (const [symbol, entry] of this.#entries) if (isOurs(symbol)) void this.#request(symbol, entry)
  }

  /** Drops unused symbols; symbols in `held` are always kept. */
  sweep(held: Iterable<Ticker>): void {
    for (const symbol of held) this.#needed(symbol)
    const idleSince = this.#parts.now() - IDLE_MS
    for (const [symbol, { neededAtMs, watchers }] of this.#entries)
      if (neededAtMs < idleSince && watchers.size === 0) this.#drop(symbol)
  }

  #needed(symbol: Ticker): Entry | undefined {
    const now = this.#parts.now()
    const known = this.#entries.get(symbol)
    if (known) {
      known.neededAtMs = now
      if (!this.#isFresh(symbol, known) && now - known.requestedAtMs > REQUEST_INTERVAL_MS)
        void this.#request(symbol, known)
      return known
    }
    if (this.#entries.size >= this.#parts.symbolsMax && !this.#dropOldest()) return undefined
    const entry: Entry = { updatedAtMs: 0, neededAtMs: now, requestedAtMs: 0, watchers: new Set() }
    this.#entries.set(symbol, entry)
    this.#parts.streamOf(symbol).keep(symbol)
    void this.#request(symbol, entry)
    return entry
  }

  /** Drops the least recently used symbol, except symbols with waiting orders. */
  #dropOldest(): boolean {
    let oldest: { readonly symbol: Ticker; readonly neededAtMs: number } | undefined
    for (const [symbol, { neededAtMs, watchers }] of this.#entries)
      if (watchers.size === 0 && neededAtMs < (oldest?.neededAtMs ?? Number.POSITIVE_INFINITY))
        oldest = { symbol, neededAtMs }
    if (oldest) this.#drop(oldest.symbol)
    else
      this.#parts.log.hint(
        'upstream symbols',
        'more symbols are in use than the setting upstreamSymbolsMax allows',
      )
    return oldest !== undefined
  }

  #drop(symbol: Ticker): void {
    this.#entries.delete(symbol)
    this.#parts.streamOf(symbol).release(symbol)
  }

  #isFresh(symbol: Ticker, { updatedAtMs }: Entry): boolean {
    // A price from before the connection was lost was valid until then.
    const knownAtMs = updatedAtMs === 0 ? 0 : Math.max(updatedAtMs, this.#parts.streamOf(symbol).knownAtMs)
    return this.#parts.now() - knownAtMs < STALE_MS
  }

  #request(symbol: Ticker, entry: Entry): Promise<void> {
    entry.requestedAtMs = this.#parts.now()
    entry.request ??= this.#runRequest(symbol, entry).finally(() => {
      entry.request = undefined
    })
    return entry.request
  }

  async #runRequest(symbol: Ticker, entry: Entry): Promise<void> {
    const { latest, log } = this.#parts
    try {
      const [quote, trade] = await Promise.all([
        latest.of('quotes', symbol, withoutId),
        latest.of('trades', symbol, tradeFrom),
      ])
      this.#update(entry, { quote, trade })
    } catch (error) {
      log.hint('upstream prices', 'the request for prices failed', { error: String(error) })
    }
  }

  /** Ignores a price that is older than the current one. */
  #update(entry: Entry, { quote, trade }: { quote?: Quote | undefined; trade?: Trade | undefined }): void {
    entry.updatedAtMs = this.#parts.now()
    if (trade && isNewer(trade, entry.trade)) entry.trade = trade
    if (!quote || !isNewer(quote, entry.quote)) return
    const { origin: _, ...plain } = quote
    entry.quote = quote
    entry.plain = plain
    for (const changed of [...entry.watchers]) changed()
  }
}

const isNewer = (one: { readonly at: Instant }, than: { readonly at: Instant } | undefined): boolean =>
  than === undefined || one.at >= than.at

/** Conditions of trades that do not update the last price: odd lots, averages, late and official trades. */
const NO_PRICE = 'CGHIMNPQRUVWZ479'
const setsPrice = ({ conditions }: Trade): boolean => !conditions.some((one) => NO_PRICE.includes(one))

const withoutId = (sent: Parameters<typeof quoteFrom>[0]): Quote => {
  const { id: _, ...quote } = quoteFrom(sent)
  return quote
}
