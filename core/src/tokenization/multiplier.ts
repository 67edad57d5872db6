import { NO_QUANTITY, type Quantity } from '../amount.ts'
import type { IssuerCode, Ticker } from '../ids.ts'
import { supply, tokenSymbolOf } from '../ledger/chart.ts'
import type { View } from '../state.ts'
import { hasMoved } from './moves.ts'
import type { Issuer, Multiplier, TokenizationRequest } from './request.ts'

/** One share behind one token, as long as nothing was split. */
export const EVEN: Multiplier = { shares: 1n, tokens: 1n }

/** The multiplier of an issuer's tokens of a share. */
export const multiplierOf = (issuer: Issuer, underlying: Ticker): Multiplier =>
  issuer.listings.find((listing) => listing.underlying === underlying)?.multiplier ?? EVEN

/** The tokens that stand for so many shares; nothing where no whole number of billionths does. */
export function tokensFor({ shares, tokens }: Multiplier, quantity: Quantity): Quantity | undefined {
  const product = quantity * tokens
  return product % shares === 0n ? ((product / shares) as Quantity) : undefined
}

/** The shares behind so many tokens, rounded down to a billionth. */
export const sharesBehind = ({ shares, tokens }: Multiplier, quantity: Quantity): Quantity =>
  ((quantity * shares) / tokens) as Quantity

/** The least that can be minted or redeemed; every amount is a multiple of it. */
export const smallestOf = ({ shares, tokens }: Multiplier): Quantity =>
  (shares / greatestCommon(shares, tokens)) as Quantity

/** The multiplier after a split of so many new shares for so many old ones, in lowest terms. */
export function afterSplit(before: Multiplier, newRate: bigint, oldRate: bigint): Multiplier {
  const shares = before.shares * newRate
  const tokens = before.tokens * oldRate
  const common = greatestCommon(shares, tokens)
  return { shares: shares / common, tokens: tokens / common }
}

function greatestCommon(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommon(b, a % b)
}

/** How many tokens a request is about. */
export const tokensOf = ({ tokens, quantity }: TokenizationRequest): Quantity => tokens ?? quantity

/** All tokens of a share that an issuer answers for: those that exist, and those of mints whose shares have moved. */
export function tokensOut(view: View, issuer: Issuer, underlying: Ticker): Quantity {
  let all: bigint = NO_QUANTITY
  const symbols = new Set(
    issuer.listings.flatMap((listing) => (listing.underlying === underlying ? [listing.tokenSymbol] : [])),
  )
  for (const [token, amount] of view.ledger.get(supply(issuer.code)) ?? [])
    if (symbols.has(tokenSymbolOf(token))) all -= amount
  for (const request of mintsUnderWay(view, issuer.code, underlying)) all += tokensOf(request)
  return all as Quantity
}

/** Mints whose shares are the issuer's and whose tokens do not exist yet. */
export function* mintsUnderWay(
  view: View,
  issuer: IssuerCode,
  underlying: Ticker,
): Generator<TokenizationRequest> {
  for (const request of view.requests.values())
    if (request.issuer === issuer && request.underlying === underlying && hasMoved(request)) yield request
}
