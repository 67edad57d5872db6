import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@quipu/broker/access/caller.ts'
import type { Feed } from '@quipu/broker/market/feed.ts'
import { type DataStream, type StreamErrorCode, streamError, tradeFollowUps } from '@quipu/contract'
import type { Flavour } from '@quipu/core'
import { fieldsIn, unreachable } from '@quipu/core/values'
import { namedKey, requestCaller } from '../http/auth.ts'
import type { CallerIndex } from '../http/services.ts'
import { lossOfSubscription, meetFaults, meetSymbols } from './faults.ts'
import { Message } from './frame.ts'
import type { FeedName } from './hub.ts'
import type { Hubs } from './hubs.ts'
import type { Session } from './session.ts'
import type { StreamSocket } from './socket.ts'
import { type ChannelLists, SubscriptionSet } from './subscriptions.ts'

export type MarketDataParts = {
  readonly socket: StreamSocket
  readonly stream: DataStream
  readonly credentials: CallerIndex
  readonly flavour: Flavour
  readonly hubs: Hubs
  /** Absent for a stream without data. */
  readonly feed: FeedName | undefined
  readonly symbolsMax: number
  /** Symbols such as FAULT.CLOSE have effects. */
  readonly hasMagicSymbols: boolean
  /** Lists unknown symbols that a client names, in a world that does so on first use; notes the others. */
  readonly nameSymbols: (socket: StreamSocket, symbols: readonly string[]) => void
  /** Reports a key id that is unknown. */
  readonly unknownKey: (keyId: string) => void
}

const connected = new Message([{ T: 'success', msg: 'connected' }])
const authenticated = new Message([{ T: 'success', msg: 'authenticated' }])
const errorMessage = (code: StreamErrorCode): Message => new Message([streamError(code)])

/**
 * A market-data stream: a welcome message, authentication by message or by the headers of the handshake, then any
 * number of subscribe messages. Each is answered with all current subscriptions.
 */
export class MarketDataSession implements Session {
  readonly #parts: MarketDataParts
  readonly #socket: StreamSocket
  readonly #subscriptions: SubscriptionSet
  #feed: Feed<StreamSocket> | undefined

  constructor(parts: MarketDataParts) {
    this.#parts = parts
    this.#socket = parts.socket
    this.#subscriptions = new SubscriptionSet(parts.stream.channels, parts.symbolsMax)
  }

  onOpen(headers: IncomingHttpHeaders): void {
    this.#socket.connection.send(connected)
    if (headers['apca-api-key-id'] === undefined && headers.authorization === undefined) return
    const { credentials, flavour } = this.#parts
    this.#authenticate(namedKey(headers), () => requestCaller(headers, credentials, flavour))
  }

