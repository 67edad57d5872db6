import { setImmediate as turn } from 'node:timers/promises'
import { VirtualClock } from '@quipu/broker/clock/virtual.ts'
import type { Committed } from '@quipu/broker/journal/committed.ts'
import { type Feed, type News, WorldFeed } from '@quipu/broker/market/feed.ts'
import type { FeedMarket } from '@quipu/broker/market/feed-market.ts'
import { ofClass } from '@quipu/broker/market/feed-market.ts'
import { RelayFeed } from '@quipu/broker/market/relay-feed.ts'
import { testMarket } from '@quipu/broker/market/test-market.ts'
import type { ClientsDone, Forwarder, WorldEnding } from '@quipu/broker/world/publisher.ts'
import type { ClientActivity, ClientWait } from '@quipu/broker/world/requests/client-requests.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { tradeUpdatesChannel } from '@quipu/contract'
import type { AccountId, BrokerEvent } from '@quipu/core'
import { MINUTE } from '@quipu/core/values'
import { tradeEventOf, tradeUpdateOf, tradeUpdateText } from '../wire/trade-update.ts'
import { activityOf, clientsDone } from './clients-done.ts'
import { sendFaulty } from './faults.ts'
import { foresee } from './foresee.ts'
import { Message } from './frame.ts'
import { newsMessage } from './market-wire.ts'
import { PER_TURN } from './outbox.ts'
import type { ForeseenStream, StreamParticipant } from './participant.ts'
import type { CloseReason } from './session.ts'
import type { StreamSocket } from './socket.ts'

export type HubParts = {
  readonly drainTimeoutMs: number
  readonly failed: (error: unknown) => void
}

/** `live`: stocks; `delayed`: stocks 15 minutes later; `test`: a symbol that always trades; `crypto`: pairs. */
export type FeedName = 'live' | 'delayed' | 'test' | 'crypto'

const DELAY_NS = 15n * MINUTE
/** A replay asks the clients next: fewer bytes than these are sent together with the question, in one write. */
const JOINED_BYTES_MAX = 16_384

/** Sends the events and market data of a world to its clients; each message is encoded once for all subscribers. */
export class Hub implements Forwarder {
  readonly members = new Set<StreamSocket>()
  readonly participants = new Set<StreamParticipant>()
  readonly #world: World
  readonly #parts: HubParts
  readonly #listeners = new Map<AccountId, Set<StreamSocket>>()
  readonly #feeds = new Map<FeedName, Feed<StreamSocket>>()
  /** Messages that a client received before their time. */
  readonly #foreseen = new WeakMap<News, Message>()
  readonly #detach: readonly (() => void)[]

  constructor(world: World, parts: HubParts) {
    this.#world = world
    this.#parts = parts
    this.#detach = [
      world.publisher.listen((events) => this.#publishAll(events)),
      world.publisher.attach(this),
    ]
  }

  listen(accountId: AccountId, socket: StreamSocket): () => void {
    const listeners = this.#listeners.get(accountId) ?? new Set()
    this.#listeners.set(accountId, listeners.add(socket))
    return () => {
      listeners.delete(socket)
      if (listeners.size === 0) this.#listeners.delete(accountId)
    }
  }

  /** With an upstream there is no delayed feed, because it would have to store 15 minutes of messages. */
  feed(name: FeedName): Feed<StreamSocket> | undefined {
    if (name === 'delayed' && this.#world.market.live) return undefined
    const known = this.#feeds.get(name)
    if (known) return known
    const feed = this.#makeFeed(name)
    this.#feeds.set(name, feed)
    return feed
  }

  #makeFeed(name: FeedName): Feed<StreamSocket> {
    const market = this.#marketOf(name)
    const send = (news: News, sockets: ReadonlySet<StreamSocket>) => {
      const asset = market().assets().get(news.symbol)
      if (!asset) return
      const message = this.#foreseen.get(news) ?? newsMessage(news, asset)
      const { faults } = this.#world.clients
      if (faults === undefined) for (const socket of sockets) socket.connection.send(message)
      else {
        const about = { type: news.channel, symbol: news.symbol }
        for (const socket of sockets) sendFaulty(faults, socket, message, about)
      }
    }
    const { live } = this.#world.market
    if (live && (name === 'live' || name === 'crypto'))
      return new RelayFeed({ class: name === 'crypto' ? 'crypto' : 'usEquity', live, send })
    return new WorldFeed<StreamSocket>({
      clock: this.#world.clock,
      market,
      delayNs: name === 'delayed' ? DELAY_NS : 0n,
      skipsSilence: this.#world.clock instanceof VirtualClock,
      failed: this.#parts.failed,
      send,
    })
  }

