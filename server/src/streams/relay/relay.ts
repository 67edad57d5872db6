import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { WebSocket } from 'ws'
import {
  type Forwarded,
  type ForwardedCaller,
  headerRecord,
  peerHeaders,
} from '../../http/forwarding/peer.ts'
import type { Services } from '../../http/services.ts'
import { frameOf, messageIn } from '../frame.ts'
import { closeReasonOf, closeReasons } from '../session.ts'
import type { StreamSocket } from '../socket.ts'
import type { ChannelLists } from '../subscriptions.ts'
import { isGone, NO_CODE, NORMAL } from './relay-closing.ts'
import { isSubscription, type RelayProtocol, type StreamResponse } from './relay-protocol.ts'

/** How long a client waits for the next node that holds its world; then it is closed, so that it reconnects. */
const HOLDER_MS = 30_000
const RETRY_MS = 100
/** A node that does not accept a connection for this long counts as gone. */
const CONNECT_MS = 1_000
/** A holder that sends nothing, not even so many pings, has lost the connection without notice. */
const PINGS_MISSED_MAX = 3
/** Interval of checks whether another node holds the world by now, while the connection is still open. */
const CHECK_MS = 1_000

export type StreamRelayParts = {
  readonly socket: StreamSocket
  readonly cluster: NonNullable<Services['cluster']>
  /** The world of the client. A world that another node has created just now counts as `main` before the look-up. */
  readonly world: () => WorldId
  readonly lookUp: Promise<void> | undefined
  readonly protocol: RelayProtocol
  /** Path and query of the client's handshake. */
  readonly path: string
  /** The headers of the handshake that the holder needs. */
  readonly headers: Readonly<Record<string, string>>
  readonly scheme: Forwarded['scheme']
  /** The interval of pings, the same on all nodes. */
  readonly pingIntervalMs: number
  /** The authentication message; absent if the headers authenticate. */
  readonly login: string | undefined
  /** The caller that this node has authenticated, if its credential belongs to another world. */
  readonly as: ForwardedCaller | undefined
  /** The client is another node that relays a stream; its client has received the updates up to the number `after`. */
  readonly peer: Forwarded['stream']
  /** The holder has authenticated the client. */
  readonly authenticated: () => void
  /** For tests only. */
  readonly holderMs?: number | undefined
}

/** The state of a client that was authenticated before. */
export type RelayState = { readonly after: number | undefined; readonly lists: ChannelLists }

type Sent = { readonly data: Buffer; readonly isBinary: boolean }

/**
 * Connects a client with the node that holds its world. Its messages pass unchanged in both directions. When the holder
 * is lost or releases the world, the relay connects to the next one, repeats authentication and subscriptions there,
 * and the client continues after the last update that it has received.
 */
export class Relay {
  readonly #parts: StreamRelayParts
  readonly #checks = setInterval(() => this.#check(), CHECK_MS).unref()
  #holder: WebSocket | undefined
  #address: string | undefined
  #isAuthenticated: boolean
  #hasAnswered = false
  #hasWelcome = false
  /** Repeating authentication and subscriptions; the client does not receive these responses. */
  #isRepeating = false
  #after: number | undefined
  #lists: ChannelLists
  /** Messages of the client that the holder has not answered: the next holder receives them again. */
  #unanswered: Sent[] = []
  #unansweredBytes = 0
  #deadlineMs: number | undefined
  /** When the holder has sent something last. */
  #receivedMs = 0
  #isClosed = false

  constructor(parts: StreamRelayParts, state?: RelayState) {
    this.#parts = parts
    this.#isAuthenticated = state !== undefined
    this.#after = state?.after ?? parts.peer?.after
    this.#lists = state?.lists ?? {}
    this.#connect()
  }

  /** Sends a message of the client to the holder, or keeps it until there is one. */
  send(data: Buffer, isBinary: boolean): void {
    const isConnected = this.#holder !== undefined && !this.#isRepeating
    if (isConnected) this.#holder!.send(data, { binary: isBinary })
    if (!isConnected || isSubscription(data)) {
      this.#unanswered.push({ data, isBinary })
      this.#unansweredBytes += data.length
    }
    const unsentBytes = this.#unansweredBytes + (this.#holder?.bufferedAmount ?? 0)
    if (unsentBytes > this.#parts.socket.connection.bytesMax) this.#giveUp(...closeReasons.unsent)
  }

  /** The client answers a ping of the holder. */
  pong(data: Buffer): void {
    if (data.length > 0) this.#holder?.pong(data)
  }

  /** The client has disconnected. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#checks)
    this.#holder?.close()
  }

  /** Closes the client. The relay looks for no other holder, also if the client does not answer the close frame. */
  #giveUp(code: number, reason: string): void {
    this.close()
    this.#parts.socket.connection.closeWith(code, reason)
  }

