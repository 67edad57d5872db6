import { NO_QUANTITY, type Quantity, toQuantity } from '../amount.ts'
import type { IssuerCode, Ticker } from '../ids.ts'
import { supply, tokenSymbolOf } from '../ledger/chart.ts'
import type { View } from '../state/state.ts'
import { hasMoved } from './moves.ts'
import type { Issuer, Multiplier, TokenizationRequest } from './request.ts'

/** One share per token, before any split. */
export const ONE_TO_ONE: Multiplier = { shares: 1n, tokens: 1n }

export const multiplierOf = (issuer: Issuer, underlying: Ticker): Multiplier =>
  issuer.listings.find((listing) => listing.underlying === underlying)?.multiplier ?? ONE_TO_ONE

/** The tokens for a quantity of shares; undefined if that is not a whole number of billionths. */
export function tokensFor({ shares, tokens }: Multiplier, quantity: Quantity): Quantity | undefined {
  const product = quantity * tokens
  return product % shares === 0n ? toQuantity(product / shares) : undefined
}

/** The shares behind a quantity of tokens, rounded down to a billionth. */
export const sharesBehind = ({ shares, tokens }: Multiplier, quantity: Quantity): Quantity =>
  toQuantity((quantity * shares) / tokens)

/** The minimum quantity to mint or redeem; every quantity must be a multiple. */
export const smallestOf = ({ shares, tokens }: Multiplier): Quantity =>
  toQuantity(shares / greatestCommon(shares, tokens))

/** The multiplier after a split, in lowest terms. */
export function afterSplit(before: Multiplier, newRate: bigint, oldRate: bigint): Multiplier {
  const shares = before.shares * newRate
  const tokens = before.tokens * oldRate
  const common = greatestCommon(shares, tokens)
  return { shares: shares / common, tokens: tokens / common }
}

function greatestCommon(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommon(b, a % b)
}

/** The symbols of every token that represents a share. */
export const tokenSymbolsOf = ({ listings }: Issuer, underlying: Ticker): ReadonlySet<string> =>
  new Set(listings.filter((one) => one.underlying === underlying).map(({ tokenSymbol }) => tokenSymbol))

/** How many tokens a request is for. */
export const tokensOf = ({ tokens, quantity }: TokenizationRequest): Quantity => tokens ?? quantity

/** All tokens of a share: existing ones, and those of mints whose shares have moved. */
export function outstandingTokens(view: View, issuer: Issuer, underlying: Ticker): Quantity {
  let all: bigint = NO_QUANTITY
  const symbols = tokenSymbolsOf(issuer, underlying)
  for (const [token, amount] of view.ledger.get(supply(issuer.code)) ?? [])
    if (symbols.has(tokenSymbolOf(token))) all -= amount
  for (const request of mintsPending(view, issuer.code, underlying)) all += tokensOf(request)
  return toQuantity(all)
}

/** Mints whose shares are in custody and whose tokens do not exist yet. */
export function* mintsPending(
  view: View,
  issuer: IssuerCode,
  underlying: Ticker,
): Generator<TokenizationRequest> {
  for (const request of view.requests.values())
    if (request.issuer === issuer && request.underlying === underlying && hasMoved(request)) yield request
}
