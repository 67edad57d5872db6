import { type QuoteBook, type Ticker, tickerOf } from '@quipu/core'
import type { WebSocket } from 'ws'
import { EVERYTHING } from '../interest.ts'
import type { FeedChannel } from '../news.ts'
import type { Lists } from './channel-lists.ts'
import { PACE } from './pace.ts'
import { bookMessage, isRecord, type Sent } from './wire.ts'

export type PeersParts = {
  /** The subscriptions have changed. */
  readonly changed: () => void
  /** The whole order book of a pair, if it is known. */
  readonly book: (symbol: Ticker) => QuoteBook | undefined
}

/** A node that reads more slowly is disconnected. It connects again and requests what it has missed. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024

/**
 * Other nodes of a cluster that receive the provider's stream of one asset class through this node, in the protocol of
 * the provider. A subscription is confirmed when the provider has confirmed it.
 */
export class StreamPeers {
  readonly #parts: PeersParts
  readonly #peers = new Set<Peer>()
  #checks: NodeJS.Timeout | undefined

  constructor(parts: PeersParts) {
    this.#parts = parts
  }

  add(ws: WebSocket): void {
    const peer = new Peer(ws, this.#parts)
    this.#peers.add(peer)
    this.#checks ??= setInterval(() => this.#check(), PACE.pingMs).unref()
    ws.once('close', () => {
      this.#peers.delete(peer)
      this.#parts.changed()
    })
  }

  /** Adds the subscriptions of the nodes to those of this process. */
  addTo(wanted: Lists): Lists {
    if (this.#peers.size === 0) return wanted
    const all = new Map([...wanted].map(([channel, symbols]) => [channel, new Set(symbols)]))
    for (const { lists } of this.#peers)
      for (const [channel, symbols] of lists)
        all.set(channel, new Set([...(all.get(channel) ?? []), ...symbols]))
    return all
  }

  follow(channel: FeedChannel, symbol: string): boolean {
    for (const peer of this.#peers) if (peer.follows(channel, symbol)) return true
    return false
  }

  send(channel: FeedChannel, symbol: string, message: Sent): void {
    for (const peer of this.#peers) if (peer.follows(channel, symbol)) peer.send(message)
  }

  /** The provider has confirmed all subscriptions. */
  confirm(): void {
    for (const peer of this.#peers) peer.confirm()
  }

  /** Disconnects the nodes: what they have missed begins now. */
  close(): void {
    for (const { ws } of this.#peers) ws.terminate()
  }

  #check(): void {
    for (const { ws, aliveAtMs } of this.#peers)
      if (performance.now() - aliveAtMs > PACE.silenceMaxMs) ws.terminate()
    if (this.#peers.size > 0) return
    clearInterval(this.#checks)
    this.#checks = undefined
  }
}

/** One connected node. */
class Peer {
  readonly ws: WebSocket
  readonly lists = new Map<string, Set<string>>()
  readonly #parts: PeersParts
  /** Messages of one turn of the event loop are sent together. */
  #batch: Sent[] = []
  #isConfirmed = true
  aliveAtMs = performance.now()

  constructor(ws: WebSocket, parts: PeersParts) {
    this.ws = ws
    this.#parts = parts
    ws.on('message', (data) => this.#read(String(data)))
    ws.on('ping', () => this.#alive())
    ws.on('error', () => ws.terminate())
    this.send({ T: 'success', msg: 'authenticated' })
  }

  follows(channel: string, symbol: string): boolean {
    const symbols = this.lists.get(channel)
    return symbols !== undefined && (symbols.has(symbol) || symbols.has(EVERYTHING))
  }

  send(message: Sent): void {
    if (this.#batch.push(message) > 1) return
    setImmediate(() => {
      const batch = this.#batch
      this.#batch = []
      if (this.ws.bufferedAmount > UNREAD_MAX_BYTES) this.ws.terminate()
      else if (this.ws.readyState === this.ws.OPEN) this.ws.send(JSON.stringify(batch))
    })
  }

  confirm(): void {
    if (this.#isConfirmed) return
    this.#isConfirmed = true
    this.send({ T: 'subscription' })
  }

  #alive(): void {
    this.aliveAtMs = performance.now()
  }

  #read(text: string): void {
    this.#alive()
    const { action, ...lists } = requestIn(text)
    for (const [channel, symbols] of Object.entries(lists))
      if (Array.isArray(symbols)) this.#change(action === 'subscribe', channel, symbols.map(String))
    this.#isConfirmed = false
    this.#parts.changed()
  }

  #change(isMore: boolean, channel: string, symbols: readonly string[]): void {
    const listed = this.lists.get(channel) ?? new Set<string>()
    this.lists.set(channel, listed)
    for (const symbol of symbols) {
      if (!isMore) listed.delete(symbol)
      else if (!listed.has(symbol)) {
        listed.add(symbol)
        if (channel === 'orderbooks') this.#sendBook(tickerOf(symbol))
      }
    }
    if (listed.size === 0) this.lists.delete(channel)
  }

  /** The provider sends the whole book only to the first subscriber. */
  #sendBook(symbol: Ticker): void {
    const book = this.#parts.book(symbol)
    if (book) this.send(bookMessage(symbol, book))
  }
}

/** A request of a node; empty if it is not JSON. */
function requestIn(text: string): Sent {
  try {
    const request: unknown = JSON.parse(text)
    return isRecord(request) ? request : {}
  } catch {
    return {}
  }
}
