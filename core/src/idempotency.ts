import type { KeyedCall } from './account/partner/movements.ts'
import type { PartnerId } from './ids.ts'
import { events, hex, id, integer, record, text, type ValueOf } from './schema.ts'
import type { State, View } from './state/state.ts'
import { HOUR, type Instant } from './time.ts'

/*
 * A call with an idempotency key is executed once. Its response is an event of the same decision, so that both are stored
 * or neither is. A repetition gets the stored response, from memory or from the query tables.
 */

/** How long the response to a key is kept, by the time of the world. */
const KEPT_FOR = 24n * HOUR
/** How many responses of one account are kept. */
const KEPT_MAX = 10_000

export const callEvents = events({
  callAnswered: {
    /** The account that the call concerns, or the partner. */
    ownerId: id(),
    /** How many calls with a key the owner has made, this one included. */
    number: integer(),
    operation: id(),
    key: id(),
    bodyHash: hex(),
    response: text(),
    /** The credential of the caller. */
    sealed: record({ holder: id() }),
  },
})
export type CallAnswered = ValueOf<typeof callEvents.callAnswered>

/** A call with an idempotency key. */
export type KeyedRequest = Pick<CallAnswered, 'ownerId' | 'operation' | 'key' | 'bodyHash'> & {
  /** The credential of the caller, and others whose keys it continues. */
  readonly holders: readonly [string, ...string[]]
}

/** The stored response to an earlier call with the same key. */
export type StoredResponse = { readonly bodyHash: string; readonly response: string }

/** A key is unique per credential and operation. */
export const callKey = ({ operation, key }: Pick<CallAnswered, 'operation' | 'key'>): string =>
  `${operation} ${key}`

/** The name of what is stored under a key of its owner. */
export const storedName = (owner: string, key: string): string => `${owner}/${key}`

/** The response to an earlier call with the same key. `archived` is what the query tables found under the key. */
export function storedResponse(
  view: View,
  now: Instant,
  request: Pick<KeyedRequest, 'holders' | 'operation' | 'key'>,
  archived?: KeyedCall,
): StoredResponse | undefined {
  const key = callKey(request)
  const inMemory = request.holders.map((holder) => view.keyedCalls.get(storedName(holder, key))?.call)
  const call = inMemory.find((found) => found !== undefined) ?? archived
  if (call?.led.kind !== 'response') return undefined
  const { ownerId, number, createdAt, response } = call.led
  const isKept = now - createdAt < KEPT_FOR && (view.callCounts.get(ownerId) ?? number) - number < KEPT_MAX
  return isKept ? { bodyHash: call.bodyHash, response } : undefined
}

/** The event that stores the response to a call. */
export function callAnswered(
  view: View,
  at: Instant,
  { holders: [holder], ownerId, operation, key, bodyHash }: KeyedRequest,
  response: string,
): CallAnswered {
  const number = (view.callCounts.get(ownerId) ?? 0) + 1
  return { kind: 'callAnswered', at, ownerId, number, operation, key, bodyHash, response, sealed: { holder } }
}

export const callAppliers = {
  callAnswered(state: State, event: CallAnswered): void {
    const { owner, key, call } = storedCallOf(event)
    state.keyedCalls.set(storedName(owner, key), { seq: state.seq, call })
    state.callCounts.set(event.ownerId, event.number)
  },
}

/** The record of an event under its key. */
export function storedCallOf({ at, bodyHash, ownerId, number, response, sealed, ...named }: CallAnswered): {
  readonly owner: PartnerId
  readonly key: string
  readonly call: KeyedCall
} {
  const led = { kind: 'response', ownerId, number, response, createdAt: at } as const
  return { owner: sealed.holder as PartnerId, key: callKey(named), call: { bodyHash, led } }
}
