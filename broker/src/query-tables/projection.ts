import {
  type AccountId,
  apply,
  type BrokerEvent,
  emptyState,
  entryIn,
  forget,
  found,
  type IssuerCode,
  isPending,
  type Order,
  type OrderId,
  type RequestId,
  type State,
  type TokenizationRequest,
} from '@quipu/core'
import type { Entry } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'
import type { HistoryRow, UpdatesRow } from './history.ts'
import { HistoryMaker } from './history-maker.ts'

/**
 * A tokenization request as listed for one side: the participant, or the issuer with the issuer's id of the request.
 */
export type RequestRow = {
  readonly accountId: AccountId
  readonly label?: string
  readonly request: TokenizationRequest
}

/** Selects one order. */
export type OrderKey = { readonly accountId: AccountId; readonly orderId: OrderId }

/** The changes of a batch of events: one final row per order and request. */
export type Changes = {
  readonly seq: number
  readonly orders: readonly Order[]
  readonly requests: readonly RequestRow[]
  /** New history rows of accounts. */
  readonly history: readonly HistoryRow[]
  /** New rows of order updates. */
  readonly updates: readonly UpdatesRow[]
}

/** Makes rows from events, in order. */
export interface EventProjection {
  /** The number of the last event. */
  readonly seq: number
  take(entries: readonly Entry[]): Changes | Promise<Changes>
}

/** Makes rows with a replica of the state. Its orders are those that are open. */
export class Projection implements EventProjection {
  readonly #state: State

  constructor(state: State = emptyState()) {
    this.#state = state
  }

  get seq(): number {
    return this.#state.seq
  }

  get state(): State {
    return this.#state
  }

  /** Applies a batch and drops closed orders and requests from memory; the caller then writes their rows. */
  take(entries: readonly Entry[]): Changes {
    return rowsOf(this.#state, entries.map(eventOf), apply)
  }
}

/** Applies events to a state that has the orders that they change, and drops closed orders and requests from it. */
export function rowsOf(
  state: State,
  events: readonly BrokerEvent[],
  applyEvent: (state: State, event: BrokerEvent) => unknown,
): Changes {
  const orderIds = new Set<OrderId>()
  const requestIds = new Set<RequestId>()
  const history = new HistoryMaker(state)
  for (const event of events) {
    history.see(event)
    applyEvent(state, event)
    history.note(event)
    note(event, orderIds, requestIds)
    if (event.kind === 'listingsChanged') noteRenamed(state, event.issuer, requestIds)
    if (event.kind === 'orderAccepted') noteGroup(state, event.order, orderIds)
  }
  const changes = {
    seq: state.seq,
    orders: [...orderIds].map((id) => entryIn(state.orders, id)),
    requests: [...requestIds].flatMap((id) => requestRows(state, id)),
    history: history.rows(),
    updates: history.updates(),
  }
  forget(state, state.seq)
  return changes
}

/** The rows of a state that contains only open orders and requests. */
export const openRows = (state: State): Changes => ({
  seq: state.seq,
  orders: [...state.orders.values()],
  requests: [...state.requests.keys()].flatMap((id) => requestRows(state, id)),
  history: [],
  updates: [],
})

/** A replacement order changes the references of the other orders in its group. */
function noteGroup({ orders }: State, { group, replaces }: Order, orderIds: Set<OrderId>): void {
  if (!group || replaces === undefined) return
  for (const legId of group.legIds ?? []) if (orders.has(legId)) orderIds.add(legId)
  if (group.parentId !== undefined && orders.has(group.parentId)) orderIds.add(group.parentId)
}

/** Pending requests use the new symbol after a symbol change. */
function noteRenamed({ requests }: State, issuer: IssuerCode, requestIds: Set<RequestId>): void {
  for (const request of requests.values())
    if (request.issuer === issuer && isPending(request)) requestIds.add(request.id)
}

function note(event: BrokerEvent, orderIds: Set<OrderId>, requestIds: Set<RequestId>): void {
  if (event.kind === 'orderAccepted') orderIds.add(event.order.id)
  else if (event.kind === 'mintRequested' || event.kind === 'redeemRequested')
    requestIds.add(event.request.id)
  else if ('orderId' in event) orderIds.add(event.orderId)
  else if ('requestId' in event && event.requestId !== undefined) requestIds.add(event.requestId)
}

/** The participant finds a request by its label; the issuer finds every request by the issuer's id. */
function requestRows({ requests, issuers }: State, id: RequestId): readonly RequestRow[] {
  const request = found(requests.get(id), id)
  const { accountId, label, issuerRequestId } = request
  const issuerAccountId = found(issuers.get(request.issuer), request.issuer).accountId
  return [
    { accountId, request, ...(label === undefined ? {} : { label }) },
    {
      accountId: issuerAccountId,
      request,
      ...(issuerRequestId === undefined ? {} : { label: issuerRequestId }),
    },
  ]
}
