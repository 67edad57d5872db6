import {
  type AccountId,
  type Activity,
  activitiesOf,
  type BookTransferMade,
  type BookTransferReceived,
  type BookTransferSent,
  type BrokerEvent,
  type DayClosed,
  decode,
  encode,
  encodeActivity,
  encodeClose,
  found,
  holdingsOf,
  isOneOf,
  type KeyedEvent,
  keyedCallOf,
  lastOf,
  type Order,
  type OrderEvent,
  partnerEvents,
  type State,
  type TokenizationRequest,
  type TransferBooked,
  unreachable,
} from '@quipu/core'
import { changedRequest } from '../journal/committed.ts'
import { type HistoryRow, historyId, keyId, type UpdatesRow } from './history.ts'
import { packUpdates, type Update } from './updates.ts'

/** Collects the history rows of a batch of events. */
export class HistoryMaker {
  readonly #state: State
  readonly #rows: HistoryRow[] = []
  /** The last row of each key. A key may be used again, and a row may be written once per batch. */
  readonly #keyed = new Map<string, HistoryRow>()
  readonly #updates: Update[] = []
  #before: Order | undefined
  #closedBefore = 0

  constructor(state: State) {
    this.#state = state
  }

  /** Called before an event is applied to the state. */
  see(event: BrokerEvent): void {
    this.#before = 'orderId' in event ? this.#state.orders.get(event.orderId) : undefined
    if (event.kind === 'dayClosed') this.#closedBefore = this.#state.dayClosedSeq
  }

  /** Called after an event is applied to the state. */
  note(event: BrokerEvent): void {
    const { seq } = this.#state
    const order = orderOf(this.#state, event)
    if (order) this.#updates.push({ seq, event: event as OrderEvent, before: this.#before, after: order })
    if ('posting' in event)
      for (const activity of activitiesOf(event, seq, order)) this.#rows.push(rowOf(activity))
    this.#noteMovement(event, seq)
    if (event.kind === 'dayClosed') this.#noteClose(event)
    const request = changedRequest(this.#state, event)
    if (request) this.#rows.push(...requestChangeRows(this.#state, request))
  }

  /** All collected rows, without those of updates. */
  rows(): readonly HistoryRow[] {
    return this.#keyed.size === 0 ? this.#rows : [...this.#rows, ...this.#keyed.values()]
  }

  /** One row per account with updates. */
  updates(): readonly UpdatesRow[] {
    const byAccount = Map.groupBy(this.#updates, ({ after }) => after.accountId)
    return [...byAccount].map(([accountId, updates]) => {
      const { seq, event } = lastOf(updates)
      return {
        accountId,
        id: historyId('updates', { at: event.at, seq, n: 0 }),
        record: packUpdates(updates),
      }
    })
  }

  #noteMovement(event: BrokerEvent, seq: number): void {
    if (event.kind === 'callAnswered') this.#noteKeyed(event)
    if (!isOneOf(partnerEvents, event)) return
    switch (event.kind) {
      case 'transferBooked':
      case 'bookTransferMade':
      case 'bookTransferSent':
        this.#rows.push(...movementRows(event, seq))
        return
      case 'bookTransferReceived':
        this.#rows.push(...movementRows(event, seq))
        return this.#noteKeyed(event)
      case 'bookTransferRefused':
      case 'bookTransferSettled':
      case 'bookTransferReturned':
        return this.#noteKeyed(event)
      case 'accountUpdated':
      case 'accountBlocked':
      case 'accountUnblocked':
      case 'accountClosed':
      case 'accountReset':
        return
      default:
        return unreachable(event)
    }
  }

  #noteKeyed(event: KeyedEvent): void {
    const row = keyedRow(event)
    this.#keyed.set(`${row.accountId}/${row.id}`, row)
  }

  /** Accounts without events since the previous close need no row, because their holdings are unchanged. */
  #noteClose({ at, date }: DayClosed): void {
    const state = this.#state
    const { seq } = state
    const id = historyId('close', { at, seq, n: 0 })
    for (const { id: accountId, lastSeq } of state.accounts.values())
      if (lastSeq > this.#closedBefore) {
        const record = encodeClose({ date, at, seq, ...holdingsOf(state, accountId) })
        this.#rows.push({ accountId, part: 'close', id, kind: 'close', record })
      }
  }
}

function orderOf({ orders }: State, event: BrokerEvent): Order | undefined {
  if (event.kind === 'orderAccepted') return event.order
  return 'orderId' in event ? orders.get(event.orderId) : undefined
}

const rowOf = (activity: Activity): HistoryRow => ({
  accountId: activity.accountId,
  part: 'activity',
  id: historyId('activity', activity),
  kind: activity.kind,
  record: encodeActivity(activity),
})

/** A movement has one row per changed account. A book transfer also has a row for the partner, who lists all book transfers. */
export function movementRows(
  event: TransferBooked | BookTransferMade | BookTransferSent | BookTransferReceived,
  seq: number,
): readonly HistoryRow[] {
  const id = historyId('movement', { at: event.at, seq, n: 0 })
  if (event.kind === 'transferBooked') {
    const { accountId, direction } = event.transfer
    const kind = direction === 'in' ? 'transferIn' : 'transferOut'
    return [{ accountId, part: 'movement', id, kind, record: encode(event.transfer) }]
  }
  const { from, to, partnerId, what } = event.bookTransfer
  const kind = what.kind === 'cash' ? 'cashBookTransfer' : 'shareBookTransfer'
  const record = encode(event.bookTransfer)
  const changed = { bookTransferMade: [from, to], bookTransferSent: [from], bookTransferReceived: [to] }[
    event.kind
  ]
  return [...changed, partnerId as string as AccountId].map((accountId) => ({
    accountId,
    part: 'movement',
    id,
    kind,
    record,
  }))
}

/** What is stored under a key, such as an idempotency key, has a row for the owner of the key. */
export function keyedRow(event: KeyedEvent): HistoryRow {
  const { owner, key, call } = keyedCallOf(event)
  const accountId = owner as string as AccountId
  return { accountId, part: 'keys', id: keyId(key), kind: 'keyed', record: encode(call) }
}

/** A request after a change, with the number of the event. */
export type RequestChange = { readonly seq: number; readonly request: TokenizationRequest }

/** A change has a row for the participant and one for the issuer. */
function requestChangeRows(
  { seq, issuers }: Pick<State, 'seq' | 'issuers'>,
  request: TokenizationRequest,
): readonly HistoryRow[] {
  const id = historyId('requests', { at: request.updatedAt, seq, n: 0 })
  const record = encode({ seq, request } satisfies RequestChange)
  const { accountId: issuerAccountId } = found(issuers.get(request.issuer), request.issuer)
  return [request.accountId, issuerAccountId].map((accountId: AccountId) => ({
    accountId,
    part: 'requests',
    id,
    kind: 'requestChanged',
    record,
  }))
}

export const readRequestChange = (record: string): RequestChange => decode(record) as RequestChange
