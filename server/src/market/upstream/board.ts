import type { Instant, Prices, Quote, Ticker, Trade } from '@quipu/core'
import type { Log } from '../../process/log.ts'
import type { News } from '../news.ts'
import type { Latest } from './latest.ts'
import type { Line } from './line.ts'
import { quoteFrom, tradeFrom } from './wire.ts'

export type BoardParts = {
  readonly latest: Pick<Latest, 'of'>
  readonly lineOf: (symbol: Ticker) => Pick<Line, 'keep' | 'letGo' | 'knownAtMs'>
  /** How many symbols it may hold. */
  readonly symbolsMax: number
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long a price is shown after the provider was last known to be there. */
const STALE_MS = 60_000
/** A symbol that nobody asked for, holds or waits for is let go after this. */
const IDLE_MS = 600_000
/** How long somebody waits for the first price of a symbol. */
const FIRST_PRICE_MS = 3000
/** Questions for one symbol are at least so far apart. */
const ASK_AGAIN_MS = 1000

type Entry = {
  quote?: Quote
  /** The same without where it was made: what events are decided with. */
  plain?: Quote
  trade?: Trade
  /** When it was last told or asked for by request, in milliseconds since 1970. */
  seenAtMs: number
  neededAtMs: number
  askedAtMs: number
  asking?: Promise<void> | undefined
  readonly watchers: Set<() => void>
}

/**
 * The newest quote and trade of every symbol that somebody needs. One that is needed for the first time is asked for
 * by request and kept up to date by the stream from then on.
 */
export class Board implements Prices {
  readonly #parts: BoardParts
  readonly #entries = new Map<Ticker, Entry>()

  constructor(parts: BoardParts) {
    this.#parts = parts
  }

  /** Only what can be traded on, and only while it is known to be so. */
  quote(symbol: Ticker): Quote | undefined {
    const entry = this.#needed(symbol)
    const quote = entry?.quote
    if (!quote || quote.bid <= 0n || quote.ask <= 0n) return undefined
    return this.#isFresh(symbol, entry) ? entry.plain : undefined
  }

  /** The last trade stays: positions are valued by it. */
  trade(symbol: Ticker): Trade | undefined {
    return this.#needed(symbol)?.trade
  }

  /** What is known without asking, while it is up to date. */
  known(symbol: Ticker): { readonly quote?: Quote; readonly trade?: Trade } | undefined {
    const entry = this.#entries.get(symbol)
    return entry && this.#isFresh(symbol, entry) ? entry : undefined
  }

  /** Calls when the quote of a symbol is another, until called off. */
  watch(symbol: Ticker, changed: () => void): () => void {
    const entry = this.#needed(symbol)
    entry?.watchers.add(changed)
    return () => entry?.watchers.delete(changed)
  }

  /** Resolves when there is a price that is up to date, or it takes too long. */
  async priced(symbol: Ticker): Promise<void> {
    const entry = this.#needed(symbol)
    if (!entry || (entry.quote && this.#isFresh(symbol, entry))) return
    const asked = this.#ask(symbol, entry)
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FIRST_PRICE_MS)
    })
    await Promise.race([asked, tooLong])
    clearTimeout(timer)
    if (!entry.quote && !entry.trade)
      this.#parts.log.hint('upstream price', `upstream has told no price of ${symbol} yet`)
  }

  told(news: News): void {
    const entry = this.#entries.get(news.symbol)
    if (!entry) return
    if (news.channel === 'quotes') this.#show(entry, { quote: news.quote })
    if (news.channel === 'trades' && setsPrice(news.trades[0]!)) this.#show(entry, { trade: news.trades[0]! })
  }

  /** The stream is there (again): what changed meanwhile is asked for. */
  refresh(isOurs: (symbol: Ticker) => boolean): void {
    for (const [symbol, entry] of this.#entries) if (isOurs(symbol)) void this.#ask(symbol, entry)
  }

  /** Lets go of what nobody needs; `held` are needed whether somebody asks or not. */
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
      if (!this.#isFresh(symbol, known) && now - known.askedAtMs > ASK_AGAIN_MS) void this.#ask(symbol, known)
      return known
    }
    if (this.#entries.size >= this.#parts.symbolsMax && !this.#makeRoom()) return undefined
    const entry: Entry = { seenAtMs: 0, neededAtMs: now, askedAtMs: 0, watchers: new Set() }
    this.#entries.set(symbol, entry)
    this.#parts.lineOf(symbol).keep(symbol)
    void this.#ask(symbol, entry)
    return entry
  }

  /** Whoever was needed longest ago goes, except those that orders wait for. */
  #makeRoom(): boolean {
    let oldest: { readonly symbol: Ticker; readonly neededAtMs: number } | undefined
    for (const [symbol, { neededAtMs, watchers }] of this.#entries)
      if (watchers.size === 0 && neededAtMs < (oldest?.neededAtMs ?? Number.POSITIVE_INFINITY))
        oldest = { symbol, neededAtMs }
    if (oldest) this.#drop(oldest.symbol)
    else
      this.#parts.log.hint(
        'upstream symbols',
        'more symbols are needed than the setting upstreamSymbolsMax lets',
      )
    return oldest !== undefined
  }

  #drop(symbol: Ticker): void {
    this.#entries.delete(symbol)
    this.#parts.lineOf(symbol).letGo(symbol)
  }

  #isFresh(symbol: Ticker, { seenAtMs }: Entry): boolean {
    // What was seen before the connection was lost held until then.
    const knownAtMs = seenAtMs === 0 ? 0 : Math.max(seenAtMs, this.#parts.lineOf(symbol).knownAtMs)
    return this.#parts.now() - knownAtMs < STALE_MS
  }

  #ask(symbol: Ticker, entry: Entry): Promise<void> {
    entry.askedAtMs = this.#parts.now()
    entry.asking ??= this.#asked(symbol, entry).finally(() => {
      entry.asking = undefined
    })
    return entry.asking
  }

  async #asked(symbol: Ticker, entry: Entry): Promise<void> {
    const { latest, log } = this.#parts
    try {
      const [quote, trade] = await Promise.all([
        latest.of('quotes', symbol, withoutId),
        latest.of('trades', symbol, tradeFrom),
      ])
      this.#show(entry, { quote, trade })
    } catch (error) {
      log.hint('upstream prices', 'prices could not be asked for', { error: String(error) })
    }
  }

  /** What is older than what is shown changes nothing. */
  #show(entry: Entry, { quote, trade }: { quote?: Quote | undefined; trade?: Trade | undefined }): void {
    entry.seenAtMs = this.#parts.now()
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

/** Conditions of trades that say nothing about the price of now: odd lots, averages, late and official ones. */
const NO_PRICE = 'CGHIMNPQRUVWZ479'
const setsPrice = ({ conditions }: Trade): boolean => !conditions.some((one) => NO_PRICE.includes(one))

const withoutId = (sent: Parameters<typeof quoteFrom>[0]): Quote => {
  const { id: _, ...quote } = quoteFrom(sent)
  return quote
}