  #connect(): void {
    this.#findHolder().catch((error) => {
      const [code, reason] = closeReasons[closeReasonOf(error)]
      this.#giveUp(code, reason)
    })
  }

  async #findHolder(): Promise<void> {
    const { cluster, lookUp } = this.#parts
    await lookUp
    const isFirst = this.#deadlineMs === undefined
    this.#deadlineMs ??= performance.now() + (this.#parts.holderMs ?? HOLDER_MS)
    for (let waits = !isFirst; ; waits = true) {
      if (waits) {
        await sleep(RETRY_MS, undefined, { ref: false })
        await cluster.view.refresh().catch(() => undefined)
      }
      if (this.#isClosed) return
      if (this.#isLate) return this.#giveUp(...closeReasons.noNode)
      const address = this.#locate()
      if (address && (await this.#open(address))) return
    }
  }

  get #isLate(): boolean {
    return this.#deadlineMs !== undefined && performance.now() > this.#deadlineMs
  }

  #locate(): string | undefined {
    const { cluster, world } = this.#parts
    return cluster.locations.holderOf(world())?.address
  }

  #open(address: string): Promise<boolean> {
    const { path, cluster, headers } = this.#parts
    const holder = new WebSocket(address.replace(/^http/, 'ws').replace(/\/$/, '') + path, {
      headers: { ...headers, ...headerRecord(peerHeaders(cluster.secret, this.#forwarded())) },
      perMessageDeflate: false,
      autoPong: false,
      handshakeTimeout: CONNECT_MS,
    })
    return new Promise((resolve) => {
      holder.once('error', () => resolve(false))
      holder.once('open', () => {
        if (this.#isClosed) holder.terminate()
        else this.#opened(holder, address)
        resolve(true)
      })
    })
  }

  #forwarded(): Forwarded {
    const { world, socket, scheme, as } = this.#parts
    // Before the first response it is the number of the node that is the client.
    const after = this.#hasSubscriptions || !this.#isAuthenticated ? this.#after : undefined
    return { world: world(), address: socket.client.address, scheme, ...as, stream: { after } }
  }

  get #hasSubscriptions(): boolean {
    return Object.keys(this.#lists).length > 0
  }

  #opened(holder: WebSocket, address: string): void {
    const { socket, protocol, login } = this.#parts
    this.#holder = holder
    this.#address = address
    this.#receivedMs = performance.now()
    this.#hasWelcome = protocol.hasWelcome
    this.#isRepeating = this.#isAuthenticated
    holder.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary))
    holder.on('ping', (data: Buffer) => {
      this.#receivedMs = performance.now()
      // A ping with data asks whether the client is done with all messages before.
      if (data.length === 0 || this.#isRepeating) holder.pong(data)
      else socket.connection.outbox.push(frameOf('ping', data))
    })
    holder.on('error', () => holder.terminate())
    holder.once('close', (code, reason) => this.#lost(code, reason.toString()))
    if (login !== undefined) holder.send(login)
    if (!this.#isRepeating) this.#continue()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#receivedMs = performance.now()
    if (this.#hasWelcome) {
      // The client has received the welcome of this node.
      this.#hasWelcome = false
      return
    }
    const response = this.#responseIn(data, isBinary)
    if (this.#isRepeating) return this.#repeated(response)
    if (response?.kind === 'position') {
      this.#after = response.seq
      if (!this.#parts.peer) return
    } else if (response) this.#apply(response)
    else this.#after = this.#parts.protocol.numberIn(data) ?? this.#after
    this.#hasAnswered = true
    this.#parts.socket.connection.outbox.push(frameOf(isBinary ? 'binary' : 'text', data))
  }

  #responseIn(data: Buffer, isBinary: boolean): StreamResponse | undefined {
    const { protocol, socket } = this.#parts
    if (this.#isAuthenticated && !protocol.mayBeResponse(data)) return undefined
    return protocol.responseOf(messageIn(socket.client.codec, data, isBinary))
  }

  #apply(response: Exclude<StreamResponse, { readonly kind: 'position' }>): void {
    if (response.kind === 'authenticated') {
      if (!this.#isAuthenticated) this.#parts.authenticated()
      this.#isAuthenticated = true
      return
    }
    if (response.kind === 'subscribed') this.#lists = response.lists
    this.#unansweredBytes -= this.#unanswered.shift()?.data.length ?? 0
  }

  /** A response to a repeated message. A client whose credential was refused now finds out when it reconnects. */
  #repeated(response: StreamResponse | undefined): void {
    const { protocol } = this.#parts
    if (response?.kind === 'authenticated' && this.#hasSubscriptions)
      this.#holder?.send(JSON.stringify(protocol.requestOf(this.#lists)))
    else if (response?.kind === 'authenticated' || response?.kind === 'subscribed') this.#continue()
    else this.#giveUp(...closeReasons.notContinued)
  }

  /** The client continues: sends the messages that no holder has answered. */
  #continue(): void {
    this.#isRepeating = false
    const sent = this.#unanswered
    this.#unanswered = []
    this.#unansweredBytes = 0
    for (const { data, isBinary } of sent) this.send(data, isBinary)
  }

  #lost(code: number, reason: string): void {
    const { socket, protocol } = this.#parts
    this.#holder = undefined
    if (this.#isClosed) return
    if (!isGone(code, reason)) this.#giveUp(code === NO_CODE ? NORMAL : code, reason)
    else if (!protocol.canResume) this.#giveUp(...closeReasons.released)
    // The holder ends a connection that does not authenticate.
    else if (this.#hasAnswered && !this.#isAuthenticated) socket.connection.terminate()
    else this.#connect()
  }

  get #isSilent(): boolean {
    return performance.now() - this.#receivedMs > PINGS_MISSED_MAX * this.#parts.pingIntervalMs
  }

  #check(): void {
    if (!this.#holder) return
    // A connection that lasts until a check counts as a success.
    if (!this.#isRepeating) this.#deadlineMs = undefined
    // The connection to a node that has stopped working may stay open.
    const address = this.#locate()
    const isElsewhere = address !== undefined && address !== this.#address
    if (this.#isLate || isElsewhere || this.#isSilent) this.#holder.terminate()
  }
}
