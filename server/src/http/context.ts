import type { IncomingMessage } from 'node:http'
import { type AccountCaller, actorOf, type Caller, type PartnerCaller } from '@quipu/broker/access/caller.ts'
import { Cause, NOBODY } from '@quipu/broker/journal/cause.ts'
import type { Once } from '@quipu/broker/world/once.ts'
import type { DurableResponse } from '@quipu/broker/world/submitted.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Handlers } from '@quipu/contract'
import type { AccountId, BrokerEvent, Command, Decision, Refusal, View } from '@quipu/core'
import { Refused, refuse } from '../wire/refusal.ts'
import { clientAddress } from './connection/client-address.ts'
import { Prebuilt } from './prebuilt.ts'
import type { Services } from './services.ts'

/** The handlers of some operations. */
export type SomeHandlers = Partial<Handlers<Context>>

/** A handler of any operation. Its input has no type because the operation is known only at run time; the contract has checked it. */
export type AnyHandler = (input: unknown, context: Context) => unknown

type Look<Value> = (view: View, decision: Decision) => Value

type ContextParts = Pick<Context, 'services' | 'request' | 'operation' | 'caller'> & {
  readonly requestId: string
}

/** One request as its handler sees it, and the headers that the handler adds to the response. */
export class Context {
  readonly services: Services
  readonly request: IncomingMessage
  /** The name of the operation. */
  readonly operation: string
  /** Absent only if the operation is open to anyone. */
  readonly caller: Caller | undefined
  /** The JSON of the body, with the fields that no shape reads. */
  body: unknown
  readonly state: ResponseState
  /** Extra header names and values, flat. */
  readonly headers: string[] = []
  readonly #requestId: string
  #cause: Cause | undefined
  #account: AccountCaller | undefined

  constructor({ services, request, requestId, operation, caller }: ContextParts) {
    this.services = services
    this.request = request
    this.operation = operation
    this.caller = caller
    this.body = undefined
    this.state = new ResponseState(this, caller?.world)
    this.#requestId = requestId
  }

  /** The request as the cause of events. */
  get cause(): Cause {
    const { services, request, operation, caller } = this
    this.#cause ??= new Cause({
      requestId: this.#requestId,
      operation,
      actor: () => (caller ? actorOf(caller) : NOBODY),
      from: () =>
        services.worlds.access.addresses.refOf(clientAddress(request, services.settings.trustProxy)),
    })
    return this.#cause
  }

  /** The calling account, or the account that a partner acts for. */
  get account(): AccountCaller {
    if (this.#account) return this.#account
    if (this.caller?.kind !== 'account') throw new Error('bug: this operation is not for accounts alone')
    return this.caller
  }

  /** Makes the partner act for one of its accounts. */
  actFor(world: World, accountId: AccountId): void {
    const { credentialId } = this.partner
    this.#account = { kind: 'account', world, accountId, credentialId }
  }

  /** The calling partner, in operations that only partners or operators may call. */
  get partner(): PartnerCaller {
    if (this.caller?.kind !== 'partner') throw new Error('bug: this operation is not for partners alone')
    return this.caller
  }

  header(name: string, value: string): void {
    this.headers.push(name, value)
  }
}

/** The state of a world that the response shows: a handler reads it, or changes it by a command. */
class ResponseState {
  /** The world of the X-Quipu-World header: the caller's, unless a handler sets another. */
  world: World | undefined
  /** The journal number of the state that the response is based on. */
  seq: number | undefined
  /** Set if the request has an idempotency key. The operation must be performed with `perform`. */
  once: Omit<Once<never>, 'responseFor'> | undefined
  readonly #request: { readonly cause: Cause }

  constructor(request: { readonly cause: Cause }, world: World | undefined) {
    this.#request = request
    this.world = world
    this.seq = undefined
    this.once = undefined
  }

  /** The value of a world's response, converted by `make` if given. Sets the world and the journal number of the headers. */
  resultOf<Value>(world: World, response: Promise<DurableResponse<Value>>): Promise<Value>
  resultOf<Value, Made>(
    world: World,
    response: Promise<DurableResponse<Value>>,
    make: (value: Value) => Made | Promise<Made>,
  ): Promise<Made>
  resultOf(
    world: World,
    response: Promise<DurableResponse<unknown>>,
    make?: (value: unknown) => unknown,
  ): Promise<unknown> {
    this.world = world
    return response.then(({ value, seq }) => {
      this.seq = seq
      return make === undefined ? value : make(value)
    })
  }

  /** Reads the durable state of a world. */
  read<Value>(world: World, look: (view: View) => Value): Promise<Value> {
    return this.resultOf(world, world.engine.read(look))
  }

  /** Submits a command to a world. Returns its decision, or the value of `look` for the state after it. */
  submit(world: World, command: Command): Promise<Decision>
  submit<Value>(world: World, command: Command, look: Look<Value>): Promise<Value>
  submit(world: World, command: Command, look: Look<unknown> = (_, decision) => decision): Promise<unknown> {
    return this.resultOf(world, world.commands.submit(command, look))
  }

  /** Submits a command and throws its refusal. Returns its events, or the value of `look` for the state after them. */
  execute(world: World, command: Command): Promise<readonly BrokerEvent[]>
  execute<Value>(world: World, command: Command, look: (view: View) => Value): Promise<Value>
  async execute(world: World, command: Command, look?: (view: View) => unknown): Promise<unknown> {
    const { decision, value } = await this.submit(world, command, (view, decision) => ({
      decision,
      value: decision.ok ? look?.(view) : undefined,
    }))
    if (!decision.ok) throw refuse(decision.reason)
    return look === undefined ? decision.value : value
  }

  /**
   * Submits the command of an operation that moves something, and returns what `output` makes from the state right after
   * it. With an idempotency key, the output is stored with the command, for repetitions. A refusal stores nothing.
   */
  perform<Output>(
    world: World,
    command: Command,
    output: (view: View, events: readonly BrokerEvent[]) => Output | Refused,
    refusal: (reason: Refusal) => Refused = refuse,
  ): Promise<Output> {
    const look = (view: View, decision: Decision): Output | Refused =>
      decision.ok ? output(view, decision.value) : refusal(decision.reason)
    const once = this.once && { ...this.once, responseFor: responseText }
    return this.resultOf(world, world.commands.submit(command, look, this.#request.cause, once), (made) => {
      if (made instanceof Refused) throw made
      return made
    })
  }
}

/** The body of an output as JSON; empty for an empty response, undefined for a refusal. */
function responseText(output: unknown): string | undefined {
  if (output instanceof Refused) return undefined
  if (output instanceof Prebuilt) return String(output.body)
  return output === undefined ? '' : JSON.stringify(output)
}
