import type { Handlers } from '@quipu/contract'
import { findRequest, type IssuerCode, type RequestId, type Ticker } from '@quipu/core'
import { viewsCaughtUp } from './caught-up.ts'
import type { Context } from './context.ts'
import { type MintParts, mintHandler } from './mint.ts'
import { instantOf } from './moments.ts'
import { present } from './present.ts'
import { refuse } from './refusal.ts'
import { requestToWire } from './request-wire.ts'

type Names =
  | 'postTokenizationMint'
  | 'getTokenizationRequests'
  | 'getTokenizationRequest'
  | 'getTokenizationRequestByClientRequestID'

export const tokenizationHandlers = (parts: MintParts): Handlers<Context, Names> => ({
  postTokenizationMint: mintHandler(parts),

  getTokenizationRequests: async ({ query }, context) => {
    const { world, accountId } = context.account
    await viewsCaughtUp(context)
    // No redeem has been made yet; the views know mints alone.
    if (query.type === 'redeem') return []
    const requests = await world.views.requests({
      accountId,
      limit: context.services.limits.pageMax,
      ...present({
        kind: query.type,
        status: query.status,
        underlying: (query.underlying_symbol ?? query.underlyingSymbol) as Ticker | undefined,
        issuer: query.issuer as IssuerCode | undefined,
        network: query.network,
        after: query.after && instantOf(query.after),
        before: query.before && instantOf(query.before),
      }),
    })
    return requests.map(requestToWire)
  },

  getTokenizationRequest: async ({ params }, context) => {
    const { world, accountId } = context.account
    const requestId = params.tokenization_request_id.toLowerCase() as RequestId
    const young = await context.saw(
      world,
      world.read((view) => findRequest(view, accountId, requestId)),
    )
    if (young) return requestToWire(young)
    await viewsCaughtUp(context)
    const request = await world.views.request(accountId, requestId)
    if (!request) throw refuse({ code: 'tokenizationRequestNotFound' })
    return requestToWire(request)
  },

  getTokenizationRequestByClientRequestID: async ({ query }, context) => {
    const { world, accountId } = context.account
    await viewsCaughtUp(context)
    const request = await world.views.requestByLabel(accountId, query.client_request_id)
    if (!request) throw refuse({ code: 'tokenizationRequestNotFound' })
    return requestToWire(request)
  },
})
