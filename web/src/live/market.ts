import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { MarketChannel, MarketMessage, MarketStream } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import type { AccountStore, SymbolPrices } from './account-store.ts'
import { collect } from './frames.ts'
import { REOPEN_MS } from './repeat.ts'

/** The best bid and ask. 0: none. */
export type LiveQuote = {
  readonly t: string
  readonly bp: number
  readonly bs: number
  readonly ap: number
  readonly as: number
}
/** The last trade. */
export type LiveTrade = { readonly t: string; readonly p: number; readonly s: number }

/** Nobody reads prices that change more often, and each change draws numbers and a chart. */
const PAUSE_MS = 200

/** A symbol at the instant of the store. */
export type SymbolState = {
  readonly quote: ReadonlySignal<LiveQuote | undefined>
  readonly trade: ReadonlySignal<LiveTrade | undefined>
  readonly halted: Signal<boolean>
}

/**
 * Live prices for one account. Components watch symbols while they are on screen. Quotes and last trades are those of the
 * store, so that they are of one instant with everything else; the market stream has the single messages for charts and lists.
 */
export class LiveMarket {
  readonly #connection: Connection
  readonly #store: AccountStore
  readonly #states = new Map<string, SymbolState>()
  readonly #counts = new Map<string, number>()
  readonly #listeners = new Set<(messages: readonly MarketMessage[]) => void>()
  #isClosed = false
  readonly #streams = new Map<'sip' | 'crypto', MarketStream>()

  constructor(store: AccountStore) {
    this.#store = store
    this.#connection = store.connection
  }

  state(symbol: string): SymbolState {
    const known = this.#states.get(symbol)
    if (known !== undefined) return known
    const prices = computed(() => this.#store.quotes.value.get(symbol))
    const made = {
      quote: computed(() => quoteOf(prices.value)),
      trade: computed(() => tradeOf(prices.value)),
      halted: signal(false),
    }
    this.#states.set(symbol, made)
    return made
  }

  /** Watches the prices of symbols, and subscribes to channels. Returns a function that ends it. */
  watch(channels: readonly MarketChannel[], symbols: readonly string[]): () => void {
    const endPrices = this.#store.stream.watch(symbols)
    const wanted = channels
      .filter((channel) => channel !== 'quotes')
      .flatMap((channel) => symbols.map((symbol) => ({ channel, symbol })))
    const added = wanted.filter(({ channel, symbol }) => this.#count(channel, symbol, 1) === 1)
    for (const { channel, symbol } of added)
      this.#stream(symbol)
        .subscribe({ [channel]: [symbol] })
        .catch(() => undefined)
    return () => {
      endPrices()
      for (const { channel, symbol } of wanted)
        if (this.#count(channel, symbol, -1) === 0)
          this.#stream(symbol)
            .unsubscribe({ [channel]: [symbol] })
            .catch(() => undefined)
    }
  }

  /** Calls back with the messages of each frame. Returns a function that ends it. */
  onMessages(listener: (messages: readonly MarketMessage[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#isClosed = true
    for (const stream of this.#streams.values()) stream.close()
  }

  #count(channel: string, symbol: string, change: 1 | -1): number {
    const key = `${channel} ${symbol}`
    const count = (this.#counts.get(key) ?? 0) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
    return count
  }

  #stream(symbol: string): MarketStream {
    const feed = symbol.includes('/') ? 'crypto' : 'sip'
    const known = this.#streams.get(feed)
    if (known !== undefined) return known
    // A screen shows the present, so messages of a gap are not read again.
    const stream = this.#connection.quipu.streams.marketData(feed, { refill: false })
    stream.onMessage(collect((messages) => this.#take(messages), PAUSE_MS))
    stream.onState((state) => {
      if (state === 'closed' && !this.#isClosed) setTimeout(() => this.#replace(feed), REOPEN_MS)
    })
    this.#streams.set(feed, stream)
    return stream
  }

  /** A refused token ends a stream; the next one subscribes to what is on screen. */
  #replace(feed: 'sip' | 'crypto'): void {
    this.#streams.delete(feed)
    if (this.#isClosed) return
    for (const key of this.#counts.keys()) {
      const [channel = '', symbol = ''] = key.split(' ')
      if (symbol.includes('/') === (feed === 'crypto'))
        this.#stream(symbol)
          .subscribe({ [channel]: [symbol] })
          .catch(() => undefined)
    }
  }

  #take(messages: readonly MarketMessage[]): void {
    for (const message of messages)
      if (message.T === 's') this.state(message.S).halted.value = message.sc === 'H'
    for (const listener of this.#listeners) listener(messages)
  }
}

const quoteOf = (prices: SymbolPrices | undefined): LiveQuote | undefined =>
  prices?.quote_at == null
    ? undefined
    : {
        t: prices.quote_at,
        bp: Number(prices.bid),
        bs: Number(prices.bid_size),
        ap: Number(prices.ask),
        as: Number(prices.ask_size),
      }

const tradeOf = (prices: SymbolPrices | undefined): LiveTrade | undefined =>
  prices?.last_at == null
    ? undefined
    : { t: prices.last_at, p: Number(prices.last), s: Number(prices.last_size) }
