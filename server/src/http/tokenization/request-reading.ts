import { type InputOf, knownIssuers } from '@quipu/contract'
import {
  type AccountId,
  findRequest,
  type Issuer,
  type IssuerCode,
  type RequestId,
  type Ticker,
  type TokenizationRequest,
} from '@quipu/core'
import { definedFields } from '../../wire/defined-fields.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'
import { waitForAccountViews } from '../wait-for-views.ts'

/** Whose requests are looked at: a participant's, or those made with an issuer. */
export type RequestsOf = { readonly world: World; readonly accountId: AccountId }

type Filters = InputOf<'getTokenizationRequests'>['query']

/** A name that is neither registered here nor one of the protocol's is a parameter error. */
export function checkIssuer({ view }: World, name: string | undefined): void {
  const isKnown = name === undefined || view.issuers.has(name as IssuerCode) || knownIssuers.includes(name)
  if (!isKnown) throw refuse({ code: 'invalidTokenizationParameter', problem: 'invalid issuer' })
}

export async function listRequests(
  context: Context,
  { world, accountId }: RequestsOf,
  query: Filters,
): Promise<readonly TokenizationRequest[]> {
  checkIssuer(world, query.issuer)
  await waitForAccountViews(context, { world, accountId })
  const { pageMax } = context.services.limits
  return world.views.requests({
    accountId,
    limit: Math.min(query.limit ?? pageMax, pageMax),
    ...definedFields({
      kind: query.type,
      status: query.status,
      underlying: (query.underlying_symbol ?? query.underlyingSymbol) as Ticker | undefined,
      issuer: query.issuer as IssuerCode | undefined,
      network: query.network,
      after: query.after && instantOf(query.after),
      before: query.before && instantOf(query.before),
    }),
  })
}

export async function requestById(
  context: Context,
  { world, accountId }: RequestsOf,
  id: string,
): Promise<TokenizationRequest> {
  const requestId = id.toLowerCase() as RequestId
  const young = await context.resultOf(
    world,
    world.read((view) => findRequest(view, accountId, requestId)),
  )
  if (young) return young
  await waitForAccountViews(context, { world, accountId })
  return there(await world.views.request(accountId, requestId))
}

/** The newest with this label of the participant's, or with this id of the issuer's. */
export async function requestByName(
  context: Context,
  { world, accountId }: RequestsOf,
  name: string,
): Promise<TokenizationRequest> {
  await waitForAccountViews(context, { world, accountId })
  return there(await world.views.requestByLabel(accountId, name))
}

/** The newest with this label of the participant's; an issuer finds those made with it alone. */
export async function requestByLabel(
  context: Context,
  { issuer, ...place }: RequestsOf & { readonly issuer?: Issuer },
  label: string,
): Promise<TokenizationRequest> {
  const newest = await requestByName(context, place, label)
  if (!issuer || newest.issuer === issuer.code) return newest
  const { world, accountId } = place
  const { pageMax: limit } = context.services.limits
  const made = await world.views.requests({ accountId, issuer: issuer.code, kind: 'mint', limit })
  return there(made.find((request) => request.label === label))
}

function there(request: TokenizationRequest | undefined): TokenizationRequest {
  if (!request) throw refuse({ code: 'tokenizationRequestNotFound' })
  return request
}