  onMessage(message: unknown): void {
    const request = dataRequestOf(message, this.#parts.stream.channels)
    switch (request.action) {
      case 'auth':
        if (this.#socket.caller) return this.#refuse(403)
        return this.#authenticate(request.key, () => this.#find(request))
      case 'subscribe':
      case 'unsubscribe':
        return this.#socket.caller ? this.#change(request) : this.#refuse(401)
      case 'unknown':
        return this.#refuse(400)
      default:
        return unreachable(request)
    }
  }

  onUnreadable(): void {
    this.#refuse(400)
  }

  /** A client that was already refused gets no second error, because some clients then do not reconnect. */
  onAuthTimeout(tried: boolean): void {
    if (!tried) this.#refuse(404)
  }

  onError(): void {
    this.#refuse(500)
  }

  slowClientMessage(): Message {
    return errorMessage(407)
  }

  onClose(): void {
    this.#feed?.unsubscribe(this.#socket, this.#subscriptions.lists())
  }

  stepMessage(step: number): Message {
    return new Message([{ T: 'step', step }])
  }

  subscriptions(): ChannelLists {
    return this.#subscriptions.lists()
  }

  #authenticate(keyId: string | undefined, find: () => Caller | undefined): void {
    let lacksScope = false
    const outcome = this.#socket.authentication.attempt(this.#parts.credentials.chosenKey(keyId), () => {
      const caller = find()
      lacksScope = caller?.kind === 'account' && caller.scopes?.has('data') === false
      return lacksScope ? undefined : caller
    })
    if (outcome === 'authenticated') this.#welcome()
    else if (outcome === 'full') this.#refuse(406)
    else if (lacksScope) this.#refuse(411)
    else this.#socket.authentication.sendRefusal(errorMessage(402))
  }

  /** Option streams support only MessagePack; a JSON client gets the error right after authentication. */
  #welcome(): void {
    this.#socket.connection.send(authenticated)
    if (this.#needsMessagePack) this.#refuse(412)
    meetFaults(this.#socket)
  }

  get #needsMessagePack(): boolean {
    return this.#parts.stream.kind === 'options' && this.#socket.client.codec !== 'messagePack'
  }

  #find({ key, secret }: DataRequest & { readonly action: 'auth' }): Caller | undefined {
    const { credentials, flavour, unknownKey } = this.#parts
    if (key === 'oauth' || key === 'access_token') return credentials.byToken?.(secret, flavour)
    const caller = credentials.byKey(key, secret)
    if (!caller) unknownKey(key)
    return caller
  }

  /** Applies a request completely or not at all. The acknowledgement is sent before the first data. */
  #change(request: DataRequest & { readonly action: 'subscribe' | 'unsubscribe' }): void {
    if (request.problem !== undefined) return this.#refuse(request.problem)
    const { lists } = request
    if (this.#needsMessagePack) return this.#refuse(412)
    if (this.#parts.stream.kind === 'options' && lists['quotes']?.includes('*')) return this.#refuse(413)
    const isSubscription = request.action === 'subscribe'
    const fault = isSubscription ? lossOfSubscription(this.#socket, Object.values(lists).flat()) : undefined
    if (fault?.isAcknowledged === false) return
    if (isSubscription && !this.#subscriptions.add(lists)) return this.#refuse(405)
    if (request.action === 'unsubscribe') this.#subscriptions.remove(lists)
    this.#socket.connection.send(new Message([{ T: 'subscription', ...this.#subscriptions.all() }]))
    if (fault) return
    const feed = this.#openFeed()
    if (isSubscription && this.#parts.hasMagicSymbols) meetSymbols(this.#socket, Object.values(lists).flat())
    if (isSubscription && this.#parts.stream.kind === 'stocks')
      this.#parts.nameSymbols(this.#socket, Object.values(lists).flat())
    if (isSubscription) feed?.subscribe(this.#socket, lists)
    else feed?.unsubscribe(this.#socket, lists)
  }

  #openFeed(): Feed<StreamSocket> | undefined {
    const { hubs, feed } = this.#parts
    const { caller } = this.#socket
    if (!feed || !caller) return undefined
    this.#feed ??= hubs.feed(caller.world, feed)
    return this.#feed
  }

  #refuse(code: StreamErrorCode): void {
    this.#socket.connection.send(errorMessage(code))
  }
}

export type DataRequest =
  | { readonly action: 'auth'; readonly key: string; readonly secret: string }
  | {
      readonly action: 'subscribe' | 'unsubscribe'
      readonly lists: ChannelLists
      /** The error of the request: a value that is not a list of symbols, or a channel of another stream. */
      readonly problem?: 400 | 410
    }
  | { readonly action: 'unknown' }

const SYMBOL = /^(?:\*|[A-Za-z0-9]{1,21}(?:[./-][A-Za-z0-9]{1,16})?)$/

/** Parses a message of a market-data client. */
export function dataRequestOf(message: unknown, channels: readonly string[]): DataRequest {
  if (typeof message !== 'object' || message === null) return { action: 'unknown' }
  const { action, ...rest } = fieldsIn(message)
  if (action === 'auth') {
    const { key, secret } = rest
    const isPair = typeof key === 'string' && typeof secret === 'string'
    return isPair ? { action, key, secret } : { action: 'unknown' }
  }
  if (action !== 'subscribe' && action !== 'unsubscribe') return { action: 'unknown' }
  const problem = problemOf(rest, channels)
  return problem ? { action, lists: {}, problem } : { action, lists: listsOf(rest, channels) }
}

/** Clients send all channels, most of them empty; empty channels are ignored. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

function problemOf(
  lists: Readonly<Record<string, unknown>>,
  channels: readonly string[],
): 400 | 410 | undefined {
  for (const [channel, value] of Object.entries(lists)) {
    if (isEmpty(value)) continue
    const isKnown = channels.includes(channel)
    if (!isKnown && Array.isArray(value)) return 410
    if (isKnown && !isSymbols(value)) return 400
  }
  return undefined
}

const isSymbols = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((symbol) => typeof symbol === 'string' && SYMBOL.test(symbol))

/** Channels that follow the trades cannot be subscribed separately, so they are ignored. */
function listsOf(lists: Readonly<Record<string, unknown>>, channels: readonly string[]): ChannelLists {
  const followers: readonly string[] = tradeFollowUps
  return Object.fromEntries(
    Object.entries(lists).filter(
      (entry): entry is [string, string[]] =>
        channels.includes(entry[0]) && !followers.includes(entry[0]) && !isEmpty(entry[1]),
    ),
  )
}
