import {
  type Command,
  type Decision,
  type Instant,
  type KeyedCall,
  type KeyedRequest,
  type StoredResponse,
  storedResponse,
  type View,
} from '@quipu/core'
import type { Cause } from '../journal/cause.ts'
import type { DurableResponse } from './submitted.ts'

/** A command that is executed at most once per idempotency key. */
export type Once<Value> = {
  readonly request: KeyedRequest
  /** The engine whose memory, with these query tables, has every stored response. Another one may have released some. */
  readonly engine: object
  /** What the query tables found under the key. */
  readonly archived?: KeyedCall | undefined
  /** The response that a repetition gets; undefined if the call was refused. */
  readonly responseFor: (value: Value) => string | undefined
}

/** The arguments of a submission to the command loop. */
export type Submission<Value> = readonly [
  command: Command,
  look: (view: View, decision: Decision) => Value,
  cause: Cause | undefined,
  once: Once<Value> | undefined,
]

/** The key was used before: nothing was executed. */
export class CallRepeated extends Error {
  readonly stored: StoredResponse
  /** The journal number of the state that has the response. */
  readonly seq: number

  constructor(stored: StoredResponse, seq: number) {
    super('the idempotency key was used before')
    this.name = 'CallRepeated'
    this.stored = stored
    this.seq = seq
  }
}

/** Rejects a call with the durable response to an earlier call with its key. */
export function repeated({ value, seq }: DurableResponse<StoredResponse>): never {
  throw new CallRepeated(value, seq)
}

/** The response to an earlier call with the same key. */
export const earlierResponse = (
  view: View,
  now: Instant,
  { request, archived }: Pick<Once<never>, 'request' | 'archived'>,
): StoredResponse | undefined => storedResponse(view, now, request, archived)
