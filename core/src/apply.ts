import { accountAppliers } from './account/apply.ts'
import { keyAppliers } from './account/keys.ts'
import { marginAppliers } from './account/margin-calls/apply.ts'
import { partnerAppliers } from './account/partner/apply.ts'
import { bookFill } from './account/positions/positions.ts'
import { actionAppliers } from './actions/apply.ts'
import { chainAppliers } from './chain/unmatched-transfers.ts'
import type { BrokerEvent } from './events.ts'
import type { Applier } from './handlers.ts'
import { callAppliers } from './idempotency.ts'
import type { AccountId } from './ids.ts'
import { jobAppliers } from './jobs/apply.ts'
import { post } from './ledger/ledger.ts'
import { listingAppliers } from './market/assets/listing.ts'
import { followAppliers } from './market/follow.ts'
import { appAppliers, grantAppliers, machineAppliers } from './oauth/apply.ts'
import { applyOrder, applyRestated } from './orders/apply.ts'
import { type OrderEvent, orderEvents } from './orders/events.ts'
import type { Order } from './orders/order.ts'
import { recordAfter, replaceInGroup } from './orders/record.ts'
import { found } from './result.ts'
import { storedRunAppliers } from './runs/apply.ts'
import type { State } from './state/state.ts'
import { markIssuerAsked, requestAppliers } from './tokenization/apply.ts'
import { issuerAppliers } from './tokenization/apply-issuer.ts'
import { userAppliers } from './users/apply.ts'
import { credentialAppliers } from './users/drop-credentials.ts'
import { factorAppliers } from './users/factors.ts'
import { watchlistAppliers } from './watchlists/apply.ts'
import { describeAppliers } from './worlds/describe.ts'

/**
 * Writes an event into the state. Never refuses, because the event has already happened. Returns the order
 * that the event concerns, after the change.
 */
export function apply(state: State, event: BrokerEvent): Order | undefined {
  state.seq += 1
  state.lastAt = event.at
  const { kind } = event
  // Fast path: these kinds are nearly all events of a busy world.
  if (kind === 'orderFilled') post(state.ledger, event.posting)
  else if (kind !== 'orderAccepted' && kind !== 'orderAcknowledged' && kind !== 'orderCanceled')
    return applyOther(state, event)
  return countEvent(state, event.accountId, applyOrder(state, event))
}

/**
 * Writes an event into a state that has only the orders that the event changes, as the query tables do. Such a state
 * has no holds, indexes and agenda items of orders.
 */
export function applyToRecords(state: State, event: BrokerEvent): void {
  applyWithoutOrders(state, event)
  if (event.kind === 'orderAccepted') {
    state.orders.set(event.order.id, event.order)
    replaceInGroup(state.orders, event.order)
  } else if (isOrderEvent(event)) {
    const before = found(state.orders.get(event.orderId), event.orderId)
    state.orders.set(event.orderId, recordAfter(before, event))
  }
}

/** Writes an event into the parts of a state that do not concern orders. A fill needs the side of its order. */
export function applyWithoutOrders(state: State, event: BrokerEvent): void {
  if (!isOrderEvent(event)) {
    apply(state, event)
    return
  }
  state.seq += 1
  state.lastAt = event.at
  if (event.kind === 'orderFilled') {
    post(state.ledger, event.posting)
    bookFill(state, event, found(state.orders.get(event.orderId), event.orderId).side)
  }
  countEvent(state, event.accountId, undefined)
}

/** Whether an event changes an order. */
export const isOrderEvent = (event: BrokerEvent): event is OrderEvent => event.kind in orderEvents

function applyOther(state: State, event: BrokerEvent): Order | undefined {
  if ('posting' in event) post(state.ledger, event.posting)
  // The compiler cannot relate the kind and its applier through a look-up.
  const applier = appliers[event.kind] as Applier<BrokerEvent['kind']>
  applier(state, event)
  const order = 'orderId' in event ? state.orders.get(event.orderId) : undefined
  return 'accountId' in event && event.accountId !== undefined
    ? countEvent(state, event.accountId, order)
    : order
}

function countEvent(state: State, accountId: AccountId, order: Order | undefined): Order | undefined {
  const account = found(state.accounts.get(accountId), accountId)
  account.events += 1
  account.lastSeq = state.seq
  return order
}

const appliers: { readonly [Kind in BrokerEvent['kind']]: Applier<Kind> } = {
  ...accountAppliers,
  ...keyAppliers,
  ...partnerAppliers,
  ...marginAppliers,
  ...listingAppliers,
  ...followAppliers,
  ...actionAppliers,
  orderAccepted: applyOrder,
  orderReleased: applyOrder,
  orderAcknowledged: applyOrder,
  orderActivated: applyOrder,
  stopActivated: applyOrder,
  stopAdjusted: applyOrder,
  orderElected: applyOrder,
  orderResized: applyOrder,
  orderReplaced: applyOrder,
  orderRestated: applyRestated,
  orderFilled: applyOrder,
  orderCanceled: applyOrder,
  orderExpired: applyOrder,
  orderRejected: applyOrder,
  orderCancelRequested: applyOrder,
  orderCancelRejected: applyOrder,
  orderReplaceRequested: applyOrder,
  orderReplaceRejected: applyOrder,
  orderRequeued: applyOrder,
  orderResumed: applyOrder,
  orderDoneForDay: applyOrder,
  ...watchlistAppliers,
  ...storedRunAppliers,
  ...userAppliers,
  ...credentialAppliers,
  ...factorAppliers,
  ...appAppliers,
  ...grantAppliers,
  ...machineAppliers,
  ...issuerAppliers,
  ...requestAppliers,
  ...jobAppliers,
  jobStarted(state, event) {
    jobAppliers.jobStarted(state, event)
    markIssuerAsked(state, event)
  },
  ...chainAppliers,
  ...callAppliers,
  ...describeAppliers,
}
