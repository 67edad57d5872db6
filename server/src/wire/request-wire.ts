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

/** A request as its participant sees it: the issuer's own id for it is not told. */
export const requestToWire = (request: TokenizationRequest): TokenizationRequestRecord => ({
  ...fieldsOf(request),
  ...(request.label === undefined ? {} : { client_request_id: request.label }),
  status: publicStatus(request),
  updated_at: formatInstant(request.updatedAt),
  tx_hash: request.txHash ?? null,
  fees: request.status === 'completed' ? '0' : null,
  ...(request.reason === undefined ? {} : { reason: request.reason }),
})

/** As its issuer sees it: with its own id, and the participant as it knows it. */
export const requestToIssuer = (view: View, request: TokenizationRequest): TokenizationRequestRecord => ({
  ...requestToWire(request),
  issuer_request_id: request.issuerRequestId ?? null,
  ...participantToWire(view, request),
})

function participantToWire(view: View, request: TokenizationRequest) {
  const name = participantName(view, request)
  return 'externalId' in name
    ? { client_external_account_id: name.externalId }
    : { client_account_id: name.accountId as string }
}

/** The first answer to a mint, and so the answer to every replay of it: it was pending then. */
export const mintedToWire = (request: TokenizationRequest): TokenizationMintedRecord => ({
  ...fieldsOf(request),
  ...(request.label === undefined ? {} : { client_request_id: request.label }),
  status: 'pending',
})

/** The same for a redeem. */
export const redeemedToWire = (request: TokenizationRequest): TokenizationRedeemedRecord => ({
  ...fieldsOf(request),
  status: 'pending',
  issuer_request_id: found(request.issuerRequestId, 'the id its issuer gave it'),
  tx_hash: found(request.txHash, 'the transaction that brought the tokens'),
})

const fieldsOf = (request: TokenizationRequest) => ({
  tokenization_request_id: request.id,
  created_at: formatInstant(request.createdAt),
  type: request.kind,
  underlying_symbol: request.underlying,
  token_symbol: request.tokenSymbol,
  qty: request.quantityText,
  // The contract let no others in.
  issuer: request.issuer as string as TokenizationRequestRecord['issuer'],
  network: request.network as TokenizationRequestRecord['network'],
  wallet_address: request.wallet,
})
