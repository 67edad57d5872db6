import {
  firstOf,
  type Instant,
  instantOfMs,
  later,
  MINUTE,
  type QuoteBook,
  type Ticker,
  tickerOf,
} from '@quipu/core'
import type { WebSocket } from 'ws'
import type { Log } from '../../log/log.ts'
import { EVERYTHING, Followers, type OnNews } from '../interest.ts'
import { type FeedChannel, feedChannelOf, type News } from '../news.ts'
import type { Lists } from './channel-lists.ts'
import { missedIn, PublishedNews } from './gap.ts'
import type { History } from './history.ts'
import { StreamPeers } from './peers.ts'
import { UpstreamSocket, type UpstreamSocketParts } from './socket.ts'
import type { UpstreamTerms } from './terms.ts'
import { newsFrom, type Sent } from './wire.ts'

export type ProviderStreamParts = {
  readonly source: UpstreamSocketParts['source']
  readonly terms: UpstreamTerms
  readonly history: History
  /** Receives all quotes, trades and books before the followers. */
  readonly first: (news: News) => void
  /** The whole order book of a pair, if it is known. */
  readonly book: (symbol: Ticker) => QuoteBook | undefined
  /** Called when fewer symbols may be followed. */
  readonly onLess: () => void
  /** Called when the stream is connected. */
  readonly onUp: () => void
  readonly log: Log
}

/** The provider's history lags behind its stream, so a gap is requested a second time after this delay. */
const AGAIN_MS = 5000
/** Maximum number of messages that wait until a gap is filled. */
const WAITING_MAX = 100_000

/**
 * The provider's stream of one asset class. After a lost connection, missed trades and minutes are requested and
 * published first, in order. Messages of the new connection wait meanwhile, and nothing is published twice.
 */
export class ProviderStream {
  readonly #parts: ProviderStreamParts
  readonly #followers: Followers
  readonly #socket: UpstreamSocket
  readonly #peers: StreamPeers
  readonly #published = new PublishedNews()
  /** Symbols whose quotes and trades only `first` needs. */
  readonly #pricedSymbols = new Set<Ticker>()
  /** Messages that arrived while a gap is being filled. */
  #waiting: News[] = []
  /** Gaps that are being filled, one after the other. */
  #filling: Promise<void> = Promise.resolve()
  #gaps = 0
  #again: NodeJS.Timeout | undefined
  #lostAtMs: number | undefined
  /** The time of the provider's last message, by the provider's clock. */
  #tapeAt: Instant | undefined
  #lostTapeAt: Instant | undefined
  /** The start of the oldest unfilled gap. */
  #openFrom: Instant | undefined

