import { type CallAnswered, storedCallOf, storedName } from '../../idempotency.ts'
import type { PartnerId } from '../../ids.ts'
import type { State, View } from '../../state/state.ts'
import type {
  BookTransferReceived,
  BookTransferRefused,
  BookTransferReturned,
  BookTransferSettled,
} from './events.ts'
import type { BookTransferResponse, KeyedCall } from './movements.ts'

/** Events that answer a book transfer between two worlds: in the receiver's world, then in the sender's. */
export type AnsweredBookTransfer =
  | BookTransferReceived
  | BookTransferRefused
  | BookTransferSettled
  | BookTransferReturned
export type KeyedEvent = CallAnswered | AnsweredBookTransfer

/** The owner under which book transfers between two worlds are recorded. No credential has this id. */
export const BOOK_TRANSFERS = 'journals' as PartnerId

/** What is stored under the id of a book transfer. `earlier` is what the query tables found, if memory has dropped it. */
export const storedCall = (view: View, key: string, earlier?: KeyedCall): KeyedCall | undefined =>
  view.keyedCalls.get(storedName(BOOK_TRANSFERS, key))?.call ?? earlier

/** What an event stores under a key, and the owner of the key. */
type KeyedRecord = { readonly owner: PartnerId; readonly key: string; readonly call: KeyedCall }

/** The record of the response to a call, or of a book transfer between two worlds under the id of the book transfer. */
export function keyedCallOf(event: KeyedEvent): KeyedRecord {
  switch (event.kind) {
    case 'callAnswered':
      return storedCallOf(event)
    case 'bookTransferReceived':
      return responseRecord(event, event.bookTransfer.transitId!, { ok: true, ledgerId: event.ledgerId })
    case 'bookTransferRefused':
      return responseRecord(event, event.transitId, { ok: false, reason: event.reason })
    case 'bookTransferSettled':
    case 'bookTransferReturned': {
      const { bookTransfer } = event
      return {
        owner: BOOK_TRANSFERS,
        key: bookTransfer.id,
        call: { bodyHash: '', led: { kind: 'bookTransfer', bookTransfer } },
      }
    }
  }
}

const responseRecord = (
  { at: createdAt }: AnsweredBookTransfer,
  key: string,
  response: BookTransferResponse,
): KeyedRecord => ({
  owner: BOOK_TRANSFERS,
  key,
  call: { bodyHash: '', led: { kind: 'worldResponse', response, createdAt } },
})

export function applyKeyed(state: State, event: AnsweredBookTransfer): void {
  const { owner, key, call } = keyedCallOf(event)
  state.keyedCalls.set(storedName(owner, key), { seq: state.seq, call })
}
