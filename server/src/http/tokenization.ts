import type { Handlers } from '@quipu/contract'
import type { Context } from './context.ts'
import { type MintParts, takeMint } from './mint.ts'
import { listRequests, requestById, requestByName } from './request-reading.ts'
import { requestToWire } from './request-wire.ts'

type Names =
  | 'postTokenizationMint'
  | 'getTokenizationRequests'
  | 'getTokenizationRequest'
  | 'getTokenizationRequestByClientRequestID'

export const tokenizationHandlers = (parts: MintParts): Handlers<Context, Names> => ({
  postTokenizationMint: ({ body, headers }, context) =>
    takeMint(parts, context, context.account, { body, key: headers['idempotency-key'] }),

  getTokenizationRequests: async ({ query }, context) =>
    (await listRequests(context, context.account, query)).map(requestToWire),

  getTokenizationRequest: async ({ params }, context) =>
    requestToWire(await requestById(context, context.account, params.tokenization_request_id)),

  getTokenizationRequestByClientRequestID: async ({ query }, context) =>
    requestToWire(await requestByName(context, context.account, query.client_request_id)),
})
