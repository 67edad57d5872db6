import { isAboutToChange } from '../actions/pending.ts'
import { format, NO_QUANTITY, type Quantity, subtract } from '../amount.ts'
import type { RequestId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { EarlierMint, RequestMint } from './commands.ts'
import type { MintRequested } from './events.ts'
import { newJob } from './new-job.ts'
import { idempotencyName, type Listing, linkKey, listingOf, type TokenizationRequest } from './request.ts'

export type MintRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'idempotencyKeyReused' }
  | { readonly code: 'idempotencyKeyOfRejected' }
  | { readonly code: 'tokenizationNotSupported'; readonly issuer: string }
  | {
      readonly code: 'tokenNotSupported'
      readonly symbol: string
      readonly issuer: string
      readonly network: string
    }
  | { readonly code: 'tokenActionPending'; readonly symbol: string }
  | { readonly code: 'tokenizationNoPosition'; readonly accountNumber: string; readonly symbol: string }
  | {
      readonly code: 'tokenizationInsufficientPosition'
      readonly symbol: string
      readonly requested: string
      readonly available: string
    }

/**
 * Refuses by the first check that fails, in the order of the steps below; a refusal stores nothing, not even the
 * idempotency key. A call that was made before leads to no event: `earlierMint` says which request it means.
 */
export function requestMint(
  view: View,
  moment: Moment,
  command: RequestMint,
): Result<MintRequested[], MintRefusal> {
  if (!view.accounts.has(command.accountId)) return fail({ code: 'accountNotFound' })
  const earlier = earlierMint(view, command)
  if (earlier) {
    if (earlier.bodyHash !== command.idempotency?.bodyHash) return fail({ code: 'idempotencyKeyReused' })
    return earlier.isRejected ? fail({ code: 'idempotencyKeyOfRejected' }) : ok([])
  }
  const listing = checkToken(view, command)
  if (!listing.ok) return listing
  if (isAboutToChange(view, command.underlying))
    return fail({ code: 'tokenActionPending', symbol: command.underlying })
  const free = checkShares(view, command)
  if (!free.ok) return free
  return ok([mintRequested(view, moment, command, { ...free.value, tokenSymbol: listing.value.tokenSymbol })])
}

/** The request made before under the same idempotency key, if any. Memory is newer than what the views knew. */
export function earlierMint(
  view: View,
  { accountId, idempotency, earlier }: RequestMint,
): EarlierMint | undefined {
  if (!idempotency) return undefined
  const id = view.idempotencyKeys.get(idempotencyName(accountId, idempotency.key))
  if (id === undefined) return earlier
  const request = found(view.requests.get(id), id)
  const { bodyHash } = found(request.idempotency, 'its key')
  return { requestId: id, bodyHash, isRejected: request.status === 'rejected' }
}

function checkToken(
  view: View,
  { accountId, issuer: code, underlying, network }: RequestMint,
): Result<Listing, MintRefusal> {
  const issuer = view.issuers.get(code)
  if (!issuer || !view.links.has(linkKey(accountId, code)))
    return fail({ code: 'tokenizationNotSupported', issuer: code })
  const listing = listingOf(issuer, underlying, network)
  if (!listing) return fail({ code: 'tokenNotSupported', symbol: underlying, issuer: code, network })
  return ok(listing)
}

/** Whatever is held and free may be minted, settled or not. */
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

function mintRequested(
  view: View,
  { at, id }: Moment,
  { kind: _, earlier: __, ...asked }: RequestMint,
  { tokenSymbol, position, available }: { tokenSymbol: string; position: Quantity; available: Quantity },
): MintRequested {
  const { accountId } = asked
  const requestId = id(accountId, found(view.accounts.get(accountId), accountId).events, 0) as RequestId
  const request: TokenizationRequest = {
    id: requestId,
    kind: 'mint',
    ...asked,
    tokenSymbol,
    status: 'received',
    createdAt: at,
    updatedAt: at,
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
