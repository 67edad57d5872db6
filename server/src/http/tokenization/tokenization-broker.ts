import type { TokenizationRequest } from '@quipu/core'
import { mintedToWire, requestToIssuer, requestToWire } from '../../wire/request-wire.ts'
import type { SomeHandlers } from '../context.ts'
import { createMint, type MintParts } from './mint.ts'
import { completeByCallback } from './mint-callback.ts'
import { createRedeem } from './redeem.ts'
import { listRequests, requestById, requestByLabel, requestByName } from './request-reading.ts'
import {
  affiliatedAccess,
  issuerAccess,
  participantAccess,
  type TokenizationAccess,
  tokenizationAccess,
} from './tokenization-access.ts'
import { readTokens } from './tokens.ts'

/** Requests of participants under a partner, and of issuers; each side has its own record format. */
export const tokenizationBrokerHandlers = (parts: MintParts) =>
  ({
    postTokenizationMintBroker: (input, context) =>
      createMint(parts, context, participantAccess(input, context), input.body, mintedToWire),

    getTokenizationTokensBroker: (input, context) =>
      readTokens(context, tokenizationAccess(input, context), input.query),

    getTokenizationRequestsBroker: async (input, context) => {
      const access = tokenizationAccess(input, context)
      return (await listRequests(context, access, input.query)).map(recordFor(access))
    },

    getTokenizationRequestBroker: async (input, context) => {
      const access = tokenizationAccess(input, context)
      return recordFor(access)(await requestById(context, access, input.params.tokenization_request_id))
    },

    getTokenizationRequestByClientRequestIDBroker: async (input, context) => {
      const access = affiliatedAccess(input, context)
      return recordFor(access)(await requestByLabel(context, access, input.query.client_request_id))
    },

    getTokenizationRequestByIssuerRequestID: async (input, context) => {
      const access = issuerAccess(input, context)
      return recordFor(access)(await requestByName(context, access, input.query.issuer_request_id))
    },

    postTokenizationCallbackMint: (input, context) =>
      completeByCallback(context, issuerAccess(input, context), input.body),

    postTokenizationRedeem: (input, context) =>
      createRedeem(context, issuerAccess(input, context), input.body),

    postTokenizationRedeemAlias: (input, context) =>
      createRedeem(context, issuerAccess(input, context), input.body),
  }) satisfies SomeHandlers

const recordFor =
  ({ world, issuer }: TokenizationAccess) =>
  (request: TokenizationRequest) =>
    issuer ? requestToIssuer(world.view, request) : requestToWire(request)
