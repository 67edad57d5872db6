import type { CorporateAction, Split, SymbolChange } from '../actions/action.ts'
import type { Quantity } from '../amount.ts'
import type { AccountId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import type { View } from '../state.ts'
import { rejected } from './answer.ts'
import { custodyAfter } from './custody.ts'
import type { ListingsChanged, RequestEvent } from './events.ts'
import { holdsShares } from './moves.ts'
import { afterSplit, EVEN } from './multiplier.ts'
import { settled } from './redeem.ts'
import type { Issuer, Listing } from './request.ts'

type Changing = CorporateAction & (Split | SymbolChange)

/**
 * Before shares are split or renamed, whatever only holds them ends: redeems get their shares, and mints that have
 * not got theirs away are asked for again by whoever wants them. One at a time, since each changes what the next finds.
 */
export function requestBefore(
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

/** What becomes of an issuer's list: a split changes how many shares a token stands for, a new symbol its name. */
export function listingsAfter(view: View, { at }: Moment, action: Changing): ListingsChanged[] {
  return issuersOf(view, action).map((issuer) => ({
    kind: 'listingsChanged',
    at,
    issuer: issuer.code,
    listings: issuer.listings.map((listing) =>
      listing.underlying === action.symbol ? listingAfter(listing, action) : listing,
    ),
    ...(action.kind === 'symbolChange' ? { renamed: { from: action.symbol, to: action.newSymbol } } : {}),
  }))
}

function listingAfter(listing: Listing, action: Changing): Listing {
  if (action.kind === 'symbolChange') return { ...listing, underlying: action.newSymbol }
  return { ...listing, multiplier: afterSplit(listing.multiplier ?? EVEN, action.newRate, action.oldRate) }
}

/** How many shares each account in custody has after a split: as many as stand behind the tokens. */
export function custodyAfterSplit(
  view: View,
  action: CorporateAction & Split,
): ReadonlyMap<AccountId, Quantity> {
  const all = new Map<AccountId, Quantity>()
  for (const issuer of issuersOf(view, action)) {
    const listed = issuer.listings.find(({ underlying }) => underlying === action.symbol)
    const after = afterSplit(listed?.multiplier ?? EVEN, action.newRate, action.oldRate)
    for (const [accountId, quantity] of custodyAfter(view, issuer, action.symbol, after))
      all.set(accountId, quantity)
  }
  return all
}

const issuersOf = (view: View, { symbol }: CorporateAction): readonly Issuer[] =>
  [...view.issuers.values()].filter(({ listings }) =>
    listings.some(({ underlying }) => underlying === symbol),
  )
