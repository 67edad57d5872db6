import type { AccountCaller, Caller } from '@quipu/broker/access/caller.ts'
import {
  type Authorization,
  type TradeStreamMessage,
  tradeStreamError,
  tradeStreamMessages,
  tradeUpdatesChannel,
} from '@quipu/contract'
import type { AccountId, Flavour } from '@quipu/core'
import { EPOCH, unreachable } from '@quipu/core/values'
import type { CallerIndex } from '../http/services.ts'
import { eventId } from '../wire/event-id.ts'
import { lossOfSubscription, meetFaults } from './faults.ts'
import { Message } from './frame.ts'
import type { Hubs } from './hubs.ts'
import { positionMessage } from './relay/relay-protocol.ts'
import { resumeUpdates } from './resume-updates.ts'
import type { Session } from './session.ts'
import type { StreamSocket } from './socket.ts'
import type { ChannelLists } from './subscriptions.ts'

export type TradeUpdatesParts = {
  readonly socket: StreamSocket
  readonly credentials: CallerIndex
  readonly flavour: Flavour
  readonly hubs: Hubs
  /** Another node relays the stream; its client has received the updates up to the number `after`. */
  readonly peer?: { readonly after?: number | undefined } | undefined
  readonly failed: (error: unknown) => void
  /** Reports a key id that is unknown. */
  readonly unknownKey: (keyId: string) => void
}

/** `/stream`: after authentication it sends the order updates of the account. */
export class TradeUpdatesSession implements Session {
  readonly #parts: TradeUpdatesParts
  readonly #socket: StreamSocket
  #stopListening: (() => void) | undefined
  #after: number | undefined

  constructor(parts: TradeUpdatesParts) {
    this.#parts = parts
    this.#socket = parts.socket
    this.#after = parts.peer?.after
  }

  /** Sends nothing, because some clients take the first frame for the response to their authentication. */
  onOpen(): void {}

  onMessage(message: unknown): void {
    const request = requestOf(message)
    if (!request) return this.onUnreadable()
    switch (request.action) {
      case 'authenticate':
        return this.#authenticate(request.credentials)
      case 'listen':
        return this.#listen(request.streams.includes(tradeUpdatesChannel))
      case 'unlisten':
        return this.#listen(
          this.#stopListening !== undefined && !request.streams.includes(tradeUpdatesChannel),
        )
      default:
        return unreachable(request)
    }
  }

  onUnreadable(): void {
    this.#send(tradeStreamError(tradeStreamMessages.unreadable))
    this.#socket.close('unreadable')
  }

  onAuthTimeout(): void {}

  onError(): void {
    this.#send(tradeStreamError(tradeStreamMessages.internal))
  }

  slowClientMessage(): Message {
    return new Message(tradeStreamError('slow client'))
  }

  onClose(): void {
    this.#stopListening?.()
  }

  stepMessage(step: number): Message {
    return new Message({ stream: 'step', data: { step } })
  }

  subscriptions(): ChannelLists {
    return this.#stopListening ? { [tradeUpdatesChannel]: ['*'] } : {}
  }

  #authenticate(sent: Credentials): void {
    const { caller } = this.#socket
    if (caller) {
      const found = this.#find(sent)
      if (found && found.accountId === accountOf(caller)) this.#answer(authorized)
      else this.#socket.authentication.sendRefusal(authorizationMessage(wrongCredentials))
      return
    }
    const keyId = sent.kind === 'pair' ? sent.keyId : undefined
    const chosenKey = this.#parts.credentials.chosenKey(keyId)
    const outcome = this.#socket.authentication.attempt(chosenKey, () => this.#find(sent))
    if (outcome === 'authenticated') {
      this.#answer(authorized)
      meetFaults(this.#socket)
    } else if (outcome === 'full') this.#answer(noSlot)
    else
      this.#socket.authentication.sendRefusal(
        authorizationMessage(sent.kind === 'none' ? noCredentials : wrongCredentials),
      )
  }

  /** Only credentials of an account are accepted, because other callers have no orders. */
  #find(sent: Credentials): AccountCaller | undefined {
    const caller = this.#lookUp(sent)
    return caller?.kind === 'account' ? caller : undefined
  }

  #lookUp(sent: Credentials): Caller | undefined {
    const { credentials, flavour, unknownKey } = this.#parts
    if (sent.kind === 'none') return undefined
    if (sent.kind === 'token') return credentials.byToken?.(sent.token, flavour)
    const caller = credentials.byKey(sent.keyId, sent.secret)
    if (!caller) unknownKey(sent.keyId)
    return caller
  }

  /** Replaces the set of streams. Every request is acknowledged, also if nothing changes. */
  #listen(enabled: boolean): void {
    const { caller } = this.#socket
    if (caller?.kind !== 'account') return this.#answer({ status: 'unauthorized', action: 'listen' })
    const streams = enabled ? [tradeUpdatesChannel] : []
    const fault = enabled ? lossOfSubscription(this.#socket, []) : undefined
    if (fault?.isAcknowledged === false) return
    this.#send({ stream: 'listening', data: { streams } })
    if (fault) return
    if (enabled) this.#stopListening ??= this.#follow(caller)
    else {
      this.#stopListening?.()
      this.#stopListening = undefined
    }
  }

  #follow({ world, accountId }: AccountCaller): () => void {
    const [{ hubs, peer, failed }, socket, after] = [this.#parts, this.#socket, this.#after]
    this.#after = undefined
    if (after !== undefined) return resumeUpdates({ world, accountId, socket, after, failed })
    if (peer) socket.connection.send(new Message(positionMessage(eventId(EPOCH, world.publisher.upTo ?? 0))))
    return hubs.listen(world, accountId, socket)
  }

  #answer(data: Authorization): void {
    this.#socket.connection.send(authorizationMessage(data))
  }

  #send(message: TradeStreamMessage): void {
    this.#socket.connection.send(new Message(message))
  }
}

const authorizationMessage = (data: Authorization): Message => new Message({ stream: 'authorization', data })
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

/** Parses a message of a client. Both forms of authentication are in use. */
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

/** With the key `oauth` the secret is a token. */
function pairOf(keyId: unknown, secret: unknown): Credentials {
  if (typeof keyId !== 'string' || typeof secret !== 'string') return { kind: 'none' }
  return keyId === 'oauth' ? { kind: 'token', token: secret } : { kind: 'pair', keyId, secret }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
