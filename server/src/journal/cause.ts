import { AsyncLocalStorage } from 'node:async_hooks'

/** Who sent a request: the credential, and the user or partner that it acts for. */
export type Actor = {
  /** `nobody`: the request had no valid credential. */
  readonly kind: 'key' | 'app' | 'user' | 'machine' | 'nobody'
  readonly key?: string
  readonly partner?: string
  readonly operator?: true
  /** The client id of an app. */
  readonly app?: string
  readonly grant?: string
  readonly user?: string
  readonly session?: string
  readonly account?: string
}

/** The request record in the journal: stored once, outside the hash. */
export type RequestRecord = {
  readonly id: string
  readonly op: string
  readonly by: Actor
  /** A reference to the client's address. The address is stored separately so that it can be erased. */
  readonly from: string
}

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
