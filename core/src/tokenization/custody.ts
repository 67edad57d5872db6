import { add, format, NO_QUANTITY, type Quantity, subtract, toQuantity } from '../amount.ts'
import type { AccountId, IssuerCode, Ticker } from '../ids.ts'
import { ledgerNetwork, supply, tokenSymbolOf } from '../ledger/chart.ts'
import { entryIn } from '../result.ts'
import type { View } from '../state/state.ts'
import {
  mintsPending,
  multiplierOf,
  outstandingTokens,
  sharesBehind,
  tokenSymbolsOf,
  tokensOf,
} from './multiplier.ts'
import { custodyAccountsOf, type Issuer, type Multiplier } from './request.ts'

/** Shares that an issuer holds in all its accounts. */
export function inCustody(view: View, issuer: Issuer, underlying: Ticker): Quantity {
  let held: bigint = NO_QUANTITY
  for (const accountId of custodyAccountsOf(issuer)) held += sharesIn(view, accountId, underlying)
  return toQuantity(held)
}

const sharesIn = (view: View, accountId: AccountId, symbol: Ticker): Quantity =>
  view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY

/**
 * Shares in each custody account under another multiplier. In total they equal the shares behind all tokens,
 * rounded down to a billionth once. Each account keeps its proportion; the first takes the remainder.
 */
export function custodyAfter(
  view: View,
  issuer: Issuer,
  underlying: Ticker,
  after: Multiplier,
): ReadonlyMap<AccountId, Quantity> {
  const before = inCustody(view, issuer, underlying)
  const total = sharesBehind(after, outstandingTokens(view, issuer, underlying))
  const parts = new Map<AccountId, Quantity>()
  let rest = total
  for (const accountId of custodyAccountsOf(issuer)) {
    const has = sharesIn(view, accountId, underlying)
    if (has === NO_QUANTITY) continue
    const part = toQuantity((total * has) / before)
    parts.set(accountId, part)
    rest = subtract(rest, part)
  }
  const [first] = parts.keys()
  if (first !== undefined) parts.set(first, add(entryIn(parts, first), rest))
  return parts
}

/** Checks that custody equals the shares behind existing tokens and pending mints. */
export function custodyFaults(view: View, issuer: Issuer): string[] {
  return [...new Set(issuer.listings.map(({ underlying }) => underlying))].flatMap((underlying) => {
    const held = inCustody(view, issuer, underlying)
    const owed = sharesBehind(multiplierOf(issuer, underlying), outstandingTokens(view, issuer, underlying))
    return held === owed
      ? []
      : [`custody of ${issuer.code}: ${format(held)} ${underlying} held, ${format(owed)} owed`]
  })
}

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
  const symbols = tokenSymbolsOf(issuer, underlying)
  const tokens = new Map<string, Quantity>()
  for (const [token, amount] of view.ledger.get(supply(issuer.code)) ?? [])
    if (amount !== 0n && symbols.has(tokenSymbolOf(token)))
      tokens.set(ledgerNetwork(token), toQuantity((tokens.get(ledgerNetwork(token)) ?? 0n) - amount))
  return tokens
}