  constructor(parts: ProviderStreamParts) {
    const { source, book, log } = parts
    this.#parts = parts
    this.#followers = new Followers(() => this.#socket.changed())
    this.#socket = new UpstreamSocket({
      source,
      subscriptions: () => this.#subscriptions(),
      onMessage: (message) => this.#onMessage(message),
      up: () => this.#up(),
      down: () => this.#down(),
      confirmed: () => this.#peers.confirm(),
      log,
    })
    this.#peers = new StreamPeers({
      book,
      changed: () => {
        this.#socket.changed()
        parts.onLess()
      },
    })
  }

  /** Sends the stream to another node of a cluster. */
  serve(ws: WebSocket): void {
    this.#peers.add(ws)
  }

  /** Connects to the current source, if the stream has another one. */
  checkSource(): void {
    this.#socket.checkSource()
  }

  /** The last contact with the provider, in milliseconds since 1970; now, while the connection is up. */
  get knownAtMs(): number {
    return this.#socket.isUp ? Date.now() : (this.#lostAtMs ?? 0)
  }

  /** Subscribes `first` to a symbol until `release`. */
  keep(symbol: Ticker): void {
    this.#pricedSymbols.add(symbol)
    this.#socket.changed()
  }

  release(symbol: Ticker): void {
    this.#pricedSymbols.delete(symbol)
    this.#socket.changed()
  }

  follow(channel: FeedChannel, symbol: string, onNews: OnNews): () => void {
    const unfollow = this.#followers.add(channel, symbol, onNews)
    return () => {
      unfollow()
      if ((channel === 'trades' || channel === 'bars') && !this.#followers.has(channel, symbol))
        this.#published.forget(channel, tickerOf(symbol))
      this.#parts.onLess()
    }
  }

  follows(channel: FeedChannel, symbol: string): boolean {
    return this.#followers.has(channel, symbol) || this.#peers.follow(channel, symbol)
  }

  close(): void {
    clearTimeout(this.#again)
    this.#peers.close()
    this.#socket.close()
  }

  #subscriptions(): Lists {
    const wanted = new Map<string, ReadonlySet<string>>(this.#followers.subscriptions())
    if (this.#pricedSymbols.size > 0)
      for (const channel of ['quotes', 'trades'] as const)
        wanted.set(channel, new Set([...(wanted.get(channel) ?? []), ...this.#pricedSymbols]))
    return this.#peers.addTo(wanted)
  }

  #onMessage(message: Sent): void {
    const news = newsFrom(message)
    if (!news) return
    const to = feedChannelOf(news)
    this.#parts.first(news)
    this.#peers.send(to, news.symbol, message)
    const at = timeOf(news)
    if (at !== undefined && at > (this.#tapeAt ?? 0n)) this.#tapeAt = at
    if (to !== 'trades' && to !== 'bars') return this.#publish(to, news)
    if (this.#gaps === 0 || this.#waiting.length >= WAITING_MAX) this.#publishOnce(to, news, false)
    else this.#waiting.push(news)
  }

  #publish(to: FeedChannel, news: News): void {
    for (const onNews of this.#followers.of(to, news.symbol)) onNews(news)
  }

  #publishOnce(to: 'trades' | 'bars', news: News, again: boolean): void {
    const { symbol } = news
    if (!this.#followers.has(to, symbol)) return
    if (news.channel === 'bars' && !this.#published.bar(symbol, news.bar)) return
    if (news.channel === 'trades' && !this.#published.trade(symbol, firstOf(news.trades), again)) return
    this.#publish(to, news)
  }

  #down(): void {
    clearTimeout(this.#again)
    this.#peers.close()
    this.#lostAtMs = this.#socket.messageAtMs
    this.#lostTapeAt = this.#tapeAt
  }

  #up(): void {
    this.#parts.onUp()
    if (this.#lostAtMs === undefined) return
    const lostAt = this.#lostTapeAt ?? instantOfMs(this.#lostAtMs)
    const from = this.#openFrom !== undefined && this.#openFrom < lostAt ? this.#openFrom : lostAt
    this.#gaps += 1
    this.#filling = this.#filling
      .then(() => this.#refill(from, ['trades', 'bars']))
      .catch(this.#failed)
      .finally(() => this.#filled())
    this.#again = setTimeout(() => this.#refillAgain(from), AGAIN_MS).unref()
  }

  #refillAgain(from: Instant): void {
    const kinds = this.#openFrom === undefined ? (['bars'] as const) : (['trades', 'bars'] as const)
    this.#refill(from, kinds).catch(this.#failed)
  }

  readonly #failed = (error: unknown): void =>
    this.#parts.log.error('bug: a gap was not filled', { error: String(error) })

  async #refill(from: Instant, kinds: readonly ('trades' | 'bars')[]): Promise<void> {
    const { history, terms, log } = this.#parts
    this.#openFrom = undefined
    const symbols = (kind: 'trades' | 'bars') => (kinds.includes(kind) ? this.#followed(kind) : [])
    const gap = { from, to: instantOfMs(Date.now()), trades: symbols('trades'), bars: symbols('bars') }
    const missed = await missedIn(gap, {
      history,
      tradesMax: terms.gapTradesMax,
      published: this.#published,
      onFailure: (symbol, error) => {
        this.#openFrom = from
        log.warn('a gap in upstream data could not be filled', { symbol, error: String(error) })
      },
    })
    for (const news of missed) this.#publishOnce(kindOf(news), news, true)
  }

  /** Followed symbols; for followers of `*`, all published symbols. */
  #followed(kind: 'trades' | 'bars'): readonly Ticker[] {
    const symbols = new Set(this.#followers.subscriptions().get(kind))
    if (symbols.delete(EVERYTHING)) for (const symbol of this.#published.symbols(kind)) symbols.add(symbol)
    return [...symbols] as Ticker[]
  }

  #filled(): void {
    this.#gaps -= 1
    if (this.#gaps > 0) return
    const held = this.#waiting
    this.#waiting = []
    for (const news of held) this.#publishOnce(kindOf(news), news, true)
  }
}

/** The time of news; undefined for kinds that do not advance the tape. */
function timeOf(news: News): Instant | undefined {
  if (news.channel === 'trades') return firstOf(news.trades).at
  if (news.channel === 'quotes') return news.quote.at
  return news.channel === 'bars' ? later(news.bar.start, MINUTE) : undefined
}

/** Corrections go to the channel of trades. */
const kindOf = ({ channel }: News): 'trades' | 'bars' => (channel === 'bars' ? 'bars' : 'trades')
