import type { World } from '@quipu/broker/world/world.ts'
import { type InputOf, knownIssuers } from '@quipu/contract'
import {
  type AccountId,
  definedFields,
  findRequest,
  hasId,
  type Issuer,
  type RequestId,
  type TokenizationRequest,
} from '@quipu/core'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { waitForAccountQueryTables } from '../wait-for-query-tables.ts'

/** An account of a world: a participant, or the account of an issuer. */
export type RequestAccount = { readonly world: World; readonly accountId: AccountId }

type Filters = InputOf<'getTokenizationRequests'>['query']

/** Refuses a name that is neither a registered issuer nor an issuer of the protocol. */
export function checkIssuer({ view }: World, name: string | undefined): void {
  const isKnown = name === undefined || hasId(view.issuers, name) || knownIssuers.includes(name)
  if (!isKnown) throw refuse({ code: 'invalidTokenizationParameter', problem: 'invalid issuer' })
}

export async function listRequests(
  context: Context,
  { world, accountId }: RequestAccount,
  query: Filters,
): Promise<readonly TokenizationRequest[]> {
  checkIssuer(world, query.issuer)
  await waitForAccountQueryTables(context, { world, accountId })
  const { pageMax } = context.services.limits
  return world.storage.queryTables.requests({
    accountId,
    limit: Math.min(query.limit ?? pageMax, pageMax),
    ...definedFields({
      kind: query.type,
      status: query.status,
      underlying: query.underlying_symbol ?? query.underlyingSymbol,
      issuer: query.issuer,
      network: query.network,
      after: query.after && instantOf(query.after),
      before: query.before && instantOf(query.before),
    }),
  })
}

export async function requestById(
  context: Context,
  { world, accountId }: RequestAccount,
  id: string,
): Promise<TokenizationRequest> {
  const requestId = id.toLowerCase() as RequestId
  const inMemory = await context.state.read(world, (view) => findRequest(view, accountId, requestId))
  if (inMemory) return inMemory
  await waitForAccountQueryTables(context, { world, accountId })
  return requireRequest(await world.storage.queryTables.request(accountId, requestId))
}

/** The newest request with this client_request_id of a participant, or this issuer_request_id. */
export async function requestByName(
  context: Context,
  { world, accountId }: RequestAccount,
  name: string,
): Promise<TokenizationRequest> {
  await waitForAccountQueryTables(context, { world, accountId })
  return requireRequest(await world.storage.queryTables.requestByLabel(accountId, name))
}

/** The newest request with this client_request_id; an issuer finds only its own requests. */
export async function requestByLabel(
  context: Context,
  { issuer, ...access }: RequestAccount & { readonly issuer?: Issuer | undefined },
  label: string,
): Promise<TokenizationRequest> {
  const newest = await requestByName(context, access, label)
  if (!issuer || newest.issuer === issuer.code) return newest
  const { world, accountId } = access
  const { pageMax: limit } = context.services.limits
  const mints = await world.storage.queryTables.requests({
    accountId,
    issuer: issuer.code,
    kind: 'mint',
    limit,
  })
  return requireRequest(mints.find((request) => request.label === label))
}

function requireRequest(request: TokenizationRequest | undefined): TokenizationRequest {
  if (!request) throw refuse({ code: 'tokenizationRequestNotFound' })
  return request
}
