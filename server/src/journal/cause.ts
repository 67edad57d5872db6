import { AsyncLocalStorage } from 'node:async_hooks'

/** Who asked for something: which credential, and whom it acts for. */
export type Actor = {
  /** `nobody`: the request came without a credential that was right. */
  readonly kind: 'key' | 'app' | 'person' | 'machine' | 'nobody'
  readonly key?: string
  readonly partner?: string
  readonly operator?: true
  /** The client id of an app. */
  readonly app?: string
  readonly grant?: string
  readonly person?: string
  readonly session?: string
  readonly account?: string
}

/** What the journal stores of a request, once, outside the hash. */
export type RequestRecord = {
  readonly id: string
  readonly op: string
  readonly by: Actor
  /** A reference to the client's address, which is stored apart so that it can be erased. */
  readonly from: string
}

type CauseParts = {
  readonly requestId: string
  readonly operation: string
  readonly actor: () => Actor
  /** Gives the reference of the client's address. */
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

  /** For operations that are open to anyone: the handler has found out who calls. */
  actsAs(actor: Actor): void {
    this.#actor = actor
  }

  from(): string {
    return this.#parts.from()
  }

  /** The record for the first event that an engine writes for this request; its other events name the id alone. */
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
 * Runs a handler on behalf of a request. Every command that the handler submits, however long it waited in between,
 * is then recorded with the request: no handler has to pass it on.
 */
export const onBehalfOf = <Given extends unknown[], Value>(
  cause: Cause,
  run: (...given: Given) => Value,
  ...given: Given
): Value => causes.run(cause, run, ...given)

/** The request on whose behalf this code runs, if there is one. */
export const currentCause = (): Cause | undefined => causes.getStore()
