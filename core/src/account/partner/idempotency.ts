import type { PartnerId } from '../../ids.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { State, View } from '../../state.ts'
import type { AccountOpened } from '../events.ts'
import type { JournalBooked, TransferBooked } from './events.ts'
import type { Keyed, KeyedCall } from './movements.ts'

export type KeyedRefusal = { readonly code: 'idempotencyKeyReused' }

type KeyedEvent = TransferBooked | JournalBooked | AccountOpened

/** Keys are unique per partner, across all operations. The body digest distinguishes calls. */
const nameOf = (partnerId: PartnerId, key: string): string => `${partnerId}/${key}`

/** The earlier call with the same key, if any. State in memory is newer than the views. */
export function earlierCall(
  view: View,
  partnerId: PartnerId,
  { idempotency, earlier }: Keyed,
): KeyedCall | undefined {
  if (!idempotency) return undefined
  return view.keyedCalls.get(nameOf(partnerId, idempotency.key))?.call ?? earlier
}

/**
 * A repeated call produces no event, and a call with a different body is refused. Undefined for a new key.
 */
export function replayedCall(
  view: View,
  partnerId: PartnerId,
  call: Keyed,
): Result<[], KeyedRefusal> | undefined {
  const earlier = earlierCall(view, partnerId, call)
  if (!earlier) return undefined
  return earlier.bodyHash === call.idempotency?.bodyHash ? ok([]) : fail({ code: 'idempotencyKeyReused' })
}

/** The idempotency record of an event, and the partner that owns the key. */
export function keyedCallOf(
  event: KeyedEvent,
): { readonly partnerId: PartnerId; readonly key: string; readonly call: KeyedCall } | undefined {
  if (!event.idempotency) return undefined
  const { key, bodyHash } = event.idempotency
  switch (event.kind) {
    case 'transferBooked': {
      const { transfer } = event
      return { partnerId: transfer.partnerId, key, call: { bodyHash, led: { kind: 'transfer', transfer } } }
    }
    case 'journalBooked': {
      const { journal } = event
      return { partnerId: journal.partnerId, key, call: { bodyHash, led: { kind: 'journal', journal } } }
    }
    case 'accountOpened': {
      const { partnerId, accountId } = event
      return { partnerId, key, call: { bodyHash, led: { kind: 'account', accountId } } }
    }
  }
}

export function applyKeyed(state: State, event: KeyedEvent): void {
  const keyed = keyedCallOf(event)
  if (keyed) state.keyedCalls.set(nameOf(keyed.partnerId, keyed.key), { seq: state.seq, call: keyed.call })
}
