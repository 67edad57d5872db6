import type { TokenizationRedeemedRecord, TokenizationRedeemRecord } from '@quipu/contract'
import type { Issuer, RequestRedeem, TokenizationRequest } from '@quipu/core'
import { found } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import { mintedToWire, redeemedToWire, requestToIssuer, requestToWire } from '../../wire/request-wire.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { createMint, type MintParts, sharesIn } from './mint.ts'
import { completeByCallback } from './mint-callback.ts'
import { participantIn } from './participant.ts'
import {
  listRequests,
  type RequestAccount,
  requestById,
  requestByLabel,
  requestByName,
} from './request-reading.ts'
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

type IssuerAccess = RequestAccount & { readonly issuer: Issuer }
/** Requests the shares of redeemed tokens. The response is pending, as in the protocol, although the shares move at once. */
function createRedeem(
  context: Context,
  access: IssuerAccess,
  body: TokenizationRedeemRecord,
): Promise<TokenizationRedeemedRecord> {
  const { world, accountId } = access
  const command = redeemCommand(access, body)
  return world.storage.withArchived(
    (queryTables) => queryTables.requestByLabel(accountId, command.issuerRequestId),
    (known) => {
      const complete = known?.kind === 'redeem' ? { ...command, earlierId: known.id } : command
      return context.state.perform(world, complete, (_, events) => {
        const requested = events.find((event) => event.kind === 'redeemRequested')
        return redeemedToWire(found(requested, 'the redeem').request)
      })
    },
  )
}

function redeemCommand({ issuer }: IssuerAccess, body: TokenizationRedeemRecord): RequestRedeem {
  const participant = participantIn(body)
  if (!participant)
    throw refuse({
      code: 'invalidTokenizationParameter',
      problem: 'client_external_account_id or client_account_id is required',
    })
  return {
    kind: 'requestRedeem',
    issuer: issuer.code,
    participant,
    network: body.network,
    underlying: body.underlying_symbol,
    tokenSymbol: body.token_symbol,
    quantity: sharesIn(body.qty),
    quantityText: body.qty,
    wallet: body.wallet_address,
    txHash: body.tx_hash,
    issuerRequestId: body.issuer_request_id,
  }
}
