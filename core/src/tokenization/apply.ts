import { changeHolds } from '../account/holds.ts'
import { changePosition } from '../account/positions/positions.ts'
import { schedule, unschedule } from '../agenda.ts'
import { NO_MONEY, times } from '../amount.ts'
import type { Appliers } from '../handlers.ts'
import type { AccountId, RequestId } from '../ids.ts'
import { dropJob, parkJobs, putJob, unparkJobs } from '../jobs/apply.ts'
import type { JobStarted } from '../jobs/events.ts'
import { type JobKind, jobIdOf } from '../jobs/job.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import { type Instant, later, MINUTE } from '../time.ts'
import type { ShareMove } from './events.ts'
import { holdsShares, isPending, mayMove, type RequestMove, requestStatusAfter } from './moves.ts'
import { issuerRequestName, type TokenizationRequest } from './request.ts'

/**
 * Deadline of the tokens; then they are late. The shares stay in custody, and an operator must review the request.
 */
const TOKENS_WITHIN = 60n * MINUTE

export const requestAppliers = {
  mintRequested(state, { request, job }) {
    receive(state, request)
    putJob(state, job)
  },

  mintAccepted(state, event) {
    dropJobs(state, event.requestId, 'issuerMint')
    change(state, event, 'accept', { issuerRequestId: event.issuerRequestId })
    if (event.job) putJob(state, event.job)
  },

  mintTransferred(state, event) {
    dropJobs(state, event.requestId, 'issuerCustody')
    change(state, event, 'transfer', {
      movedCost: event.moved.cost,
      custodyId: event.moved.to,
      deadline: later(event.at, TOKENS_WITHIN),
    })
    putJob(state, event.job)
    moveShares(state, event.moved)
  },

  mintConfirmed(state, event) {
    dropJobs(state, event.requestId, 'issuerConfirm')
    change(state, event, 'confirm', {})
    if (event.job) putJob(state, event.job)
  },

  mintCompleted(state, event) {
    dropJobs(state, event.requestId, 'issuerConfirm', 'chainMint')
    change(state, event, 'complete', { txHash: event.txHash })
  },

  mintRejected(state, event) {
    dropJobs(state, event.requestId, 'issuerMint', 'issuerCustody', 'issuerConfirm', 'chainMint')
    change(state, event, 'reject', { reason: event.reason })
    if (event.moved) moveShares(state, event.moved)
    if (!event.job) return
    // The request stays in memory until the issuer has been notified.
    state.closedRequests.delete(event.requestId)
    putJob(state, event.job)
  },

  rejectionReported(state, { requestId }) {
    dropJobs(state, requestId, 'issuerReject')
    state.closedRequests.set(requestId, state.seq)
  },

  redeemRequested: (state, { request }) => receive(state, request),

  redeemCompleted(state, event) {
    change(state, event, 'settle', {})
    moveShares(state, event.moved)
  },

  redeemRejected: (state, event) => change(state, event, 'reject', { reason: event.reason }),

  requestHeld(state, { requestId }) {
    const request = found(state.requests.get(requestId), requestId)
    put(state, request, { ...request, held: true })
    parkJobs(state, requestId)
  },

  requestReleased(state, { at, requestId }) {
    const request = found(state.requests.get(requestId), requestId)
    put(state, request, { ...request, held: false })
    unparkJobs(state, requestId, at)
  },
} satisfies Appliers

/** The job that asks the issuer has started, for the first time or again. */
export function markIssuerAsked(state: State, { at, requestId }: JobStarted): void {
  const request = requestId && state.requests.get(requestId)
  if (request && mayMove(request, 'ask')) change(state, { at, requestId: request.id }, 'ask', {})
}

function receive(state: State, request: TokenizationRequest): void {
  state.requests.set(request.id, request)
  const { kind, issuer, issuerRequestId } = request
  if (kind === 'redeem' && issuerRequestId)
    state.issuerRequestIds.set(issuerRequestName(issuer, issuerRequestId), request.id)
  changeShareHold(state, request, 1n)
  scheduleDeadline(state, request)
  touchIssuer(state, request)
}

type OfRequest = { readonly at: Instant; readonly requestId: RequestId }

/** Changes a request, its hold and its agenda item. All changes of requests use this function. */
function change(
  state: State,
  { at, requestId }: OfRequest,
  move: RequestMove,
  patch: Partial<TokenizationRequest>,
): void {
  const before = found(state.requests.get(requestId), requestId)
  put(state, before, { ...before, ...patch, status: requestStatusAfter(before.status, move), updatedAt: at })
}

function put(state: State, before: TokenizationRequest, after: TokenizationRequest): void {
  changeShareHold(state, before, -1n)
  unscheduleDeadline(state, before)
  const { held, ...rest } = after
  const request = held && isPending(after) ? after : rest
  changeShareHold(state, request, 1n)
  scheduleDeadline(state, request)
  state.requests.set(request.id, request)
  if (!isPending(request)) state.closedRequests.set(request.id, state.seq)
  touchIssuer(state, request)
}

/** The issuer's history changes too. */
function touchIssuer(state: State, { issuer }: TokenizationRequest): void {
  const { accountId } = found(state.issuers.get(issuer), issuer)
  const account = found(state.accounts.get(accountId), accountId)
  state.accounts.set(accountId, { ...account, lastSeq: state.seq })
}

/**
 * Deadline of an issuer's response, or the immediate settlement of a redeem; none while the request is on hold.
 */
function scheduleDeadline(state: State, request: TokenizationRequest): void {
  const item = deadlineOf(request)
  if (item) schedule(state.agenda, item.due, item.what)
}

function unscheduleDeadline(state: State, request: TokenizationRequest): void {
  const item = deadlineOf(request)
  if (item) unschedule(state.agenda, item.due, item.what)
}

function deadlineOf(request: TokenizationRequest) {
  const { id: requestId, kind, held, deadline, createdAt } = request
  if (held || !holdsShares(request)) return undefined
  if (kind === 'redeem') return { due: createdAt, what: { kind: 'settleRedeem', requestId } } as const
  return deadline === undefined
    ? undefined
    : ({ due: deadline, what: { kind: 'giveUpRequest', requestId } } as const)
}

function changeShareHold(state: State, request: TokenizationRequest, sign: bigint): void {
  if (!holdsShares(request)) return
  const holder = request.kind === 'mint' ? request.accountId : found(request.custodyId, 'the custody account')
  changeHolds(state, holder, NO_MONEY, request.underlying, times(request.quantity, sign))
}

function dropJobs(state: State, requestId: RequestId, ...kinds: readonly JobKind[]): void {
  for (const kind of kinds) dropJob(state, jobIdOf(requestId, kind))
}

function moveShares(state: State, moved: ShareMove): void {
  changeShares(state, moved.from, moved, -1n)
  changeShares(state, moved.to, moved, 1n)
}

function changeShares(state: State, accountId: AccountId, moved: ShareMove, sign: 1n | -1n): void {
  const { symbol, quantity, cost } = moved
  changePosition(state, accountId, {
    symbol,
    quantity: times(quantity, sign),
    cost: times(cost, sign),
  })
  const account = found(state.accounts.get(accountId), accountId)
  state.accounts.set(accountId, { ...account, lastSeq: state.seq })
}
