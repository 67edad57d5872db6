import { operation } from '../../operation.ts'
import { array, optional, record, text, uuid } from '../../shape/index.ts'
import { inWorld, withKey } from '../broker/accounts.ts'
import {
  asked,
  label,
  mintErrors,
  printable,
  quantity,
  requestFields,
  requestFilters,
  requestId,
  TokenizationMintRequest,
  TokenizationMintResponse,
  TokenizationNetwork,
  TokenizationRequest,
  TokenizationToken,
  tokenFilters,
  wanted,
} from './tokenization.ts'

const account = { account_id: uuid() }
const idOrNothing = optional(text({ max: 128, pattern: printable }).message(wanted))

/** How an issuer names the participant: exactly one of these. The last is an older name of the second. */
const participant = {
  client_account_id: idOrNothing.about("The participant's account, for affiliated participants."),
  client_external_account_id: idOrNothing.about("The issuer's own id of the participant."),
  client_id: idOrNothing.about('An older name of client_external_account_id.'),
}

export const TokenizationMintCallback = record({
  tokenization_request_id: uuid().message(wanted),
  tx_hash: text({ min: 1, max: 256, pattern: printable }).message(wanted),
  ...participant,
  wallet_address: idOrNothing,
  network: optional(TokenizationNetwork),
}).named('TokenizationMintCallback')

export const TokenizationRedeemRequest = record({
  issuer_request_id: text({ min: 1, max: 256, pattern: printable }).message(wanted),
  underlying_symbol: text({ min: 1, max: 64 }).message(wanted),
  token_symbol: text({ min: 1, max: 64 }).message(wanted),
  qty: quantity().about('Shares; at most nine decimal places.'),
  network: TokenizationNetwork,
  wallet_address: text({ min: 1, max: 128, pattern: printable }).message(wanted),
  tx_hash: text({ min: 1, max: 256, pattern: printable }).message(wanted),
  ...participant,
}).named('TokenizationRedeemRequest')

const { client_request_id: _, ...redeemFields } = requestFields
export const TokenizationRedeemResponse = record({
  ...redeemFields,
  issuer_request_id: text(),
  tx_hash: text(),
}).named('TokenizationRedeemResponse')

const shared = {
  family: 'tokenization',
  who: ['partner'],
  scope: 'never',
  status: 200,
  state: 'works',
  params: record(account),
} as const

const issuerId = text({ min: 1, max: 256, missing: 'issuer_request_id query parameter is required' })

const redeemErrors = [
  ...asked,
  'idempotencyKeyMalformed',
  'idempotencyKeyTooLong',
  'tokenizationQuantityPrecision',
  'idempotencyKeyReused',
  'idempotencyKeyOfRejected',
  'issuerRequestIdReused',
  'tokenizationNotSupported',
  'tokenizationBlocked',
  'tokenNotSupported',
  'tokenQuantityNotMultiple',
  'tokenSupplyExceeded',
  'accountIsShort',
  'custodyInsufficient',
] as const

const redeem = {
  ...shared,
  method: 'POST',
  headers: withKey,
  body: TokenizationRedeemRequest,
  output: TokenizationRedeemResponse,
  errors: redeemErrors,
} as const

export const tokenizationBroker = {
  postTokenizationMintBroker: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts/{account_id}/tokenization/mint',
    summary: "Asks for shares of one of the partner's accounts to be minted as tokens.",
    headers: withKey,
    body: TokenizationMintRequest,
    output: TokenizationMintResponse,
    errors: [...asked, ...mintErrors],
  }),
  getTokenizationTokensBroker: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/tokenization/tokens',
    summary: "The tokens that a participant can mint, or those of an issuer's account.",
    headers: inWorld,
    query: tokenFilters,
    output: array(TokenizationToken),
    errors: asked,
  }),
  getTokenizationRequestsBroker: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/tokenization/requests',
    summary: "Requests of a participant's account, or of an issuer's, newest first.",
    headers: inWorld,
    query: requestFilters,
    output: array(TokenizationRequest),
    errors: asked,
  }),
  getTokenizationRequestBroker: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/tokenization/requests/{tokenization_request_id}',
    summary: 'One request by its id.',
    params: record({ ...account, tokenization_request_id: requestId }),
    headers: inWorld,
    output: TokenizationRequest,
    errors: [...asked, 'tokenizationRequestNotFound'],
  }),
  getTokenizationRequestByClientRequestIDBroker: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/tokenization/requests:by_client_request_id',
    summary:
      'The newest mint request with a label of the participant; also for issuers it is affiliated with.',
    headers: inWorld,
    query: record({ client_request_id: label }),
    output: TokenizationRequest,
    errors: [...asked, 'tokenizationRequestNotFound'],
  }),
  getTokenizationRequestByIssuerRequestID: operation({
    ...shared,
    method: 'GET',
    path: '/v1/accounts/{account_id}/tokenization/requests:by_issuer_request_id',
    summary: 'A request by the id its issuer gave it.',
    headers: inWorld,
    query: record({ issuer_request_id: issuerId }),
    output: TokenizationRequest,
    errors: [...asked, 'tokenizationRequestNotFound'],
  }),
  postTokenizationCallbackMint: operation({
    ...shared,
    method: 'POST',
    path: '/v1/accounts/{account_id}/tokenization/callback/mint',
    summary: 'An issuer says that the tokens of a mint are in the wallet.',
    headers: inWorld,
    body: TokenizationMintCallback,
    output: TokenizationRequest,
    errors: [
      ...asked,
      'tokenizationRequestNotFound',
      'tokenizationCallbackMismatch',
      'tokenizationCallbackRefused',
      'tokenizationRequestHeld',
    ],
  }),
  postTokenizationRedeem: operation({
    ...redeem,
    path: '/v1/accounts/{account_id}/tokenization/callback/redeem',
    summary: 'An issuer has got tokens back and asks for their shares to go to the participant.',
  }),
  postTokenizationRedeemAlias: operation({
    ...redeem,
    path: '/v1/accounts/{account_id}/tokenization/redeem',
    summary: 'The same under its older path.',
    deprecated: true,
  }),
}
