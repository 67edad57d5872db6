import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId, RequestId } from '../ids.ts'
import { jobIdOf } from '../jobs/job.ts'
import { hasOpenOrders } from '../orders/open-orders.ts'
import { fail, found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { type Instant, later } from '../time.ts'
import type { MintCompleted, MintRejected, MintTransferred } from './events.ts'
import { mayMove, type RequestMove } from './moves.ts'
import { newJob } from './new-job.ts'
import { type Issuer, outcomeFor, type TokenizationRequest } from './request.ts'
import { mintPosting, moveBack, moveIn, sharePosting } from './share-moves.ts'

/*
 * Handles responses of issuers. Calls are made at least once, so a response may be repeated or late. A response
 * that does not fit the request's status changes nothing.
 */

export const answerDeciders = {
  /**
   * The issuer's response to a mint. If accepted, the shares move in the same decision, unless the issuer must
   * name a custody account first.
   */
  answerMint(view, { at }, { requestId, response }) {
    const request = movable(view, requestId, 'accept')
    if (request?.status !== 'validating') return ok([])
    if (!response.ok) return ok([rejected(view, request, at, response.reason)])
    const { issuerRequestId } = response
    const accepted = { kind: 'mintAccepted', ...tokenRequestFields(request, at), issuerRequestId } as const
    const to = custodyFor(issuerOf(view, request), request, at)
    if (to === undefined) return ok([{ ...accepted, job: newJob(request, 'issuerCustody', at) }])
    return ok([accepted, transferred(view, request, at, to)])
  },

  /**
   * The issuer names a custody account. It must belong to the issuer's partner and be unused, or already be in
   * custody. Otherwise the mint is rejected and the issuer is notified.
   */
  answerCustody(view, { at }, { requestId, response, until }) {
    const request = movable(view, requestId, 'transfer')
    if (!request) return ok([])
    if (!response.ok) return ok([rejected(view, request, at, response.reason, true)])
    const { accountId } = response
    const issuer = issuerOf(view, request)
    if (!isUsable(view, issuer, accountId))
      return ok([rejected(view, request, at, 'the custody account does not belong to the issuer', true)])
    const { code } = issuer
    const { underlying } = request
    return ok([
      { kind: 'custodyAccountSet', at, accountId, issuer: code, underlying, until },
      transferred(view, request, at, accountId),
    ])
  },

  /** The built-in issuer mints now or after its delay, by our own job. An external issuer calls back. */
  answerConfirm(view, { at }, { requestId, response }) {
    const request = movable(view, requestId, 'confirm')
    if (!request) return ok([])
    if (!response.ok) return ok([rejected(view, request, at, response.reason)])
    const confirmed = { kind: 'mintConfirmed', ...tokenRequestFields(request, at) } as const
    const due = mintDue(issuerOf(view, request), request, at)
    return ok([due === undefined ? confirmed : { ...confirmed, job: newJob(request, 'chainMint', due) }])
  },

  answerRejection(view, { at }, { requestId }) {
    const request = view.requests.get(requestId)
    const isDue = view.jobs.has(jobIdOf(requestId, 'issuerReject'))
    return ok(request && isDue ? [{ kind: 'rejectionReported', ...tokenRequestFields(request, at) }] : [])
  },

  completeMint(view, { at }, { requestId, txHash }) {
    const request = view.requests.get(requestId)
    if (!request || !mayMove(request, 'complete')) return ok([])
    if (request.held) return fail({ code: 'tokenizationRequestHeld' })
    return ok([completed(request, at, txHash)])
  },
} satisfies Deciders<CompleteRefusal>

/** The custody account of this symbol; undefined if the issuer must be asked. */
export function custodyFor(
  { accountId, urls, custody }: Issuer,
  { underlying }: TokenizationRequest,
  at: Instant,
): AccountId | undefined {
  if (!urls?.custody) return accountId
  const named = custody?.get(underlying)
  return named && named.until > at ? named.accountId : undefined
}

function isUsable(view: View, { code, accountId: own, partnerId }: Issuer, accountId: AccountId): boolean {
  const account = view.accounts.get(accountId)
  if (!account || account.closedAt !== undefined) return false
  if (accountId === own || account.issuer === code) return true
  const isNew = !view.positions.get(accountId)?.size && !hasOpenOrders(view, accountId)
  return account.issuer === undefined && account.partnerId === partnerId && isNew
}

/** When we mint for the built-in issuer; undefined for an external issuer, or if the mint must not happen. */
export function mintDue(issuer: Issuer, { wallet }: TokenizationRequest, at: Instant): Instant | undefined {
  const outcome = outcomeFor(issuer, wallet)
  if (issuer.mode === 'external' || outcome === 'never') return undefined
  const delay = typeof outcome === 'object' ? outcome.lateNs : (issuer.behaviour?.delayNs ?? 0n)
  return later(at, delay)
}

export type CompleteRefusal = { readonly code: 'tokenizationRequestHeld' }

export const completed = (request: TokenizationRequest, at: Instant, txHash: string): MintCompleted => ({
  kind: 'mintCompleted',
  ...tokenRequestFields(request, at),
  txHash,
  posting: mintPosting(request),
})

export function transferred(
  view: View,
  request: TokenizationRequest,
  at: Instant,
  to: AccountId,
): MintTransferred {
  const moved = moveIn(view, at, request, to)
  return {
    kind: 'mintTransferred',
    ...tokenRequestFields(request, at),
    moved,
    posting: sharePosting(moved),
    job: newJob(request, 'issuerConfirm', at),
  }
}

/** Rejects a mint. Shares that had moved go back with their cost. */
export function rejected(
  view: View,
  request: TokenizationRequest,
  at: Instant,
  reason: string,
  notifyIssuer = false,
): MintRejected {
  const { held: _, ...free } = request
  // The issuer may have accepted without our receiving the response.
  const wasAsked = request.status !== 'received'
  const job = notifyIssuer && wasAsked ? newJob(free, 'issuerReject', at) : undefined
  const base = {
    kind: 'mintRejected',
    ...tokenRequestFields(request, at),
    reason,
    ...definedFields({ job }),
  } as const
  if (request.movedCost === undefined) return { ...base, posting: [] }
  const moved = moveBack(view, request)
  return { ...base, moved, posting: sharePosting(moved) }
}

function movable(view: View, id: RequestId, step: RequestMove): TokenizationRequest | undefined {
  const request = view.requests.get(id)
  return request && !request.held && mayMove(request, step) ? request : undefined
}

export const issuerOf = (view: View, { issuer }: TokenizationRequest): Issuer =>
  found(view.issuers.get(issuer), issuer)

export const tokenRequestFields = ({ id, accountId }: TokenizationRequest, at: Instant) => ({
  at,
  accountId,
  requestId: id,
})
