import { type BlockRefusal, blockFault } from '../account/blocks.ts'
import { format, NO_QUANTITY, type Quantity, subtract } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Decider } from '../handlers.ts'
import type { Ticker } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import { later, MINUTE } from '../time.ts'
import type { RequestMint } from './commands.ts'
import type { MintRequested } from './events.ts'
import { externalIdOf, isLinked } from './link.ts'
import { multiplierOf, smallestOf, tokensFor } from './multiplier.ts'
import { newJob } from './new-job.ts'
import { type ListedToken, listingOf, outcomeFor, type TokenizationRequest } from './request.ts'

/** Deadline of the issuer's acceptance; then the request is rejected and its shares are released. */
const RESPONSE_WITHIN = 15n * MINUTE

export type TokenRefusal =
  | {
      readonly code: 'tokenNotSupported'
      readonly symbol: string
      readonly issuer: string
      readonly network: string
    }
  | { readonly code: 'tokenQuantityNotMultiple'; readonly multiple: string }

export type MintRefusal =
  | TokenRefusal
  | { readonly code: 'accountNotFound' }
  | BlockRefusal<'tokenizationBlocked'>
  | { readonly code: 'tokenizationNotSupported'; readonly issuer: string }
  | { readonly code: 'tokenActionPending'; readonly symbol: string }
  | { readonly code: 'tokenizationNoPosition'; readonly accountNumber: string; readonly symbol: string }
  | {
      readonly code: 'tokenizationInsufficientPosition'
      readonly symbol: string
      readonly requested: string
      readonly available: string
    }

/** Checks run in the order of the steps below; the first failure is returned. */
export const requestMint: Decider<'requestMint', MintRefusal> = (view, moment, command) => {
  const account = view.accounts.get(command.accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  const blocked = blockFault(account, 'transfers', 'tokenizationBlocked')
  if (blocked) return fail(blocked)
  const token = checkToken(view, command)
  if (!token.ok) return token
  if (isDelistingScheduled(view, command.underlying))
    return fail({ code: 'tokenActionPending', symbol: command.underlying })
  const free = checkShares(view, command)
  if (!free.ok) return free
  return ok([mintRequested(view, moment, command, { ...free.value, ...token.value })])
}

type Token = { readonly listing: ListedToken; readonly tokens: Quantity }

function checkToken(
  view: View,
  { accountId, issuer: code, underlying, network, quantity }: RequestMint,
): Result<Token, MintRefusal> {
  const issuer = view.issuers.get(code)
  if (!issuer || !isLinked(view, accountId, code))
    return fail({ code: 'tokenizationNotSupported', issuer: code })
  const listing = listingOf(issuer, underlying, network)
  if (!listing) return fail({ code: 'tokenNotSupported', symbol: underlying, issuer: code, network })
  const multiplier = multiplierOf(issuer, underlying)
  const tokens = tokensFor(multiplier, quantity)
  if (tokens === undefined)
    return fail({ code: 'tokenQuantityNotMultiple', multiple: format(smallestOf(multiplier)) })
  return ok({ listing, tokens })
}

/** Shares that are not held may be minted, settled or not. */
function checkShares(
  view: View,
  { accountId, underlying: symbol, quantity }: RequestMint,
): Result<{ position: Quantity; available: Quantity }, MintRefusal> {
  const position = view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
  if (position === NO_QUANTITY) {
    const { number } = found(view.accounts.get(accountId), accountId)
    return fail({ code: 'tokenizationNoPosition', accountNumber: number, symbol })
  }
  const available = subtract(position, view.holds.get(accountId)?.shares.get(symbol) ?? NO_QUANTITY)
  if (quantity <= available) return ok({ position, available })
  return fail({
    code: 'tokenizationInsufficientPosition',
    symbol,
    requested: format(quantity),
    available: format(available),
  })
}

type FoundMint = Token & { readonly position: Quantity; readonly available: Quantity }

function mintRequested(
  view: View,
  { at, id }: Moment,
  { kind: _, ...terms }: RequestMint,
  { listing, tokens, position, available }: FoundMint,
): MintRequested {
  const { accountId } = terms
  const issuer = found(view.issuers.get(terms.issuer), terms.issuer)
  const requestId = id(accountId, found(view.accounts.get(accountId), accountId).events, 0)
  const isHeld = issuer.mode === 'builtin' && outcomeFor(issuer, terms.wallet) === 'hold'
  const request: TokenizationRequest = {
    id: requestId,
    kind: 'mint',
    ...terms,
    tokenSymbol: listing.tokenSymbol,
    ...definedFields({
      externalId: externalIdOf(view, accountId, terms.issuer),
      tokens: tokens === terms.quantity ? undefined : tokens,
    }),
    status: 'received',
    createdAt: at,
    updatedAt: at,
    held: isHeld,
    deadline: later(at, RESPONSE_WITHIN),
  }
  return {
    kind: 'mintRequested',
    at,
    accountId,
    request,
    decidedWith: { position, available },
    job: newJob(request, 'issuerMint', at),
  }
}

/** Whether a delisting of the symbol is scheduled. */
export function isDelistingScheduled(view: View, symbol: Ticker): boolean {
  for (const action of view.actions.values())
    if (action.symbol === symbol && action.appliedAt === undefined && action.kind === 'delisting') return true
  return false
}
