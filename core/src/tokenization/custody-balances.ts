import { add, NO_QUANTITY, type Quantity } from '../amount.ts'
import type { IssuerCode, Ticker } from '../ids.ts'
import { networkOf, supply, tokenSymbolOf } from '../ledger/chart.ts'
import type { View } from '../state.ts'
import { inCustody } from './custody.ts'
import { mintsPending, multiplierOf, tokensOf } from './multiplier.ts'
import type { Issuer, Multiplier } from './request.ts'

/** An issuer's custody of a share, and the tokens it backs. */
export type CustodyBalance = {
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly custody: Quantity
  readonly multiplier: Multiplier
  /** Minted and not redeemed, by network. */
  readonly tokens: ReadonlyMap<string, Quantity>
  /** Tokens of mints whose shares have moved, and which do not exist yet. */
  readonly inFlight: Quantity
}

/** One row per issuer and share with any custody or tokens. */
export const custodyBalances = (view: View): readonly CustodyBalance[] =>
  [...view.issuers.values()].flatMap((issuer) =>
    [...new Set(issuer.listings.map(({ underlying }) => underlying))]
      .map((underlying) => balanceOf(view, issuer, underlying))
      .filter(({ custody, tokens, inFlight }) => custody || tokens.size || inFlight),
  )

function balanceOf(view: View, issuer: Issuer, underlying: Ticker): CustodyBalance {
  let inFlight = NO_QUANTITY
  for (const request of mintsPending(view, issuer.code, underlying))
    inFlight = add(inFlight, tokensOf(request))
  return {
    issuer: issuer.code,
    underlying,
    custody: inCustody(view, issuer, underlying),
    multiplier: multiplierOf(issuer, underlying),
    tokens: tokensByNetwork(view, issuer, underlying),
    inFlight,
  }
}

function tokensByNetwork(view: View, issuer: Issuer, underlying: Ticker): ReadonlyMap<string, Quantity> {
  const symbols = new Set(
    issuer.listings.filter((one) => one.underlying === underlying).map(({ tokenSymbol }) => tokenSymbol),
  )
  const tokens = new Map<string, Quantity>()
  for (const [token, amount] of view.ledger.get(supply(issuer.code)) ?? [])
    if (amount !== 0n && symbols.has(tokenSymbolOf(token)))
      tokens.set(networkOf(token), ((tokens.get(networkOf(token)) ?? 0n) - amount) as Quantity)
  return tokens
}
