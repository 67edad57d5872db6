import type { AccountId, BrokerEvent, OrderId, Posting } from '@quipu/core'
import type { RequestRecord } from '../../journal/cause.ts'
import type { Committed } from '../../journal/committed.ts'
import type { Entry } from '../../journal/journal.ts'
import { causeOf, eventOf, hasRecord, recordOf } from '../../journal/stored-event.ts'

/** An event as readers of the journal see it: numbered, without digests of secrets, with the request it came from. */
export type Seen = {
  readonly seq: number
  readonly event: BrokerEvent
  readonly cause?: string | undefined
  /** Of the request, with its first event. */
  readonly record?: RequestRecord | undefined
}

export const seenEntry = (seq: number, entry: Entry): Seen => ({
  seq,
  event: withoutSealed(eventOf(entry)),
  cause: causeOf(entry),
  record: recordOf(entry),
})

export const seenCommitted = ({ seq, event, cause, record }: Committed): Seen => ({
  seq,
  event: withoutSealed(event),
  cause,
  record,
})

/** Ids that are sealed because they are random, and are no secrets. */
const SHOWN_IDS = ['keyId', 'clientId']

function withoutSealed(event: BrokerEvent): BrokerEvent {
  if (!('sealed' in event)) return event
  const { sealed, ...open } = event
  const ids = Object.entries(sealed).filter(([name]) => SHOWN_IDS.includes(name))
  return { ...open, ...Object.fromEntries(ids) } as BrokerEvent
}

export const orderOf = (event: BrokerEvent): OrderId | undefined => {
  if (event.kind === 'orderAccepted') return event.order.id
  return 'orderId' in event ? event.orderId : undefined
}

export const accountOf = (event: BrokerEvent): AccountId | undefined =>
  'accountId' in event ? event.accountId : undefined

export const postingOf = (event: BrokerEvent): Posting | undefined =>
  'posting' in event ? event.posting : undefined

const CUSTOMER = /^customer:([^:]+):/

/** Whose ledger account it is, if it is a customer's. */
export const ownerOf = (ledgerAccount: string): AccountId | undefined =>
  CUSTOMER.exec(ledgerAccount)?.[1] as AccountId | undefined

/** What a reader wants to see. */
export type Filter = {
  readonly accountId?: AccountId
  readonly orderId?: OrderId
  readonly requestId?: string
  readonly kinds?: ReadonlySet<string>
  /** Only the first events of requests, and such a request. */
  readonly request?: (record: RequestRecord, event: BrokerEvent) => boolean
  /** Only what moved something, and such a leg of it. */
  readonly leg?: (leg: Posting[number]) => boolean
}

export function isWanted({ event, cause, record }: Seen, filter: Filter): boolean {
  const { accountId, orderId, requestId, kinds, leg, request } = filter
  if (request && !(record && request(record, event))) return false
  if (kinds && !kinds.has(event.kind)) return false
  if (leg && !postingOf(event)?.some(leg)) return false
  if (requestId !== undefined && cause !== requestId) return false
  if (orderId !== undefined && orderOf(event) !== orderId) return false
  return accountId === undefined || concerns(event, accountId)
}

/** It happened to the account, or moved something of it. */
const concerns = (event: BrokerEvent, accountId: AccountId): boolean =>
  accountOf(event) === accountId ||
  (postingOf(event)?.some(({ account }) => ownerOf(account) === accountId) ?? false)

/**
 * Whether an entry may hold what is wanted, by its text alone. Most entries of a long journal do not, and looking for an
 * id in a text takes a fiftieth of the time that decoding it does.
 */
export function mayBeWanted(entry: Entry, filter: Filter): boolean {
  const { open, sealed } = entry
  const { accountId, orderId, requestId, leg, request } = filter
  if (request && !hasRecord(entry)) return false
  if (leg && !open.includes('"posting"')) return false
  if (requestId !== undefined && !sealed?.includes(requestId)) return false
  if (orderId !== undefined && !open.includes(orderId)) return false
  return accountId === undefined || open.includes(accountId)
}
