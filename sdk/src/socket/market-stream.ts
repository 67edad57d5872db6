import { type ClientOptions, createClient } from '../client.ts'
import type { DataStreamMessage } from '../contract.ts'
import { StreamError } from '../errors.ts'
import { type Bar, barOf } from '../records/records.ts'
import { requestToken } from '../request.ts'
import { LiveStream, type StreamOptions } from './live-stream.ts'
import { Positions, restChannels } from './market-positions.ts'
import { type MissedParts, missedMessages } from './market-refill.ts'
import { type MarketFeed, type MarketMessage, marketPaths, type Subscriptions } from './market-types.ts'
import type { Frame, Protocol } from './protocol.ts'

/** Prices of stocks or crypto. */
export class MarketStream extends LiveStream<MarketMessage> {
  readonly #protocol: MarketProtocol
  #changing: Promise<unknown> = Promise.resolve()

  constructor(feed: MarketFeed, parts: MarketStreamParts, options: StreamOptions) {
    const protocol = new MarketProtocol(feed, parts)
    super(protocol, options, (message) => message)
    this.#protocol = protocol
  }

  /** Adds symbols. Resolves with all subscriptions when the server has acknowledged them. */
  subscribe(added: Subscriptions): Promise<Subscriptions> {
    return this.#change((wanted) => {
      for (const [channel, symbols = []] of Object.entries(added))
        wanted.set(channel, new Set([...(wanted.get(channel) ?? []), ...symbols]))
    })
  }

  /** Removes symbols. Resolves with the remaining subscriptions when the server has acknowledged them. */
  unsubscribe(removed: Subscriptions): Promise<Subscriptions> {
    return this.#change((wanted) => {
      for (const [channel, symbols = []] of Object.entries(removed))
        for (const symbol of symbols) wanted.get(channel)?.delete(symbol)
    })
  }

  /** Calls back with every minute bar, in the shape of history. Returns a function that ends it. */
  onBar(callback: (bar: Bar) => unknown): () => void {
    return this.onMessage((message) => (message.T === 'b' ? callback(barOf(message.S, message)) : undefined))
  }

  /** Subscribes to minute bars, and yields them in the shape of history. */
  async *bars(symbols: readonly string[]): AsyncGenerator<Bar, undefined> {
    const messages = this[Symbol.asyncIterator]()
    await this.subscribe({ bars: symbols })
    for await (const message of messages)
      if (message.T === 'b' && (symbols.includes(message.S) || symbols.includes('*')))
        yield barOf(message.S, message)
    return undefined
  }

  /** Changes run one after the other, so that a refused one is undone without the others. */
  #change(change: (wanted: Map<string, Set<string>>) => void): Promise<Subscriptions> {
    const result = this.#changing.then(async () => {
      const before = this.#protocol.wanted
      const wanted = new Map([...before].map(([channel, symbols]) => [channel, new Set(symbols)]))
      change(wanted)
      this.#protocol.want(wanted)
      try {
        await this.apply()
      } catch (error) {
        this.#protocol.wanted = before
        throw error
      }
      return this.#protocol.subscriptions
    })
    this.#changing = result.catch(() => undefined)
    return result
  }
}

export type MarketStreamParts = {
  /** URL of the streams. */
  readonly url: string
  /** The server of market data over REST. */
  readonly data: ClientOptions
  /** The server that knows the time of the market. */
  readonly trading: ClientOptions
}

/** Errors that refuse a subscription: invalid syntax, too many symbols, or an unknown channel, format or wildcard. */
const ANSWERS: ReadonlySet<number> = new Set([400, 405, 410, 412, 413])

class MarketProtocol implements Protocol<MarketMessage> {
  readonly url: string
  readonly hasWelcome = true
  wanted: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  readonly #feed: MarketFeed
  readonly #parts: MarketStreamParts
  readonly #positions = new Positions()
  /** Symbols that the server still sends, and that are not wanted any more. */
  #removed: Record<string, string[]> | undefined

