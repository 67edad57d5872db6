import { once } from 'node:events'
import {
  type ConnectionFault,
  type FaultyConnection,
  meetConnection,
} from '@quipu/broker/faults/connection.ts'
import type { RequestFacts } from '@quipu/broker/faults/match.ts'
import { sendMessage } from '@quipu/broker/faults/message.ts'
import type { FaultRule } from '@quipu/broker/faults/rule.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { operationNamed } from '@quipu/contract'
import { missing } from '@quipu/core/values'
import { EVENTS } from '../../connection/open-sockets.ts'
import type { Context } from '../../context.ts'
import type { Sink } from '../../event-stream.ts'
import type { EventMessage } from './account-source.ts'

/** An open event stream, with the fault rules of its world. */
export class EventConnection implements FaultyConnection<string> {
  fault: ConnectionFault<string> | undefined
  readonly world: World
  readonly bytesMax: number
  readonly #sink: Sink
  readonly #facts: RequestFacts
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #remove: () => void
  #written: Promise<void> = Promise.resolve()
  #wake: (() => void) | undefined

  /** `accountId` is absent if the stream has the events of several accounts. */
  constructor({ operation, services }: Context, sink: Sink, world: World, accountId: string | undefined) {
    this.world = world
    this.bytesMax = services.limits.socketBufferMaxBytes
    this.#sink = sink
    const { path } = operationNamed(operation) ?? missing('the operation')
    this.#facts = { now: () => world.clock.now(), accountId, stream: [EVENTS, path], isNamedOnly: true }
    this.#remove = services.connections.sockets.add(this)
    this.meetFault()
  }

  /** Applies the rules on connections, or only a new one. */
  meetFault(created?: FaultRule): void {
    meetConnection(this.world.clients.faults, this, this.#facts, created)
  }

  /** Resolves when the client may be sent more. */
  async sendAll(messages: readonly EventMessage[]): Promise<void> {
    const { faults } = this.world.clients
    if (faults === undefined && this.fault === undefined)
      return this.#sink.write(messages.map(textOf).join(''))
    for (const message of messages) {
      const facts = { ...this.#facts, ...factsOf(message) }
      sendMessage(this, textOf(message), faults?.meet('message', facts))
      await this.#written
    }
  }

  send(text: string): void {
    if (this.fault === undefined) this.sendNow(text)
    else this.fault.send(text)
  }

  sendNow(text: string): void {
    this.#written = this.#sink.write(text)
  }

  bytesOf(text: string): number {
    return Buffer.byteLength(text)
  }

  schedule(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
      if (this.#timers.size === 0) this.#wake?.()
    }, ms).unref()
    this.#timers.add(timer)
  }

  closeWith(): void {
    this.#sink.end()
  }

  closeSlow(): void {
    this.#sink.end()
  }

  /** The client sends nothing on an event stream. */
  ignoreClient(): void {
    this.#sink.stopHeartbeats()
  }

  /** Resolves when delayed messages are sent. A half-open stream does not end by itself. */
  async finish(): Promise<void> {
    const { signal } = this.#sink
    if (signal.aborted) return
    const ended = once(signal, 'abort').then(() => undefined)
    if (this.fault?.isMute) return ended
    if (this.#timers.size > 0)
      await Promise.race([ended, new Promise<void>((resolve) => (this.#wake = resolve))])
  }

  close(): void {
    this.#remove()
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

const textOf = ({ id, data }: EventMessage): string => `id: ${id}\ndata: ${data}\n\n`

type Data = {
  readonly account_id?: string
  readonly event?: string
  readonly symbol?: string
  readonly underlying_symbol?: string
  readonly order?: { readonly symbol?: string; readonly client_order_id?: string }
  readonly details?: { readonly symbol?: string }
}

/** What rules are matched against, for trade updates, activities and tokenization requests. */
function factsOf({ data }: EventMessage): Partial<RequestFacts> {
  const { account_id, event, order, details, symbol, underlying_symbol } = JSON.parse(data) as Data
  const named = order?.symbol ?? details?.symbol ?? symbol ?? underlying_symbol
  return {
    message: event,
    symbols: named === undefined ? [] : [named],
    clientOrderId: order?.client_order_id,
    ...(account_id !== undefined && { accountId: account_id }),
  }
}