  /** The messages of at most `max` instants to the stream of a participant. */
  foresee(max: number): Promise<ForeseenStream | undefined> {
    const frameOf = (news: News, socket: StreamSocket): Buffer | undefined => {
      const asset = this.#world.market.assets().get(news.symbol)
      const message = this.#foreseen.get(news) ?? (asset && newsMessage(news, asset))
      if (message) this.#foreseen.set(news, message)
      return message?.frame(socket.client.codec)
    }
    const { members, participants } = this
    const feeds = this.#feeds.values()
    return foresee({ world: this.#world, members, participants, feeds, frameOf }, max)
  }

  #marketOf(name: FeedName): () => FeedMarket {
    if (name === 'test') return () => testMarket
    const classMarket = ofClass(name === 'crypto' ? 'crypto' : 'usEquity')
    return () => classMarket(this.#world.market)
  }

  /** A virtual clock waits until its clients have received all messages; the wall clock does not wait. */
  async flushed(): Promise<void> {
    const { clock } = this.#world
    if (!(clock instanceof VirtualClock)) return
    for (const feed of this.#feeds.values()) await feed.started()
    const filled = [...this.members].filter(
      ({ client, connection }) =>
        connection.outbox.bytes > (clock.replays.isRunning && !client.participant ? JOINED_BYTES_MAX : 0),
    )
    // Most sockets send everything at once; only the others are awaited one by one.
    const unsent = await this.#unsent(filled)
    if (unsent.length > 0) await Promise.all(unsent.map((socket) => this.#drained(socket)))
  }

  get activity(): ClientActivity {
    return activityOf(this)
  }

  async clientsDone(wait: ClientWait): Promise<ClientsDone> {
    const { requests } = this.#world.clients
    const { members, participants } = this
    const done = clientsDone({ ...this.#parts, requests, members, participants }, wait)
    // An error is reported when the clock reaches the minute.
    if (participants.size === 0) await this.#prepareNext().catch(() => undefined)
    return done
  }

  /** Computes the bars of the next minute while the clients work. They are computed again if the market changes. */
  async #prepareNext(): Promise<void> {
    const { clock } = this.#world
    const marks = clock instanceof VirtualClock ? clock.nextAlone() : undefined
    if (marks) for (const feed of this.#feeds.values()) await feed.ahead?.({ ...marks, max: 1 })
  }

  closed(): void {
    for (const socket of this.members) socket.close(closings[this.#world.status.ending])
  }

  close(): void {
    for (const detach of this.#detach) detach()
    for (const feed of this.#feeds.values()) feed.close()
  }

  /** Catches errors, because the engine calls this and must not fail with a stream. */
  #publishAll(events: readonly Committed[]): void {
    for (const committed of events)
      try {
        this.#publish(committed)
      } catch (error) {
        this.#parts.failed(error)
      }
  }

  #publish(committed: Committed): void {
    if (LISTINGS.has(committed.event.kind)) for (const feed of this.#feeds.values()) feed.onSymbolsAdded()
    if (!committed.order) for (const feed of this.#feeds.values()) feed.onMarketChanged?.()
    const listeners = committed.order && this.#listeners.get(committed.order.accountId)
    const message = listeners && tradeUpdateMessage(committed)
    if (!message) return
    const { faults } = this.#world.clients
    if (faults === undefined) for (const socket of listeners) socket.connection.send(message)
    else {
      const { symbol, clientOrderId } = committed.order!
      const about = { type: tradeEventOf(committed)!, symbol, clientOrderId }
      for (const socket of listeners) sendFaulty(faults, socket, message, about)
    }
  }

  async #unsent(sockets: readonly StreamSocket[]): Promise<readonly StreamSocket[]> {
    for (let first = 0; first < sockets.length; first += PER_TURN) {
      if (first > 0) await turn()
      for (const { connection } of sockets.slice(first, first + PER_TURN)) connection.outbox.tick()
    }
    return sockets.filter(({ connection }) => connection.outbox.bytes > 0)
  }

  async #drained(socket: StreamSocket): Promise<void> {
    const timer = setTimeout(() => socket.connection.closeSlow(), this.#parts.drainTimeoutMs)
    await socket.connection.outbox.drained()
    clearTimeout(timer)
  }
}

/** Why streams close with their world. */
const closings: Readonly<Record<WorldEnding, CloseReason>> = {
  stopped: 'goingAway',
  released: 'released',
  reset: 'worldReset',
  deleted: 'worldDeleted',
}

/** Events that may add symbols to a world. */
const LISTINGS: ReadonlySet<BrokerEvent['kind']> = new Set([
  'symbolAdded',
  'importedDataUsed',
  'actionApplied',
] as const)

/** The stream message of a durable event; undefined if the event changes no order. */
export function tradeUpdateMessage(committed: Committed): Message | undefined {
  const data = tradeUpdateText(committed)
  return data === undefined
    ? undefined
    : new Message(
        () => ({ stream: tradeUpdatesChannel, data: tradeUpdateOf(committed) }),
        `{"stream":"${tradeUpdatesChannel}","data":${data}}`,
      )
}
