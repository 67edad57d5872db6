import { changeHolds } from '../account/holds.ts'
import { changePosition } from '../account/positions.ts'
import { type Money, NO_MONEY, type Quantity } from '../amount.ts'
import type { AccountId, RequestId } from '../ids.ts'
import { dropJob, putJob } from '../jobs/apply.ts'
import type { JobStarted } from '../jobs/events.ts'
import { type JobKind, jobIdOf } from '../jobs/job.ts'
import { found, unreachable } from '../result.ts'
import type { State } from '../state.ts'
import type { Instant } from '../time.ts'
import type { MintRequested, ShareMove, TokenizationEvent } from './events.ts'
import { holdsShares, isPending, mayMove, type RequestMove, requestStatusAfter } from './moves.ts'
import { idempotencyName, linkKey, type TokenizationRequest } from './request.ts'

/** Writes what happened to a request: its record, its hold, the shares it moves and the call it waits for. */
export function applyTokenization(state: State, event: TokenizationEvent): void {
  switch (event.kind) {
    case 'issuerRegistered': {
      const account = found(state.accounts.get(event.accountId), event.accountId)
      state.issuers.set(event.issuer.code, event.issuer)
      state.accounts.set(account.id, { ...account, issuer: event.issuer.code })
      return
    }
    case 'accountLinked':
      state.links.set(linkKey(event.accountId, event.link.issuer), event.link)
      return
    case 'mintRequested':
      return receive(state, event)
    case 'mintAccepted':
      answered(state, event.requestId, 'issuerMint')
      return change(state, event, 'accept', { issuerRequestId: event.issuerRequestId })
    case 'mintTransferred':
      change(state, event, 'transfer', { movedCost: event.moved.cost })
      putJob(state, event.job)
      return moveShares(state, event.moved)
    case 'mintConfirmed':
      answered(state, event.requestId, 'issuerConfirm')
      change(state, event, 'confirm', {})
      return putJob(state, event.job)
    case 'mintCompleted':
      answered(state, event.requestId, 'issuerConfirm', 'chainMint')
      return change(state, event, 'complete', { txHash: event.txHash })
    case 'mintRejected':
      answered(state, event.requestId, 'issuerMint', 'issuerConfirm', 'chainMint')
      change(state, event, 'reject', { reason: event.reason })
      if (event.moved) moveShares(state, event.moved)
      return
    default:
      return unreachable(event)
  }
}

/** The issuer is asked, for the first time or again. */
export function applyAsked(state: State, { at, requestId }: JobStarted): void {
  if (mayMove(found(state.requests.get(requestId), requestId), 'ask'))
    change(state, { at, requestId }, 'ask', {})
}

function receive(state: State, { accountId, request, job }: MintRequested): void {
  state.requests.set(request.id, request)
  if (request.idempotency)
    state.idempotencyKeys.set(idempotencyName(accountId, request.idempotency.key), request.id)
  hold(state, request, 1n)
  putJob(state, job)
}

/** Every change of a request goes through here: old hold out, new hold in. */
function change(
  state: State,
  { at, requestId }: { readonly at: Instant; readonly requestId: RequestId },
  move: RequestMove,
  patch: Partial<TokenizationRequest>,
): void {
  const before = found(state.requests.get(requestId), requestId)
  const after = { ...before, ...patch, status: requestStatusAfter(before.status, move), updatedAt: at }
  hold(state, before, -1n)
  hold(state, after, 1n)
  state.requests.set(requestId, after)
  if (!isPending(after)) state.closedRequests.set(requestId, state.seq)
}

function hold(state: State, request: TokenizationRequest, sign: bigint): void {
  if (!holdsShares(request)) return
  changeHolds(state, request.accountId, NO_MONEY, request.underlying, (sign * request.quantity) as Quantity)
}

function answered(state: State, requestId: RequestId, ...kinds: readonly JobKind[]): void {
  for (const kind of kinds) dropJob(state, jobIdOf(requestId, kind))
}

function moveShares(state: State, moved: ShareMove): void {
  give(state, moved.from, moved, -1n)
  give(state, moved.to, moved, 1n)
}

function give(state: State, accountId: AccountId, moved: ShareMove, sign: 1n | -1n): void {
  const { symbol, quantity, cost } = moved
  changePosition(state, accountId, {
    symbol,
    quantity: (sign * quantity) as Quantity,
    cost: (sign * cost) as Money,
  })
  // The issuer's history has changed too.
  const account = found(state.accounts.get(accountId), accountId)
  state.accounts.set(accountId, { ...account, lastSeq: state.seq })
}
