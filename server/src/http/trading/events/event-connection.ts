import { meetConnection } from '@quipu/broker/faults/connection.ts'
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
import { FaultyOutput } from './faulty-output.ts'

/** An open event stream, with the fault rules of its world. */
export class EventConnection {
  readonly world: World
  readonly #output: FaultyOutput
  readonly #facts: RequestFacts
  readonly #remove: () => void

  /** `accountId` is absent if the stream has the events of several accounts. */
  constructor({ operation, services }: Context, sink: Sink, world: World, accountId: string | undefined) {
    this.world = world
    this.#output = new FaultyOutput(sink, services.limits.socketBufferMaxBytes)
    const { path } = operationNamed(operation) ?? missing('the operation')
    this.#facts = { now: () => world.clock.now(), accountId, stream: [EVENTS, path], isNamedOnly: true }
    this.#remove = services.connections.sockets.add(this)
    this.meetFault()
  }

  /** Applies the rules on connections, or only a new one. */
  meetFault(created?: FaultRule): void {
    meetConnection(this.world.clients.faults, this.#output, this.#facts, created)
  }

  send(text: string): void {
    this.#output.send(text)
  }

  /** Resolves when the client may be sent more. */
  async sendAll(messages: readonly EventMessage[]): Promise<void> {
    const { faults } = this.world.clients
    const output = this.#output
    if (faults === undefined && output.fault === undefined) {
      output.sendNow(messages.map(textOf).join(''))
      return output.written
    }
    for (const message of messages) {
      const facts = { ...this.#facts, ...factsOf(message) }
      sendMessage(output, textOf(message), faults?.meet('message', facts))
      await output.written
    }
  }

  /** Resolves when delayed messages are sent. A half-open stream does not end by itself. */
  finish(): Promise<void> {
    return this.#output.finish()
  }

  close(): void {
    this.#remove()
    this.#output.close()
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
