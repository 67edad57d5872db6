import { type Quantity, toQuantity } from '../amount.ts'
import type { RequestId, Ticker } from '../ids.ts'
import { type LedgerAsset, supply, tokenSymbolOf, WALLETS } from '../ledger/chart.ts'
import { moveSigned, type Posting } from '../ledger/ledger.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { TokensRestated } from './events.ts'
import { mintsPending, outstandingTokens, sharesBehind, tokenSymbolsOf, tokensOf } from './multiplier.ts'
import type { Issuer, Multiplier } from './request.ts'

type Part = { readonly before: Quantity; readonly token?: LedgerAsset; readonly requestId?: RequestId }

/**
 * The tokens of an external issuer are counted in shares, so a split restates their number: existing ones,
 * and those of mints whose shares have moved. The ratio on the chain itself is the issuer's concern.
 */
export function tokensRestated(
  view: View,
  at: Instant,
  { issuer, underlying, multiplier }: Restating,
): TokensRestated[] {
  const parts = partsOf(view, issuer, underlying)
  // Rounded down once over the total, like custody; the first part takes the remainder.
  let rest: bigint = sharesBehind(multiplier, outstandingTokens(view, issuer, underlying))
  for (const { before } of parts) rest -= sharesBehind(multiplier, before)
  const posting: Posting[number][] = []
  const tokens = new Map<RequestId, Quantity>()
  for (const { before, token, requestId } of parts) {
    const after = sharesBehind(multiplier, before) + rest
    rest = 0n
    if (requestId) tokens.set(requestId, toQuantity(after))
    if (token) posting.push(...moveSigned(token, after - before, { from: supply(issuer.code), to: WALLETS }))
  }
  if (parts.length === 0) return []
  return [{ kind: 'tokensRestated', at, issuer: issuer.code, underlying, tokens, posting }]
}

export type Restating = {
  readonly issuer: Issuer
  readonly underlying: Ticker
  readonly multiplier: Multiplier
}

function partsOf(view: View, issuer: Issuer, underlying: Ticker): readonly Part[] {
  const symbols = tokenSymbolsOf(issuer, underlying)
  const parts: Part[] = []
  for (const [token, amount] of view.ledger.get(supply(issuer.code)) ?? [])
    if (amount !== 0n && symbols.has(tokenSymbolOf(token))) parts.push({ before: toQuantity(-amount), token })
  for (const request of mintsPending(view, issuer.code, underlying))
    parts.push({ before: tokensOf(request), requestId: request.id })
  return parts
}
