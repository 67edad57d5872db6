import { type BlockRefusal, blockFault } from '../account/blocks.ts'
import { format, NO_QUANTITY, type Quantity } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId } from '../ids.ts'
import { supply, tokens as tokenAsset } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { ParticipantName, RequestRedeem } from './commands.ts'
import type { RedeemCompleted, RedeemRequested } from './events.ts'
import { tokenRequestFields } from './issuer-response.ts'
import { externalIdOf, isLinked } from './link.ts'
import type { TokenRefusal } from './mint.ts'
import { multiplierOf, smallestOf, tokensFor } from './multiplier.ts'
import { type Issuer, issuerRequestName, outcomeFor, type TokenizationRequest } from './request.ts'
import { burnPosting, custodyGiver, moveOut, sharePosting } from './share-moves.ts'
import { isShortOf } from './shorts.ts'

export type RedeemRefusal =
  | TokenRefusal
  | BlockRefusal<'tokenizationBlocked'>
  | { readonly code: 'issuerNotFound'; readonly issuer: string }
  | { readonly code: 'tokenizationNotSupported'; readonly issuer: string }
  | { readonly code: 'issuerRequestIdReused' }
  | { readonly code: 'accountIsShort'; readonly symbol: string }
  | { readonly code: 'tokenSupplyExceeded'; readonly requested: string; readonly available: string }
  | { readonly code: 'custodyInsufficient'; readonly requested: string; readonly available: string }

export const redeemDeciders = {
  /** Checks run in order; the first failure is returned. */
  requestRedeem(view, moment, command) {
    const issuer = view.issuers.get(command.issuer)
    if (!issuer) return fail({ code: 'issuerNotFound', issuer: command.issuer })
    const name = issuerRequestName(issuer.code, command.issuerRequestId)
    if (command.earlierId !== undefined || view.issuerRequestIds.has(name))
      return fail({ code: 'issuerRequestIdReused' })
    const accountId = participantAccount(view, issuer, command.participant)
    if (!accountId) return fail({ code: 'tokenizationNotSupported', issuer: issuer.code })
    const blocked = blockFault(
      found(view.accounts.get(accountId), accountId),
      'transfers',
      'tokenizationBlocked',
    )
    if (blocked) return fail(blocked)
    if (isShortOf(view, accountId, command.underlying))
      return fail({ code: 'accountIsShort', symbol: command.underlying })
    const tokens = checkTokens(view, issuer, command)
    if (!tokens.ok) return tokens
    const giver = custodyGiver(view, issuer.code, command)
    if (giver.available < command.quantity)
      return fail({
        code: 'custodyInsufficient',
        requested: format(command.quantity),
        available: format(giver.available),
      })
    return ok([redeemRequested(view, moment, command, { accountId, tokens: tokens.value, giver })])
  },

  /**
   * Submitted by the world's clock: moves the shares. An account cannot be closed while it waits for shares.
   */
  settleRedeem(view, { at }, { requestId }) {
    const request = view.requests.get(requestId)
    if (request?.kind !== 'redeem' || request.status !== 'received' || request.held) return ok([])
    return ok([settled(view, request, at)])
  },
} satisfies Deciders<RedeemRefusal>

/** The open linked account of a participant. */
function participantAccount(view: View, issuer: Issuer, name: ParticipantName): AccountId | undefined {
  for (const { accountId, issuer: code, externalId } of view.links.values()) {
    if (code !== issuer.code || !isLinked(view, accountId, code)) continue
    const hasOurId = externalId === undefined
    const fits =
      'externalId' in name ? externalId === name.externalId : hasOurId && accountId === name.accountId
    if (fits && view.accounts.get(accountId)?.closedAt === undefined) return accountId
  }
  return undefined
}

/** The tokens to redeem; not more than exist on the network. */
function checkTokens(view: View, issuer: Issuer, command: RequestRedeem): Result<Quantity, RedeemRefusal> {
  const { underlying, tokenSymbol, network, quantity } = command
  const existing = -balance(view.ledger, supply(issuer.code), tokenAsset(tokenSymbol, network))
  // Tokens on a network that the issuer no longer lists can still be redeemed.
  const isListed = issuer.listings.some(
    (listing) =>
      listing.underlying === underlying &&
      listing.tokenSymbol === tokenSymbol &&
      (existing > 0n || listing.networks.includes(network)),
  )
  if (!isListed) return fail({ code: 'tokenNotSupported', symbol: underlying, issuer: issuer.code, network })
  const multiplier = multiplierOf(issuer, underlying)
  const tokens = tokensFor(multiplier, quantity)
  if (tokens === undefined)
    return fail({ code: 'tokenQuantityNotMultiple', multiple: format(smallestOf(multiplier)) })
  const out = existing - redeeming(view, command)
  if (tokens > out)
    return fail({ code: 'tokenSupplyExceeded', requested: format(tokens), available: format(out) })
  return ok(tokens)
}

/** Tokens of pending redeems. */
function redeeming(view: View, { issuer, tokenSymbol, network }: RequestRedeem): bigint {
  let sum: bigint = NO_QUANTITY
  for (const request of view.requests.values())
    if (
      request.kind === 'redeem' &&
      request.status === 'received' &&
      request.issuer === issuer &&
      request.tokenSymbol === tokenSymbol &&
      request.network === network
    )
      sum += request.tokens ?? request.quantity
  return sum
}

type FoundRedemption = {
  readonly accountId: AccountId
  readonly tokens: Quantity
  readonly giver: ReturnType<typeof custodyGiver>
}

function redeemRequested(
  view: View,
  { at, id }: Moment,
  command: RequestRedeem,
  { accountId, tokens, giver }: FoundRedemption,
): RedeemRequested {
  const { kind: _, participant: __, earlierId: ___, ...terms } = command
  const issuer = found(view.issuers.get(terms.issuer), terms.issuer)
  const request: TokenizationRequest = {
    id: id(accountId, found(view.accounts.get(accountId), accountId).events, 0),
    kind: 'redeem',
    accountId,
    ...terms,
    ...definedFields({
      externalId: externalIdOf(view, accountId, terms.issuer),
      tokens: tokens === terms.quantity ? undefined : tokens,
    }),
    custodyId: giver.accountId,
    status: 'received',
    createdAt: at,
    updatedAt: at,
    held: outcomeFor(issuer, terms.wallet) === 'hold',
  }
  const { custody, available } = giver
  return { kind: 'redeemRequested', at, accountId, request, decidedWith: { custody, available } }
}

export function settled(view: View, request: TokenizationRequest, at: Instant): RedeemCompleted {
  const moved = moveOut(view, at, request)
  return {
    kind: 'redeemCompleted',
    ...tokenRequestFields(request, at),
    moved,
    posting: [...sharePosting(moved), ...burnPosting(request)],
  }
}
