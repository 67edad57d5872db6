import { tradeUpdatesPath } from '@quipu/contract'
import type { Caller } from '../access/caller.ts'
import {
  type AuthenticationEffect,
  type ConnectionEffect,
  delayMs,
  type SubscriptionEffect,
} from '../faults/effect.ts'
import type { Faults } from '../faults/faults.ts'
import { streamSymbols } from '../faults/magic.ts'
import type { Facts, FaultRule } from '../faults/rule.ts'
import type { Message } from './frame.ts'

/** A fault of a connection: takes over the sending of messages. */
export type ConnectionFault = {
  readonly send: (message: Message) => void
  /** Neither pings nor pongs are sent. */
  readonly isMute: boolean
}

/** The parts of a connection that faults change. */
export type FaultySocket = {
  readonly endpoint: string
  readonly caller: Caller | undefined
  fault: ConnectionFault | undefined
  /** Maximum of unsent bytes. */
  readonly bytesMax: number
  send(message: Message): void
  /** Sends although the connection has a fault. */
  sendNow(message: Message): void
  frameBytes(message: Message): number
  schedule(ms: number, run: () => void): void
  closeWith(code: number, reason: string): void
  closeSlow(): void
  /** Drops everything that the client sends, close frames included. */
  ignoreClient(): void
}

/** The subject of a message. */
export type About = {
  readonly type: string
  readonly symbol: string
  readonly clientOrderId?: string | undefined
}

const factsOf = ({ endpoint }: FaultySocket, caller: Caller, about?: About): Facts => ({
  now: () => caller.world.clock.now(),
  accountId: caller.kind === 'account' ? caller.accountId : undefined,
  stream: [endpoint === tradeUpdatesPath ? 'trade_updates' : 'market_data', endpoint],
  message: about?.type,
  symbols: about && [about.symbol],
  clientOrderId: about?.clientOrderId,
})

/** The refusal of right credentials, if a rule demands one. */
export const authenticationFault = (
  faults: Faults,
  socket: FaultySocket,
  caller: Caller,
): AuthenticationEffect | undefined => faults.meet('authentication', factsOf(socket, caller))?.effect

/** How a subscription is lost, if a rule demands it. */
export function subscriptionFault(
  socket: FaultySocket,
  symbols: readonly string[],
): SubscriptionEffect | undefined {
  const { caller } = socket
  if (caller?.world.faults === undefined) return undefined
  return caller.world.faults.meet('subscription', { ...factsOf(socket, caller), symbols })?.effect
}

/** Applies the rules on connections to one that has authenticated, or only a new rule to one that is open. */
export function meetConnection(socket: FaultySocket, created?: FaultRule): void {
  const { caller } = socket
  const faults = caller?.world.faults
  if (caller === undefined || faults === undefined) return
  const fault = faults.meet('connection', factsOf(socket, caller), created)
  if (fault) applyToConnection(socket, fault.rule, fault.effect)
}

/** Applies the effect of a symbol such as FAULT.CLOSE to the stream that has subscribed to it. */
export function meetSymbols(socket: FaultySocket, symbols: readonly string[]): void {
  for (const symbol of symbols) {
    const effect = streamSymbols.get(symbol)
    if (effect) applyToConnection(socket, { isDeleted: false, nextDraw: () => 0 }, effect)
  }
}

/** Sends a message of a world with rules. */
export function sendFaulty(faults: Faults, socket: FaultySocket, message: Message, about: About): void {
  const { caller } = socket
  if (caller === undefined || isWithheld(faults, socket, caller, about)) return
  const fault = faults.meet('message', factsOf(socket, caller, about))
  const effect = fault?.effect
  switch (effect?.kind) {
    case undefined:
      socket.send(message)
      break
    case 'duplicate':
      socket.send(message)
      socket.send(message)
      break
    case 'drop':
      break
    case 'reorder':
      return hold(socket, message, effect)
    default:
      return applyToConnection(socket, fault!.rule, effect!)
  }
  sendHeld(socket)
}

const staleChannels: ReadonlySet<string> = new Set(['quotes', 'trades', 'orderbooks'])

