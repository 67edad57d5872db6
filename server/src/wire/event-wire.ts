import type { JournalEventRecord, LedgerLegRecord } from '@quipu/contract'
import {
  type BrokerEvent,
  format,
  formatInstant,
  instantOfNanos,
  type Price,
  type Quantity,
  type Ticker,
} from '@quipu/core'
import {
  eventAccount,
  eventOwner,
  eventPosting,
  isLegOf,
  type LegFilter,
  type NumberedEvent,
  orderOf,
  tokenizationRequestOf,
} from './numbered-event.ts'

export function eventToWire({ seq, event, cause }: NumberedEvent): JournalEventRecord {
  return {
    number: seq,
    at: formatInstant(event.at),
    kind: event.kind,
    account_id: eventAccount(event),
    order_id: orderOf(event),
    request_id: cause,
    event: plainEvent(event) as JournalEventRecord['event'],
  }
}

/** The legs of an event's posting; none for an event without a posting. */
export function legsToWire({ seq, event, cause }: NumberedEvent): LedgerLegRecord[] {
  const orderId = orderOf(event)
  const subject = subjectOf(event)
  return (eventPosting(event) ?? []).map(({ account, asset, amount }, leg) => {
    return {
      number: seq,
      leg,
      at: formatInstant(event.at),
      kind: event.kind,
      ledger_account: account,
      account_id: eventOwner(account),
      asset: asset,
      amount: format(amount),
      order_id: orderId,
      request_id: cause,
      ...subject,
    }
  })
}

/** The legs of an event's posting that a filter matches. */
export const matchingLegs = (event: NumberedEvent, filter: LegFilter = {}): LedgerLegRecord[] =>
  legsToWire(event).filter(({ asset, account_id }) => isLegOf(filter, asset, account_id))

/** The share of a posting with its quantity and price, and the fill or tokenization request. */
function subjectOf(event: BrokerEvent) {
  const tokenization_request_id = tokenizationRequestOf(event)
  const ids = { tokenization_request_id }
  if ('moved' in event && event.moved) return { ...ids, ...sharesOf(event.moved) }
  if (!('posting' in event)) return ids
  switch (event.kind) {
    case 'orderFilled':
      return { ...ids, ...sharesOf(event), execution_id: event.executionId }
    case 'dividendPaid':
      return { ...ids, ...sharesOf({ ...event, price: event.rate }) }
    case 'sharesChanged':
      return { ...ids, symbol: event.symbol, price: event.price && format(event.price) }
    case 'bookTransferMade':
    case 'bookTransferSent':
    case 'bookTransferReceived':
    case 'bookTransferSettled':
    case 'bookTransferReturned':
      return event.bookTransfer.what.kind === 'shares'
        ? { ...ids, ...sharesOf(event.bookTransfer.what) }
        : ids
    case 'accountOpened':
    case 'accountClosed':
    case 'accountReset':
    case 'accountSettled':
    case 'feesBooked':
    case 'interestPosted':
    case 'transferBooked':
    case 'tokensRestated':
    case 'mintTransferred':
    case 'mintCompleted':
    case 'mintRejected':
    case 'redeemCompleted':
      return ids
  }
}

type Shares = { readonly symbol: Ticker; readonly quantity: Quantity; readonly price?: Price }

const sharesOf = ({ symbol, quantity, price }: Shares) => ({
  symbol: symbol,
  qty: format(quantity),
  price: price === undefined ? undefined : format(price),
})

/** Fields whose last word makes them instants. All other bigint fields are amounts in billionths. */
const INSTANT = /^(at|due|from|to|until|since)$|(At|Due|From|To|Until|Since)$/
/** Fields that are neither instants nor amounts. */
const special: Readonly<Record<string, (value: bigint) => string>> = {
  /** Price times quantity, in billionths of billionths. */
  filledValue: (value) => format(value / 1_000_000_000n),
  latencyNs: String,
  minNs: String,
  maxNs: String,
  // Numbers of a chain, and amounts in the smallest units of a token.
  block: String,
  chainId: String,
  dust: String,
  nonce: String,
  units: String,
}

/** A value as JSON: amounts as decimals, instants as timestamps, maps as records. */
export function plainEvent(value: unknown, name = ''): unknown {
  if (typeof value === 'bigint') {
    if (Object.hasOwn(special, name)) return special[name]!(value)
    return INSTANT.test(name) ? formatInstant(instantOfNanos(value)) : format(value)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => plainEvent(item, name))
  if (value instanceof Set) return [...value].map((item) => plainEvent(item, name))
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [String(key), plainEvent(item, String(key))]))
}
