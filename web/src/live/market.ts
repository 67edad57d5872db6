import { type Signal, signal } from '@preact/signals'
import type { MarketChannel, MarketMessage, MarketStream } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { collect } from './frames.ts'
import { REOPEN_MS } from './repeat.ts'

type Message<Type extends MarketMessage['T']> = Extract<MarketMessage, { readonly T: Type }>
export type LiveQuote = Message<'q'>
export type LiveTrade = Message<'t'>
export type LiveBar = Extract<MarketMessage, { readonly T: 'b' | 'd' | 'u' }>

/** Nobody reads prices that change more often, and each change draws numbers and a chart. */
const PAUSE_MS = 200

/** The last messages about a symbol. */
export type SymbolState = {
  readonly quote: Signal<LiveQuote | undefined>
  readonly trade: Signal<LiveTrade | undefined>
  readonly bar: Signal<LiveBar | undefined>
  readonly halted: Signal<boolean>
}

/** Live prices for one account. Components watch symbols while they are on screen. */
export class LiveMarket {
  readonly #connection: Connection
  readonly #states = new Map<string, SymbolState>()
  readonly #counts = new Map<string, number>()
  readonly #listeners = new Set<(messages: readonly MarketMessage[]) => void>()
  #isClosed = false
  readonly #streams = new Map<'sip' | 'crypto', MarketStream>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  state(symbol: string): SymbolState {
    const known = this.#states.get(symbol)
    if (known !== undefined) return known
    const made = {
      quote: signal<LiveQuote | undefined>(undefined),
      trade: signal<LiveTrade | undefined>(undefined),
      bar: signal<LiveBar | undefined>(undefined),
      halted: signal(false),
    }
    this.#states.set(symbol, made)
    return made
  }

  /** Subscribes to channels of symbols. Returns a function that ends it. */
  watch(channels: readonly MarketChannel[], symbols: readonly string[]): () => void {
    const wanted = channels.flatMap((channel) => symbols.map((symbol) => ({ channel, symbol })))
    const added = wanted.filter(({ channel, symbol }) => this.#count(channel, symbol, 1) === 1)
    for (const { channel, symbol } of added)
      this.#stream(symbol)
        .subscribe({ [channel]: [symbol] })
        .catch(() => undefined)
    return () => {
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
    for (const message of messages) {
      const state = this.state(message.S)
      if (message.T === 'q') state.quote.value = message
      else if (message.T === 't') state.trade.value = message
      else if (message.T === 'b') state.bar.value = message
      else if (message.T === 's') state.halted.value = message.sc === 'H'
    }
    for (const listener of this.#listeners) listener(messages)
  }
}
