import { AsyncLocalStorage } from 'node:async_hooks'
import { hex, id, oneOf, optional, record, type ValueOf } from '@quipu/core'

/** Who sent a request: the credential, and the user or partner that it acts for. */
const actorSchema = record({
  /** `nobody`: the request had no valid credential. */
  kind: oneOf('key', 'app', 'user', 'machine', 'nobody'),
  key: optional(id()),
  partner: optional(id()),
  operator: optional(oneOf(true)),
  /** The client id of an app. */
  app: optional(hex()),
  grant: optional(id()),
  user: optional(id()),
  session: optional(id()),
  account: optional(id()),
})
export type Actor = ValueOf<typeof actorSchema>

/** The request record in the journal: stored once, outside the hash. */
export const requestRecordSchema = record({
  id: hex(),
  op: id(),
  by: actorSchema,
  /** A reference to the client's address. The address is stored separately so that it can be erased. */
  from: id(),
})
export type RequestRecord = ValueOf<typeof requestRecordSchema>

type CauseParts = {
  readonly requestId: string
  readonly operation: string
  readonly actor: () => Actor
  /** Returns the reference to the client's address. */
  readonly from: () => string
}

export const NOBODY: Actor = { kind: 'nobody' }

/** The request that commands are submitted for. */
export class Cause {
  readonly requestId: string
  readonly operation: string
  readonly #parts: CauseParts
  #actor: Actor | undefined
  #recordedBy: object | undefined

  constructor(parts: CauseParts) {
    this.requestId = parts.requestId
    this.operation = parts.operation
    this.#parts = parts
  }

  /** For operations without authentication: the handler has identified the caller. */
  setActor(actor: Actor): void {
    this.#actor = actor
  }

  from(): string {
    return this.#parts.from()
  }

  /** The record for the first event that an engine writes for this request. Later events store only the request id. */
  recordFor(engine: object): RequestRecord | undefined {
    if (this.#recordedBy === engine) return undefined
    this.#recordedBy = engine
    return {
      id: this.requestId,
      op: this.operation,
      by: this.#actor ?? this.#parts.actor(),
      from: this.from(),
    }
  }
}

const causes = new AsyncLocalStorage<Cause>()

/**
 * Runs a handler on behalf of a request. Every command that the handler submits, also after awaits, is recorded with
 * that request, so handlers need not pass it on.
 */
export const onBehalfOf = <Arguments extends unknown[], Value>(
  cause: Cause,
  run: (...args: Arguments) => Value,
  ...args: Arguments
): Value => causes.run(cause, run, ...args)

/** The request on whose behalf this code runs, if any. */
export const currentCause = (): Cause | undefined => causes.getStore()
