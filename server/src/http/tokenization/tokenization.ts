import { mintedToWire, requestToWire } from '../../wire/request-wire.ts'
import type { SomeHandlers } from '../context.ts'
import { createMint, type MintParts } from './mint.ts'
import { listRequests, requestById, requestByName } from './request-reading.ts'
import { readTokens } from './tokens.ts'

export const tokenizationHandlers = (parts: MintParts) =>
  ({
    postTokenizationMint: ({ body }, context) =>
      createMint(parts, context, context.account, body, mintedToWire),

    getTokenizationTokens: ({ query }, context) => readTokens(context, context.account, query),

    getTokenizationRequests: async ({ query }, context) =>
      (await listRequests(context, context.account, query)).map(requestToWire),

    getTokenizationRequest: async ({ params }, context) =>
      requestToWire(await requestById(context, context.account, params.tokenization_request_id)),

    getTokenizationRequestByClientRequestID: async ({ query }, context) =>
      requestToWire(await requestByName(context, context.account, query.client_request_id)),
  }) satisfies SomeHandlers
