import {
  type AccountId,
  type AccountOpened,
  encode,
  type JournalBooked,
  keyedIn,
  type TransferBooked,
} from '@quipu/core'
import { type HistoryRow, historyId, keyId } from './history.ts'

/** A movement stands with each account it changed; a journal with the partner of both too, who lists them all. */
export function movementRows(event: TransferBooked | JournalBooked, seq: number): readonly HistoryRow[] {
  const id = historyId('movement', { at: event.at, seq, n: 0 })
  if (event.kind === 'transferBooked') {
    const { accountId, direction } = event.transfer
    const kind = direction === 'in' ? 'transferIn' : 'transferOut'
    return [{ accountId, part: 'movement', id, kind, record: encode(event.transfer) }]
  }
  const { from, to, partnerId, what } = event.journal
  const kind = what.kind === 'cash' ? 'cashJournaled' : 'sharesJournaled'
  const record = encode(event.journal)
  return [from, to, partnerId as string as AccountId].map((accountId) => ({
    accountId,
    part: 'movement',
    id,
    kind,
    record,
  }))
}

/** What was done under an idempotency key stands with the partner whose key it is. */
export function keyedRows(event: TransferBooked | JournalBooked | AccountOpened): readonly HistoryRow[] {
  const keyed = keyedIn(event)
  if (!keyed) return []
  const accountId = keyed.partnerId as string as AccountId
  return [{ accountId, part: 'keys', id: keyId(keyed.key), kind: 'keyed', record: encode(keyed.call) }]
}
