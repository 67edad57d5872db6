import { type CallAnswered, storedCallOf, storedName } from '../../idempotency.ts'
import type { PartnerId } from '../../ids.ts'
import type { State, View } from '../../state/state.ts'
import type { JournalReceived, JournalRefused, JournalReturned, JournalSettled } from './events.ts'
import type { JournalAnswer, KeyedCall } from './movements.ts'

/** Events that answer a journal between two worlds: in the receiver's world, then in the sender's. */
export type AnsweredJournal = JournalReceived | JournalRefused | JournalSettled | JournalReturned
export type KeyedEvent = CallAnswered | AnsweredJournal

/** The owner of the records of journals between two worlds. No credential has this id. */
export const JOURNALS = 'journals' as PartnerId

/** What is stored under the id of a journal. `earlier` is what the views found, if memory has dropped it. */
export const storedCall = (view: View, key: string, earlier?: KeyedCall): KeyedCall | undefined =>
  view.keyedCalls.get(storedName(JOURNALS, key))?.call ?? earlier

/** What an event stores under a key, and the owner of the key. */
type KeyedRecord = { readonly owner: PartnerId; readonly key: string; readonly call: KeyedCall }

/** The record of the response to a call, or of a journal between two worlds under the id of the journal. */
export function keyedCallOf(event: KeyedEvent): KeyedRecord {
  switch (event.kind) {
    case 'callAnswered':
      return storedCallOf(event)
    case 'journalReceived':
      return answerRecord(event, event.journal.transitId!, { ok: true, ledgerId: event.ledgerId })
    case 'journalRefused':
      return answerRecord(event, event.transitId, { ok: false, reason: event.reason })
    case 'journalSettled':
    case 'journalReturned': {
      const { journal } = event
      return { owner: JOURNALS, key: journal.id, call: { bodyHash: '', led: { kind: 'journal', journal } } }
    }
  }
}

const answerRecord = (
  { at: createdAt }: AnsweredJournal,
  key: string,
  answer: JournalAnswer,
): KeyedRecord => ({
  owner: JOURNALS,
  key,
  call: { bodyHash: '', led: { kind: 'answer', answer, createdAt } },
})

export function applyKeyed(state: State, event: AnsweredJournal): void {
  const { owner, key, call } = keyedCallOf(event)
  state.keyedCalls.set(storedName(owner, key), { seq: state.seq, call })
}
