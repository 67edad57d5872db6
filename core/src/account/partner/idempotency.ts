import type { IdempotencyKey } from '../../idempotency.ts'
import type { PartnerId } from '../../ids.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { State, View } from '../../state.ts'
import type { AccountOpened } from '../events.ts'
import type {
  JournalBooked,
  JournalReceived,
  JournalRefused,
  JournalReturned,
  JournalSent,
  JournalSettled,
  TransferBooked,
} from './events.ts'
import type { JournalAnswer, Keyed, KeyedCall } from './movements.ts'

export type KeyedRefusal = { readonly code: 'idempotencyKeyReused' }

export type KeyedEvent = TransferBooked | JournalBooked | JournalSent | AccountOpened
/** Events that answer a journal between two worlds: in the receiver's world, then in the sender's. */
export type AnsweredJournal = JournalReceived | JournalRefused | JournalSettled | JournalReturned

/** The owner of the records of journals between two worlds. No partner has this id. */
export const JOURNALS = 'journals' as PartnerId

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

/** What an event stores under a key, and the partner that owns the key. */
type KeyedRecord = { readonly partnerId: PartnerId; readonly key: string; readonly call: KeyedCall }

/** The record of an event with an idempotency key, or of a journal between two worlds under the id of the journal. */
export function keyedCallOf(event: KeyedEvent | AnsweredJournal): KeyedRecord | undefined {
  switch (event.kind) {
    case 'journalReceived':
      return answerRecord(event, event.journal.transitId!, { ok: true, ledgerId: event.ledgerId })
    case 'journalRefused':
      return answerRecord(event, event.transitId, { ok: false, reason: event.reason })
    case 'journalSettled':
    case 'journalReturned': {
      const { journal } = event
      return {
        partnerId: JOURNALS,
        key: journal.id,
        call: { bodyHash: '', led: { kind: 'journal', journal } },
      }
    }
    default:
      return event.idempotency && callOfRequest(event, event.idempotency)
  }
}

const answerRecord = (
  { at: createdAt }: AnsweredJournal,
  key: string,
  answer: JournalAnswer,
): KeyedRecord => ({
  partnerId: JOURNALS,
  key,
  call: { bodyHash: '', led: { kind: 'answer', answer, createdAt } },
})

function callOfRequest(event: KeyedEvent, { key, bodyHash }: IdempotencyKey): KeyedRecord {
  switch (event.kind) {
    case 'transferBooked': {
      const { transfer } = event
      return { partnerId: transfer.partnerId, key, call: { bodyHash, led: { kind: 'transfer', transfer } } }
    }
    case 'journalBooked':
    case 'journalSent': {
      const { journal } = event
      return { partnerId: journal.partnerId, key, call: { bodyHash, led: { kind: 'journal', journal } } }
    }
    case 'accountOpened': {
      const { partnerId, accountId } = event
      return { partnerId, key, call: { bodyHash, led: { kind: 'account', accountId } } }
    }
  }
}

export function applyKeyed(state: State, event: KeyedEvent | AnsweredJournal): void {
  const keyed = keyedCallOf(event)
  if (keyed) state.keyedCalls.set(nameOf(keyed.partnerId, keyed.key), { seq: state.seq, call: keyed.call })
}
