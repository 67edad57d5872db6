import { operation } from '../../operation.ts'
import { array, optional, record, text, uuid } from '../../shape/index.ts'
import { inPartnerWorld, withKey } from '../broker/accounts.ts'
import { keyErrors as errorsOfKey } from '../broker/idempotency.ts'
import {
  issuerKeyErrors,
  label,
  mintErrors,
  printable,
  quantity,
  requestFields,
  requestFilters,
  requiredOrInvalid,
  sharedErrors,
  TokenizationMintRequest,
  TokenizationMintResponse,
  TokenizationNetwork,
  TokenizationRequestShape,
  TokenizationToken,
  tokenFilters,
  tokenRequestId,
} from './tokenization.ts'

const account = { account_id: uuid() }
const optionalId = optional(text({ max: 128, pattern: printable }).message(requiredOrInvalid))

/** The issuer sends exactly one id of the participant. client_id is the older name of client_external_account_id. */
const participant = {
  client_account_id: optionalId.about('Account id of an affiliated participant.'),
  client_external_account_id: optionalId.about('Id of the participant at the issuer.'),
  client_id: optionalId.about('Older name of client_external_account_id.'),
}

export const TokenizationMintCallback = record({
  tokenization_request_id: uuid().message(requiredOrInvalid),
  tx_hash: text({ min: 1, max: 256, pattern: printable }).message(requiredOrInvalid),
  ...participant,
  wallet_address: optionalId,
  network: optional(TokenizationNetwork),
}).named('TokenizationMintCallback')

export const TokenizationRedeemRequest = record({
  issuer_request_id: text({ min: 1, max: 256, pattern: printable }).message(requiredOrInvalid),
  underlying_symbol: text({ min: 1, max: 64 }).message(requiredOrInvalid),
  token_symbol: text({ min: 1, max: 64 }).message(requiredOrInvalid),
  qty: quantity().about('Number of shares, at most 9 decimals.'),
  network: TokenizationNetwork,
  wallet_address: text({ min: 1, max: 128, pattern: printable }).message(requiredOrInvalid),
  tx_hash: text({ min: 1, max: 256, pattern: printable }).message(requiredOrInvalid),
  ...participant,
}).named('TokenizationRedeemRequest')

const { client_request_id: _, ...redeemFields } = requestFields
export const TokenizationRedeemResponse = record({
  ...redeemFields,
  issuer_request_id: text(),
  tx_hash: text(),
}).named('TokenizationRedeemResponse')

const shared = { family: 'tokenization', who: ['partner'], scope: 'never', params: record(account) } as const

/** Operations that the credential of an external issuer may call too. */
const withIssuer = { ...shared, who: ['partner', 'issuer'] } as const

const issuerId = text({ min: 1, max: 256, missing: 'issuer_request_id query parameter is required' })

/** Refusals of a redeem after its idempotency key is checked. */
export const redeemRefusals = [
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
  ...withIssuer,
  headers: withKey,
  body: TokenizationRedeemRequest,
  output: TokenizationRedeemResponse,
  errors: [...sharedErrors, ...issuerKeyErrors, ...redeemRefusals],
} as const

export const tokenizationBroker = {
  postTokenizationMintBroker: operation('POST /v1/accounts/{account_id}/tokenization/mint', shared, {
    summary: 'Request a mint for an account of the partner.',
    headers: withKey,
    body: TokenizationMintRequest,
    output: TokenizationMintResponse,
    errors: [...sharedErrors, ...mintErrors],
  }),
  getTokenizationTokensBroker: operation('GET /v1/accounts/{account_id}/tokenization/tokens', shared, {
    summary: 'List tokens that a participant can mint, or tokens of an issuer account.',
    headers: inPartnerWorld,
    query: tokenFilters,
    output: array(TokenizationToken),
    errors: sharedErrors,
  }),
  getTokenizationRequestsBroker: operation(
    'GET /v1/accounts/{account_id}/tokenization/requests',
    withIssuer,
    {
      summary: 'List requests of a participant account or an issuer account, newest first.',
      headers: inPartnerWorld,
      query: requestFilters,
      output: array(TokenizationRequestShape),
      errors: sharedErrors,
    },
  ),
  getTokenizationRequestBroker: operation(
    'GET /v1/accounts/{account_id}/tokenization/requests/{tokenization_request_id}',
    withIssuer,
    {
      summary: 'Get a request by id.',
      params: record({ ...account, tokenization_request_id: tokenRequestId }),
      headers: inPartnerWorld,
      output: TokenizationRequestShape,
      errors: [...sharedErrors, 'tokenizationRequestNotFound'],
    },
  ),
  getTokenizationRequestByClientRequestIDBroker: operation(
    'GET /v1/accounts/{account_id}/tokenization/requests:by_client_request_id',
    withIssuer,
    {
      summary: 'Get the newest mint request with this client_request_id. Affiliated issuers can call it too.',
      headers: inPartnerWorld,
      query: record({ client_request_id: label }),
      output: TokenizationRequestShape,
      errors: [...sharedErrors, 'tokenizationRequestNotFound'],
    },
  ),
  getTokenizationRequestByIssuerRequestID: operation(
    'GET /v1/accounts/{account_id}/tokenization/requests:by_issuer_request_id',
    withIssuer,
    {
      summary: 'Get a request by the id that its issuer gave it.',
      headers: inPartnerWorld,
      query: record({ issuer_request_id: issuerId }),
      output: TokenizationRequestShape,
      errors: [...sharedErrors, 'tokenizationRequestNotFound'],
    },
  ),
  postTokenizationCallbackMint: operation(
    'POST /v1/accounts/{account_id}/tokenization/callback/mint',
    withIssuer,
    {
      summary: 'Report that the tokens of a mint are in the wallet. Called by the issuer.',
      headers: withKey,
      body: TokenizationMintCallback,
      output: TokenizationRequestShape,
      errors: [
        ...sharedErrors,
        ...errorsOfKey,
        'tokenizationRequestNotFound',
        'tokenizationCallbackMismatch',
        'tokenizationCallbackRefused',
        'tokenizationRequestHeld',
      ],
    },
  ),
  postTokenizationRedeem: operation('POST /v1/accounts/{account_id}/tokenization/callback/redeem', redeem, {
    summary: 'Report redeemed tokens and request their shares for the participant. Called by the issuer.',
  }),
  postTokenizationRedeemAlias: operation('POST /v1/accounts/{account_id}/tokenization/redeem', redeem, {
    summary: 'Report redeemed tokens. Older path of the redeem callback.',
    deprecated: true,
  }),
}