  constructor(feed: MarketFeed, parts: MarketStreamParts) {
    this.#feed = feed
    this.#parts = parts
    this.url = parts.url.replace(/\/+$/, '') + marketPaths[feed]
  }

  get subscriptions(): Subscriptions {
    const lists = [...this.wanted].filter(([, symbols]) => symbols.size > 0)
    return Object.fromEntries(lists.map(([channel, symbols]) => [channel, [...symbols]]))
  }

  want(wanted: ReadonlyMap<string, ReadonlySet<string>>): void {
    const removed = [...this.wanted].map(
      ([channel, symbols]) =>
        [channel, [...symbols].filter((symbol) => !wanted.get(channel)?.has(symbol))] as const,
    )
    for (const [channel, symbols] of removed)
      for (const symbol of symbols) this.#positions.forget(channel, symbol)
    const lists = Object.fromEntries(removed.filter(([, symbols]) => symbols.length > 0))
    this.#removed = Object.keys(lists).length > 0 ? lists : undefined
    this.wanted = wanted
  }

  async authentication(): Promise<unknown> {
    const { keyId, secretKey, accessToken } = this.#parts.data
    if (secretKey !== undefined) return { action: 'auth', key: keyId, secret: secretKey }
    if (accessToken !== undefined)
      return { action: 'auth', key: 'oauth', secret: await requestToken(accessToken) }
    throw new TypeError('streams need keyId and secretKey, or accessToken')
  }

  subscription(): unknown {
    if (this.wanted.size === 0) return undefined
    return this.#removed
      ? { action: 'unsubscribe', ...this.#removed }
      : { action: 'subscribe', ...this.subscriptions }
  }

  read(frame: unknown): readonly Frame<MarketMessage>[] {
    return (Array.isArray(frame) ? frame : [frame]).map((one: DataStreamMessage) => this.#readOne(one))
  }

  #readOne(one: DataStreamMessage): Frame<MarketMessage> {
    if (one.T === 'subscription') {
      this.#removed = undefined
      return { kind: 'acknowledged' }
    }
    const { T: type, step } = one as { readonly T: string; readonly step?: number }
    if (type === 'step' && step !== undefined) return { kind: 'step', step }
    if (one.T === 'success') return { kind: one.msg }
    if (one.T !== 'error') return { kind: 'message', message: one }
    const error = new StreamError(one.msg, one.code)
    const isAboutCaller = [402, 404, 406, 407, 409, 411].includes(one.code)
    // A connection of the same caller that broke may still count for a while; a slow client may connect again.
    const isTransient = [404, 406, 407].includes(one.code)
    if (isAboutCaller) return { kind: 'refused', error, isTransient }
    return { kind: 'error', error, isAnswer: ANSWERS.has(one.code) }
  }

  /** Records the time of the market for symbols without a message. */
  async begin(): Promise<void> {
    const symbols = [...this.#restSymbols()].filter(
      ([channel, symbol]) => !this.#positions.has(channel, symbol),
    )
    if (symbols.length === 0) return
    const now = await createClient(this.#parts.trading)
      .getClock()
      .then(({ timestamp }) => timestamp)
      .catch(() => undefined)
    if (now !== undefined) this.#positions.begin(symbols, now)
  }

  record(message: MarketMessage): void {
    this.#positions.record(message)
  }

  isNew(message: MarketMessage): boolean {
    return this.#positions.isNew(message)
  }

  missed(signal: AbortSignal): AsyncIterable<MarketMessage> {
    const parts: MissedParts = {
      feed: this.#feed,
      client: createClient(this.#parts.data),
      positions: this.#positions,
      wanted: this.wanted,
      signal,
    }
    return missedMessages(parts)
  }

  *#restSymbols(): Generator<readonly [channel: string, symbol: string]> {
    for (const channel of restChannels)
      for (const symbol of this.wanted.get(channel) ?? []) if (symbol !== '*') yield [channel, symbol]
  }
}
