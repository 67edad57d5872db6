import type { RequestRecord } from '@quipu/broker/journal/cause.ts'
import type { Committed } from '@quipu/broker/journal/committed.ts'
import type { Entry } from '@quipu/broker/journal/journal.ts'
import {
  bytesOfId,
  bytesOfRequestId,
  causeOf,
  eventOf,
  hasRecord,
  mentions,
  storedKind,
  storedRecord,
} from '@quipu/broker/journal/stored-event.ts'
import {
  type AccountId,
  type BrokerEvent,
  brokerEvents,
  type OrderId,
  type Posting,
  type RequestId,
} from '@quipu/core'

/** A journal event for readers: with its number and the id of its request, without digests of secrets. */
export type NumberedEvent = {
  readonly seq: number
  readonly event: BrokerEvent
  readonly cause?: string | undefined
  /** The record of the request; only its first event has it. */
  readonly record?: RequestRecord | undefined
}

export const numberedEntry = (seq: number, entry: Entry): NumberedEvent => ({
  seq,
  event: withoutSealed(eventOf(entry)),
  cause: causeOf(entry),
  record: storedRecord(entry),
})

export const numberedCommitted = ({ seq, event, cause, record }: Committed): NumberedEvent => ({
  seq,
  event: withoutSealed(event),
  cause,
  record,
})

/** Ids that are sealed because they are random, but are not secret. */
const PUBLIC_IDS = ['keyId', 'clientId']

function withoutSealed(event: BrokerEvent): BrokerEvent {
  if (!('sealed' in event)) return event
  const { sealed, ...open } = event
  const ids = Object.entries(sealed).filter(([name]) => PUBLIC_IDS.includes(name))
  return { ...open, ...Object.fromEntries(ids) } as BrokerEvent
}

export const orderOf = (event: BrokerEvent): OrderId | undefined => {
  if (event.kind === 'orderAccepted') return event.order.id
  if (event.kind === 'positionLiquidated') return event.closingOrderId
  return 'orderId' in event ? event.orderId : undefined
}

/** The tokenization request that an event is about, also when the event belongs to one of its jobs. */
export const tokenizationRequestOf = (event: BrokerEvent): RequestId | undefined => {
  if (event.kind === 'mintRequested' || event.kind === 'redeemRequested') return event.request.id
  return 'requestId' in event ? event.requestId : undefined
}

export const eventAccount = (event: BrokerEvent): AccountId | undefined =>
  'accountId' in event ? event.accountId : undefined

export const eventPosting = (event: BrokerEvent): Posting | undefined =>
  'posting' in event ? event.posting : undefined

const CUSTOMER = /^customer:([^:]+):/

/** The customer account of a ledger account, if it belongs to one. */
export const eventOwner = (ledgerAccount: string): AccountId | undefined =>
  CUSTOMER.exec(ledgerAccount)?.[1] as AccountId | undefined

/** The filter of a list or stream of events. */
export type Filter = {
  readonly accountId?: AccountId | undefined
  /** Matches only events of the account itself, not every event with a posting on it. */
  readonly isOwn?: boolean
  readonly orderId?: OrderId | undefined
  readonly requestId?: string | undefined
  readonly tokenizationRequestId?: RequestId | undefined
  readonly kinds?: ReadonlySet<string> | undefined
  /** Matches only the first event of a request, if its record matches. */
  readonly request?: (record: RequestRecord, event: BrokerEvent) => boolean
  /** Matches only events with a posting, if one of its legs matches. */
  readonly leg?: LegFilter
}

export type LegFilter = { readonly asset?: string | undefined; readonly accountId?: AccountId | undefined }

export const isLegOf = (filter: LegFilter, asset: string, owner: string | undefined): boolean =>
  (filter.asset === undefined || asset === filter.asset) &&
  (filter.accountId === undefined || owner === filter.accountId)

export function isWanted({ event, cause, record }: NumberedEvent, filter: Filter): boolean {
  const { accountId, isOwn, orderId, requestId, tokenizationRequestId, kinds, leg, request } = filter
  if (request && !(record && request(record, event))) return false
  if (kinds && !kinds.has(event.kind)) return false
  if (leg && !eventPosting(event)?.some(({ account, asset }) => isLegOf(leg, asset, eventOwner(account))))
    return false
  if (requestId !== undefined && cause !== requestId) return false
  if (orderId !== undefined && orderOf(event) !== orderId) return false
  if (tokenizationRequestId !== undefined && tokenizationRequestOf(event) !== tokenizationRequestId)
    return false
  if (accountId === undefined) return true
  return isOwn ? eventAccount(event) === accountId : concerns(event, accountId)
}

/** Whether the event belongs to the account or has a posting on it. */
const concerns = (event: BrokerEvent, accountId: AccountId): boolean =>
  eventAccount(event) === accountId ||
  (eventPosting(event)?.some(({ account }) => eventOwner(account) === accountId) ?? false)

const kindsWithPosting: ReadonlySet<string> = new Set(
  Object.entries(brokerEvents).flatMap(([kind, { fields }]) => ('posting' in fields ? [kind] : [])),
)

/**
 * Whether the bytes of an entry may match the filter. Most entries of a long journal do not match, and a search in the
 * bytes is much faster than decoding.
 */
export function mayBeWanted(filter: Filter): (entry: Entry) => boolean {
  const { accountId, orderId, requestId, tokenizationRequestId, kinds, leg, request } = filter
  const named = [accountId, orderId, tokenizationRequestId].filter((id) => id !== undefined).map(bytesOfId)
  const api = requestId && bytesOfRequestId(requestId)
  return (entry) => {
    if (request && !hasRecord(entry)) return false
    if (kinds && !kinds.has(storedKind(entry))) return false
    if (leg && !kindsWithPosting.has(storedKind(entry))) return false
    if (api && !mentions(entry.sealed, api)) return false
    return named.every((id) => mentions(entry.open, id))
  }
}
