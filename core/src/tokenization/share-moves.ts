import { costOfPart, onDay } from '../account/positions/lots.ts'
import { dayFor } from '../account/positions/positions.ts'
import { type Money, NO_MONEY, NO_QUANTITY, type Quantity, subtract } from '../amount.ts'
import type { AccountId } from '../ids.ts'
import { customer, shares, supply, tokens, WALLETS } from '../ledger/chart.ts'
import { move, type Posting } from '../ledger/ledger.ts'
import { found } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { ShareMove } from './events.ts'
import { multiplierOf, outstandingTokens, sharesBehind, tokensOf } from './multiplier.ts'
import { custodyAccountsOf, type TokenizationRequest } from './request.ts'

/** Moves shares from the participant to the issuer, with a proportional part of the cost basis. */
export function moveIn(view: View, at: Instant, request: TokenizationRequest, to: AccountId): ShareMove {
  const { accountId: from, underlying: symbol, quantity } = request
  return { symbol, quantity, cost: costOf(view, at, from, request, quantity), from, to }
}

/**
 * Moves shares back to the participant, with the original cost. The quantity follows from the canceled tokens, because a
 * split may have changed it since.
 */
export function moveBack(view: View, request: TokenizationRequest): ShareMove {
  const { accountId: to, underlying: symbol, movedCost } = request
  const issuer = found(view.issuers.get(request.issuer), request.issuer)
  const from = request.custodyId ?? issuer.accountId
  const multiplier = multiplierOf(issuer, symbol)
  const before = outstandingTokens(view, issuer, symbol)
  const after = subtract(before, tokensOf(request))
  const quantity = subtract(sharesBehind(multiplier, before), sharesBehind(multiplier, after))
  return { symbol, quantity, cost: found(movedCost, 'their cost'), from, to }
}

/** Moves shares from the issuer to the participant, for burned tokens. */
export function moveOut(view: View, at: Instant, request: TokenizationRequest): ShareMove {
  const { accountId: to, underlying: symbol, quantity, custodyId } = request
  const from = found(custodyId, 'the custody account')
  return { symbol, quantity, cost: costOf(view, at, from, request, quantity), from, to }
}

function costOf(
  view: View,
  at: Instant,
  accountId: AccountId,
  { underlying }: TokenizationRequest,
  part: Quantity,
): Money {
  const known = view.positions.get(accountId)?.get(underlying)
  return known ? costOfPart(onDay(known, dayFor(underlying, at)), part) : NO_MONEY
}

/** The custody account that can give this many shares. */
export function custodyGiver(
  view: View,
  issuerCode: TokenizationRequest['issuer'],
  { underlying, quantity }: Pick<TokenizationRequest, 'underlying' | 'quantity'>,
): { readonly accountId: AccountId; readonly custody: Quantity; readonly available: Quantity } {
  const issuer = found(view.issuers.get(issuerCode), issuerCode)
  const has = (accountId: AccountId) => {
    const custody = view.positions.get(accountId)?.get(underlying)?.quantity ?? NO_QUANTITY
    const held = view.holds.get(accountId)?.shares.get(underlying) ?? NO_QUANTITY
    return { accountId, custody, available: subtract(custody, held) }
  }
  const all = custodyAccountsOf(issuer).map(has)
  return all.find(({ available }) => available >= quantity) ?? found(all[0], 'its account')
}

export const sharePosting = ({ symbol, quantity, from, to }: ShareMove): Posting =>
  move(shares(symbol), quantity, { from: customer(from, 'settled'), to: customer(to, 'settled') })

/** Mints tokens to a wallet. */
export const mintPosting = (request: TokenizationRequest): Posting =>
  move(tokens(request.tokenSymbol, request.network), tokensOf(request), {
    from: supply(request.issuer),
    to: WALLETS,
  })

/** Burns tokens. */
export const burnPosting = (request: TokenizationRequest): Posting =>
  move(tokens(request.tokenSymbol, request.network), tokensOf(request), {
    from: WALLETS,
    to: supply(request.issuer),
  })
