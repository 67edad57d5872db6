import {
  type AccountId,
  apply,
  type BrokerEvent,
  emptyState,
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
import type { HistoryRow } from './history.ts'
import { HistoryMaker } from './history-maker.ts'

/** A request as one of its two sides finds it: the participant, and the issuer under its own id for it. */
export type RequestRow = {
  readonly accountId: AccountId
  readonly label?: string
  readonly key?: string
  readonly request: TokenizationRequest
}

/** What a batch of events changed: one final row per order and request, whatever happened to it in between. */
export type Changes = {
  readonly seq: number
  readonly orders: readonly Order[]
  readonly requests: readonly RequestRow[]
  /** What was added to the past of accounts. */
  readonly history: readonly HistoryRow[]
}

/**
 * The views' own replica of the state, fed from the journal. It is what rows are made of and what snapshots are
 * taken from; the engine's state is never looked at.
 */
export class Projection {
  readonly #state: State

  constructor(state: State = emptyState()) {
    this.#state = state
  }

  get state(): State {
    return this.#state
  }

  /** Takes a batch in and lets go of what it ended, since the caller is about to write it. */
  take(entries: readonly Entry[]): Changes {
    const orderIds = new Set<OrderId>()
    const requestIds = new Set<RequestId>()
    const history = new HistoryMaker(this.#state)
    for (const entry of entries) {
      const event = eventOf(entry)
      history.see(event)
      apply(this.#state, event)
      history.note(event)
      note(event, orderIds, requestIds)
      if (event.kind === 'listingsChanged') noteRenamed(this.#state, event.issuer, requestIds)
      if (event.kind === 'orderAccepted') noteGroup(this.#state, event.order, orderIds)
    }
    const changes = {
      seq: this.#state.seq,
      orders: [...orderIds].map((id) => this.#state.orders.get(id)!),
      requests: [...requestIds].flatMap((id) => requestRows(this.#state, id)),
      history: history.rows(),
    }
    forget(this.#state, this.#state.seq)
    return changes
  }
}

/** The rows of what is open in a state that holds nothing else. */
export const openRows = (state: State): Changes => ({
  seq: state.seq,
  orders: [...state.orders.values()],
  requests: [...state.requests.keys()].flatMap((id) => requestRows(state, id)),
  history: [],
})

/** An order in another's place changes what the rest of its group refers to. */
function noteGroup({ groups, orders }: State, { id, group, replaces }: Order, orderIds: Set<OrderId>): void {
  if (!group || replaces === undefined) return
  for (const member of groups.get(group.parentId ?? id) ?? []) orderIds.add(member)
  if (group.parentId !== undefined && orders.has(group.parentId)) orderIds.add(group.parentId)
}

/** Requests under way go by the new name of their shares. */
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

/** Whoever made a request finds it by the key and the label it gave; the issuer finds every one by its own id for it. */
function requestRows({ requests, issuers }: State, id: RequestId): readonly RequestRow[] {
  const request = found(requests.get(id), id)
  const { kind, accountId, label, idempotency, issuerRequestId } = request
  const issuerAccountId = found(issuers.get(request.issuer), request.issuer).accountId
  const key = idempotency ? { key: idempotency.key } : {}
  return [
    { accountId, request, ...(label === undefined ? {} : { label }), ...(kind === 'mint' ? key : {}) },
    {
      accountId: issuerAccountId,
      request,
      ...(issuerRequestId === undefined ? {} : { label: issuerRequestId }),
      ...(kind === 'redeem' ? key : {}),
    },
  ]
}
