import type { CorporateAction, Split, SymbolChange } from '../actions/action.ts'
import type { Quantity } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { AccountId, Ticker } from '../ids.ts'
import type { Moment } from '../moment.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import { custodyAfter } from './custody.ts'
import type { ListingsChanged, RequestEvent, TokensRestated } from './events.ts'
import { rejected } from './issuer-response.ts'
import { holdsShares } from './moves.ts'
import { afterSplit, multiplierOf } from './multiplier.ts'
import { settled } from './redeem.ts'
import type { Issuer, ListedToken, Multiplier } from './request.ts'
import { tokensRestated } from './restate.ts'

type Changing = CorporateAction & (Split | SymbolChange)

/**
 * Ends requests that hold shares before a split or a symbol change: redeems are settled, and mints whose
 * shares have not moved are rejected. One at a time, because each changes the state for the next.
 */
export function requestToEnd(
  view: View,
  { at }: Moment,
  { symbol, kind }: CorporateAction,
): RequestEvent | undefined {
  if (kind === 'dividend') return undefined
  for (const request of view.requests.values())
    if (request.underlying === symbol && holdsShares(request))
      return request.kind === 'redeem'
        ? settled(view, request, at)
        : rejected(view, request, at, `${symbol} is about to change`, true)
  return undefined
}

/**
 * The effect on an issuer's tokens. A symbol change updates the listing. A split changes the multiplier of a
 * built-in issuer's tokens, and the number of an external issuer's tokens, which are counted in shares.
 */
export function listingsAfter(
  view: View,
  { at }: Moment,
  action: Changing,
): (ListingsChanged | TokensRestated)[] {
  return issuersOf(view, action).flatMap((issuer) => {
    const isRestated = action.kind === 'split' && issuer.mode === 'external'
    const restating = { issuer, underlying: action.symbol, multiplier: multiplierAfter(issuer, action) }
    return [
      ...(isRestated ? tokensRestated(view, at, restating) : []),
      ...(isRestated && !hasMultiplier(issuer, action.symbol) ? [] : [listingsChanged(issuer, at, action)]),
    ]
  })
}

const hasMultiplier = ({ listings }: Issuer, underlying: Ticker): boolean =>
  listings.some((listing) => listing.underlying === underlying && listing.multiplier !== undefined)

const listingsChanged = (issuer: Issuer, at: Instant, action: Changing): ListingsChanged => ({
  kind: 'listingsChanged',
  at,
  issuer: issuer.code,
  listings: issuer.listings.map((listing) =>
    listing.underlying === action.symbol ? listingAfter(issuer, listing, action) : listing,
  ),
  ...definedFields({
    renamed: action.kind === 'symbolChange' ? { from: action.symbol, to: action.newSymbol } : undefined,
  }),
})

function listingAfter(issuer: Issuer, listing: ListedToken, action: Changing): ListedToken {
  if (action.kind === 'symbolChange') return { ...listing, underlying: action.newSymbol }
  const { multiplier: _, ...inShares } = listing
  return issuer.mode === 'external' ? inShares : { ...listing, multiplier: multiplierAfter(issuer, action) }
}

function multiplierAfter(issuer: Issuer, action: Changing): Multiplier {
  const before = multiplierOf(issuer, action.symbol)
  return action.kind === 'split' ? afterSplit(before, action.newRate, action.oldRate) : before
}

/** Shares in each custody account after a split: as many as back the tokens. */
export function custodyAfterSplit(
  view: View,
  action: CorporateAction & Split,
): ReadonlyMap<AccountId, Quantity> {
  const all = new Map<AccountId, Quantity>()
  for (const issuer of issuersOf(view, action)) {
    const after = multiplierAfter(issuer, action)
    for (const [accountId, quantity] of custodyAfter(view, issuer, action.symbol, after))
      all.set(accountId, quantity)
  }
  return all
}

const issuersOf = (view: View, { symbol }: CorporateAction): readonly Issuer[] =>
  [...view.issuers.values()].filter(({ listings }) =>
    listings.some(({ underlying }) => underlying === symbol),
  )
