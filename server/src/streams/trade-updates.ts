import {
  type Authorization,
  type TradeStreamMessage,
  tradeStreamError,
  tradeStreamMessages,
  tradeUpdatesChannel,
} from '@quipu/contract'
import type { AccountId, Flavour } from '@quipu/core'
import type { AccountCaller, Caller } from '../access/caller.ts'
import type { CallerIndex } from '../http/services.ts'
import { Message } from './frame.ts'
import type { Hubs } from './hub.ts'
import type { Session, StreamSocket } from './socket.ts'
import type { ChannelLists } from './subscriptions.ts'

export type TradeUpdatesParts = {
  readonly socket: StreamSocket
  readonly credentials: CallerIndex
  readonly flavour: Flavour
  readonly hubs: Hubs
  /** A key was named that may be none of ours. */
  readonly unknownKey: (keyId: string) => void
}

/** `/stream`: silent until the client has said who it is, then the updates of its account's orders. */
export class TradeUpdatesSession implements Session {
  readonly #parts: TradeUpdatesParts
  readonly #socket: StreamSocket
  #leave: (() => void) | undefined

  constructor(parts: TradeUpdatesParts) {
    this.#parts = parts
    this.#socket = parts.socket
  }

  /** Some clients take the first frame for the answer to their authentication: nothing is said before it. */
  opened(): void {}

  heard(message: unknown): void {
    const request = requestOf(message)
    switch (request?.action) {
      case 'authenticate':
        return this.#authenticate(request.credentials)
      case 'listen':
        return this.#listen(request.streams.includes(tradeUpdatesChannel))
      case 'unlisten':
        return this.#listen(this.#leave !== undefined && !request.streams.includes(tradeUpdatesChannel))
      default:
        return this.unreadable()
    }
  }

  unreadable(): void {
    this.#say(tradeStreamError(tradeStreamMessages.unreadable))
    this.#socket.close('unreadable')
  }

  timeIsUp(): void {}

  failed(): void {
    this.#say(tradeStreamError(tradeStreamMessages.internal))
  }

  tooSlow(): Message {
    return new Message(tradeStreamError('slow client'))
  }

  closed(): void {
    this.#leave?.()
  }

  subscriptions(): ChannelLists {
    return this.#leave ? { [tradeUpdatesChannel]: ['*'] } : {}
  }

  #authenticate(given: Credentials): void {
    const { caller } = this.#socket
    if (caller) {
      const again = this.#find(given)
      if (again && again.accountId === accountOf(caller)) this.#answer(authorized)
      else this.#socket.sayRefused(saying(wrongCredentials))
      return
    }
    const named = given.kind === 'pair' ? given.keyId : undefined
    const chosenKey = this.#parts.credentials.chosenKey(named)
    const outcome = this.#socket.authenticate(chosenKey, () => this.#find(given))
    if (outcome === 'authenticated') this.#answer(authorized)
    else if (outcome === 'full') this.#answer(noSlot)
    else this.#socket.sayRefused(saying(given.kind === 'none' ? noCredentials : wrongCredentials))
  }

  /** Only an account has orders to tell of. */
  #find(given: Credentials): AccountCaller | undefined {
    const caller = this.#lookUp(given)
    return caller?.kind === 'account' ? caller : undefined
  }

  #lookUp(given: Credentials): Caller | undefined {
    const { credentials, flavour, unknownKey } = this.#parts
    if (given.kind === 'none') return undefined
    if (given.kind === 'token') return credentials.byToken?.(given.token, flavour)
    const caller = credentials.byKey(given.keyId, given.secret)
    if (!caller) unknownKey(given.keyId)
    return caller
  }

  /** The wanted set replaces the one before; every request is acknowledged, also one that changes nothing. */
  #listen(wanted: boolean): void {
    const { caller } = this.#socket
    if (caller?.kind !== 'account') return this.#answer({ status: 'unauthorized', action: 'listen' })
    const streams = wanted ? [tradeUpdatesChannel] : []
    this.#say({ stream: 'listening', data: { streams } })
    if (wanted) this.#leave ??= this.#parts.hubs.listen(caller.world, caller.accountId, this.#socket)
    else {
      this.#leave?.()
      this.#leave = undefined
    }
  }

  #answer(data: Authorization): void {
    this.#socket.send(saying(data))
  }

  #say(message: TradeStreamMessage): void {
    this.#socket.send(new Message(message))
  }
}

const saying = (data: Authorization): Message => new Message({ stream: 'authorization', data })
const accountOf = (caller: Caller): AccountId | undefined =>
  caller.kind === 'account' ? caller.accountId : undefined

const authorized: Authorization = { status: 'authorized', action: 'authenticate' }
const wrongCredentials: Authorization = {
  status: 'unauthorized',
  action: 'authenticate',
  message: tradeStreamMessages.wrongCredentials,
}
const noCredentials: Authorization = { ...wrongCredentials, message: tradeStreamMessages.noCredentials }
const noSlot: Authorization = { ...wrongCredentials, message: 'connection limit exceeded' }

type Credentials =
  | { readonly kind: 'pair'; readonly keyId: string; readonly secret: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }

type Request =
  | { readonly action: 'authenticate'; readonly credentials: Credentials }
  | { readonly action: 'listen' | 'unlisten'; readonly streams: readonly unknown[] }

/** What a client wants: both spellings of authentication are in use. */
function requestOf(message: unknown): Request | undefined {
  if (!isRecord(message)) return undefined
  const data = isRecord(message['data']) ? message['data'] : {}
  switch (message['action']) {
    case 'authenticate':
      return { action: 'authenticate', credentials: credentialsOf(data) }
    case 'auth':
      return { action: 'authenticate', credentials: pairOf(message['key'], message['secret']) }
    case 'listen':
    case 'unlisten':
      return Array.isArray(data['streams'])
        ? { action: message['action'], streams: data['streams'] }
        : undefined
    default:
      return undefined
  }
}

function credentialsOf(data: Readonly<Record<string, unknown>>): Credentials {
  const token = data['oauth_token']
  return typeof token === 'string' ? { kind: 'token', token } : pairOf(data['key_id'], data['secret_key'])
}

/** Key `oauth` says that the secret is a token. */
function pairOf(keyId: unknown, secret: unknown): Credentials {
  if (typeof keyId !== 'string' || typeof secret !== 'string') return { kind: 'none' }
  return keyId === 'oauth' ? { kind: 'token', token: secret } : { kind: 'pair', keyId, secret }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
