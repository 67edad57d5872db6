import type {
  TokenizationMintedRecord,
  TokenizationRedeemedRecord,
  TokenizationRequestRecord,
} from '@quipu/contract'
import {
  formatInstant,
  found,
  participantName,
  publicStatus,
  type TokenizationRequest,
  type View,
} from '@quipu/core'

/** A request for its participant: without the issuer's request id. */
export const requestToWire = (request: TokenizationRequest): TokenizationRequestRecord => ({
  ...fieldsOf(request),
  client_request_id: request.label,
  status: publicStatus(request),
  updated_at: formatInstant(request.updatedAt),
  tx_hash: request.txHash ?? null,
  fees: request.status === 'completed' ? '0' : null,
  reason: request.reason,
})

/** A request for its issuer: with the issuer's request id, and the account id under which the issuer has the participant. */
export const requestToIssuer = (view: View, request: TokenizationRequest): TokenizationRequestRecord => ({
  ...requestToWire(request),
  issuer_request_id: request.issuerRequestId ?? null,
  ...participantToWire(view, request),
})

function participantToWire(view: View, request: TokenizationRequest) {
  const name = participantName(view, request)
  return 'externalId' in name
    ? { client_external_account_id: name.externalId }
    : { client_account_id: name.accountId }
}

/** The first response to a mint. A repeated mint gets the same response, so its status is always pending. */
export const mintedToWire = (request: TokenizationRequest): TokenizationMintedRecord => ({
  ...fieldsOf(request),
  client_request_id: request.label,
  status: 'pending',
})

/** The first response to a redeem; a repeated redeem gets the same response. */
export const redeemedToWire = (request: TokenizationRequest): TokenizationRedeemedRecord => ({
  ...fieldsOf(request),
  status: 'pending',
  issuer_request_id: found(request.issuerRequestId, 'the issuer_request_id of a redeem'),
  tx_hash: found(request.txHash, 'the transaction of a redeem'),
})

const fieldsOf = (request: TokenizationRequest) => ({
  tokenization_request_id: request.id,
  created_at: formatInstant(request.createdAt),
  type: request.kind,
  underlying_symbol: request.underlying,
  token_symbol: request.tokenSymbol,
  qty: request.quantityText,
  // The contract accepts no other codes.
  issuer: request.issuer,
  network: request.network as TokenizationRequestRecord['network'],
  wallet_address: request.wallet,
})
