import { type Money, NO_MONEY, type Quantity, subtract } from '../amount.ts'
import type { RequestId } from '../ids.ts'
import { customer, shares, supply, tokens, WALLETS } from '../ledger/chart.ts'
import { move, type Posting } from '../ledger/posting.ts'
import type { Moment } from '../moment.ts'
import { found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { AnswerConfirm, AnswerMint, CompleteMint } from './commands.ts'
import type {
  MintAccepted,
  MintCompleted,
  MintConfirmed,
  MintRejected,
  MintTransferred,
  ShareMove,
} from './events.ts'
import { mayMove, type RequestMove } from './moves.ts'
import { newJob } from './new-job.ts'
import type { TokenizationRequest } from './request.ts'

/*
 * What comes of an answer from outside. Calls are made at least once, so an answer may come twice or too late:
 * one that the request's status has no move for changes nothing.
 */

/** Accepted: the shares move at once, in the same decision. */
export function answerMint(
  view: View,
  { at }: Moment,
  { requestId, answer }: AnswerMint,
): Result<[MintAccepted, MintTransferred] | MintRejected[], never> {
  const request = movable(view, requestId, 'accept')
  if (!request) return ok([])
  if (!answer.ok) return ok([rejected(view, request, at, answer.reason)])
  const moved = shareMove(view, request)
  const of = { at, accountId: request.accountId, requestId }
  return ok([
    { kind: 'mintAccepted', ...of, issuerRequestId: answer.issuerRequestId },
    {
      kind: 'mintTransferred',
      ...of,
      moved,
      posting: postingOf(moved),
      job: newJob(request, 'issuerConfirm', at),
    },
  ])
}

/** The built-in issuer mints now; we do that for it. */
export function answerConfirm(
  view: View,
  { at }: Moment,
  { requestId, answer }: AnswerConfirm,
): Result<(MintConfirmed | MintRejected)[], never> {
  const request = movable(view, requestId, 'confirm')
  if (!request) return ok([])
  if (!answer.ok) return ok([rejected(view, request, at, answer.reason)])
  const job = newJob(request, 'chainMint', at)
  return ok([{ kind: 'mintConfirmed', at, accountId: request.accountId, requestId, job }])
}

export function completeMint(
  view: View,
  { at }: Moment,
  { requestId, txHash }: CompleteMint,
): Result<MintCompleted[], never> {
  const request = movable(view, requestId, 'complete')
  if (!request) return ok([])
  const { accountId, tokenSymbol, network, quantity, issuer } = request
  const posting = move(tokens(tokenSymbol, network), quantity, { from: supply(issuer), to: WALLETS })
  return ok([{ kind: 'mintCompleted', at, accountId, requestId, txHash, posting }])
}

function movable(view: View, id: RequestId, step: RequestMove): TokenizationRequest | undefined {
  const request = view.requests.get(id)
  return request && mayMove(request, step) ? request : undefined
}

/** Shares that had moved go back with their cost, as a second pair of legs beside the first. */
function rejected(view: View, request: TokenizationRequest, at: Instant, reason: string): MintRejected {
  const of = {
    kind: 'mintRejected',
    at,
    accountId: request.accountId,
    requestId: request.id,
    reason,
  } as const
  if (request.movedCost === undefined) return { ...of, posting: [] }
  const { from, to, ...what } = shareMove(view, request)
  const back = { ...what, cost: request.movedCost, from: to, to: from }
  return { ...of, moved: back, posting: postingOf(back) }
}

/** The shares take their part of what was paid for all of them along, at the average price. */
function shareMove(view: View, request: TokenizationRequest): ShareMove {
  const { accountId, underlying: symbol, quantity, issuer } = request
  const position = view.positions.get(accountId)?.get(symbol)
  return {
    symbol,
    quantity,
    cost: position ? costOf(position, quantity) : NO_MONEY,
    from: accountId,
    to: found(view.issuers.get(issuer), issuer).accountId,
  }
}

function costOf(
  { quantity, costBasis }: { readonly quantity: Quantity; readonly costBasis: Money },
  part: Quantity,
): Money {
  const kept = (costBasis * subtract(quantity, part)) / quantity
  return subtract(costBasis, kept as Money)
}

const postingOf = ({ symbol, quantity, from, to }: ShareMove): Posting =>
  move(shares(symbol), quantity, { from: customer(from, 'settled'), to: customer(to, 'settled') })