/** Whether an outage or stale quotes keep a message of market data back. */
function isWithheld(faults: Faults, socket: FaultySocket, caller: Caller, about: About): boolean {
  if (socket.endpoint === tradeUpdatesPath) return false
  const facts = factsOf(socket, caller, about)
  if (faults.meet('market', { ...facts, kind: 'outage' })) return true
  return (
    staleChannels.has(about.type) && faults.meet('market', { ...facts, kind: 'staleQuotes' }) !== undefined
  )
}

/** The parts of a rule that a lasting effect uses. */
type Source = Pick<FaultRule, 'isDeleted' | 'nextDraw'>

function applyToConnection(socket: FaultySocket, rule: Source, effect: ConnectionEffect): void {
  switch (effect.kind) {
    case 'close':
      return socket.closeWith(effect.code, effect.message)
    case 'silence': {
      socket.fault = silent(socket, rule)
      const { fault } = socket
      if (effect.ms !== undefined)
        socket.schedule(effect.ms, () => {
          if (socket.fault === fault) socket.fault = undefined
        })
      return
    }
    case 'halfOpen':
      socket.fault = { send: () => undefined, isMute: true }
      return socket.ignoreClient()
    case 'slow':
      socket.fault = new SlowConnection(socket, rule, effect)
      return
  }
}

/** Drops all messages until the rule is deleted. */
const silent = (socket: FaultySocket, rule: Source): ConnectionFault => ({
  isMute: false,
  send: (message) => {
    if (!rule.isDeleted) return
    socket.fault = undefined
    socket.sendNow(message)
  },
})

/** Delays all messages and keeps their order. Its queue has the limit of a client that reads too slowly. */
class SlowConnection implements ConnectionFault {
  readonly isMute = false
  readonly #socket: FaultySocket
  readonly #rule: Source
  readonly #effect: ConnectionEffect & { readonly kind: 'slow' }
  readonly #waiting: { readonly message: Message; readonly dueMs: number }[] = []
  #bytes = 0
  #lastDueMs = 0

  constructor(socket: FaultySocket, rule: Source, effect: ConnectionEffect & { readonly kind: 'slow' }) {
    this.#socket = socket
    this.#rule = rule
    this.#effect = effect
  }

  readonly send = (message: Message): void => {
    this.#bytes += this.#socket.frameBytes(message)
    if (this.#bytes > this.#socket.bytesMax) return this.#socket.closeSlow()
    const delay = this.#rule.isDeleted ? 0 : delayMs(this.#effect, this.#rule.nextDraw())
    this.#lastDueMs = Math.max(this.#lastDueMs, performance.now() + delay)
    this.#waiting.push({ message, dueMs: this.#lastDueMs })
    if (this.#waiting.length === 1) this.#schedule()
  }

  #schedule(): void {
    const [next] = this.#waiting
    if (next) this.#socket.schedule(Math.max(0, next.dueMs - performance.now()), () => this.#sendDue())
    else if (this.#rule.isDeleted) this.#socket.fault = undefined
  }

  #sendDue(): void {
    const nowMs = performance.now()
    while (this.#waiting.length > 0 && this.#waiting[0]!.dueMs <= nowMs) {
      const { message } = this.#waiting.shift()!
      this.#bytes -= this.#socket.frameBytes(message)
      this.#socket.sendNow(message)
    }
    this.#schedule()
  }
}

type Held = { readonly message: Message; left: number }

/** Messages that are sent after later ones, by connection. */
const heldMessages = new WeakMap<FaultySocket, Held[]>()

function hold(socket: FaultySocket, message: Message, { by, ms }: { by: number; ms: number }): void {
  sendHeld(socket)
  const held = { message, left: by }
  heldMessages.set(socket, [...(heldMessages.get(socket) ?? []), held])
  socket.schedule(ms, () => release(socket, held))
}

/** A message was sent: sends the held ones that waited for it. */
function sendHeld(socket: FaultySocket): void {
  for (const held of heldMessages.get(socket) ?? []) {
    held.left -= 1
    if (held.left === 0) release(socket, held)
  }
}

function release(socket: FaultySocket, held: Held): void {
  const waiting = heldMessages.get(socket) ?? []
  if (!waiting.includes(held)) return
  heldMessages.set(
    socket,
    waiting.filter((one) => one !== held),
  )
  socket.send(held.message)
}
