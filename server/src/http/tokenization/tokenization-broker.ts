import type { Handlers } from '@quipu/contract'
import type { TokenizationRequest } from '@quipu/core'
import { requestToIssuer, requestToWire } from '../../wire/request-wire.ts'
import type { Context } from '../context.ts'
import { type MintParts, takeMint } from './mint.ts'
import { takeCallback } from './mint-callback.ts'
import { takeRedeem } from './redeem.ts'
import { listRequests, requestById, requestByLabel, requestByName } from './request-reading.ts'
import {
  affiliatedPlace,
  issuerPlace,
  participantPlace,
  type TokenizationPlace,
  tokenizationPlace,
} from './tokenization-place.ts'
import { readTokens } from './tokens.ts'

type Names =
  | 'postTokenizationMintBroker'
  | 'getTokenizationTokensBroker'
  | 'getTokenizationRequestsBroker'
  | 'getTokenizationRequestBroker'
  | 'getTokenizationRequestByClientRequestIDBroker'
  | 'getTokenizationRequestByIssuerRequestID'
  | 'postTokenizationCallbackMint'
  | 'postTokenizationRedeem'
  | 'postTokenizationRedeemAlias'

/** Participants under a partner, and issuers: the same requests, each as its side sees them. */
export const tokenizationBrokerHandlers = (parts: MintParts): Handlers<Context, Names> => ({
  postTokenizationMintBroker: (input, context) =>
    takeMint(parts, context, participantPlace(input, context), {
      body: input.body,
      key: input.headers['idempotency-key'],
    }),

  getTokenizationTokensBroker: (input, context) =>
    readTokens(context, tokenizationPlace(input, context), input.query),

  getTokenizationRequestsBroker: async (input, context) => {
    const place = tokenizationPlace(input, context)
    return (await listRequests(context, place, input.query)).map(seenFrom(place))
  },

  getTokenizationRequestBroker: async (input, context) => {
    const place = tokenizationPlace(input, context)
    return seenFrom(place)(await requestById(context, place, input.params.tokenization_request_id))
  },

  getTokenizationRequestByClientRequestIDBroker: async (input, context) => {
    const place = affiliatedPlace(input, context)
    return seenFrom(place)(await requestByLabel(context, place, input.query.client_request_id))
  },

  getTokenizationRequestByIssuerRequestID: async (input, context) => {
    const place = issuerPlace(input, context)
    return seenFrom(place)(await requestByName(context, place, input.query.issuer_request_id))
  },

  postTokenizationCallbackMint: (input, context) =>
    takeCallback(context, issuerPlace(input, context), input.body),

  postTokenizationRedeem: (input, context) =>
    takeRedeem(context, issuerPlace(input, context), {
      body: input.body,
      key: input.headers['idempotency-key'],
    }),

  postTokenizationRedeemAlias: (input, context) =>
    takeRedeem(context, issuerPlace(input, context), {
      body: input.body,
      key: input.headers['idempotency-key'],
    }),
})

const seenFrom =
  ({ world, issuer }: TokenizationPlace) =>
  (request: TokenizationRequest) =>
    issuer ? requestToIssuer(world.view, request) : requestToWire(request)
