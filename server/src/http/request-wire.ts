import type { TokenizationMintedRecord, TokenizationRequestRecord } from '@quipu/contract'
import { formatInstant, outsideStatus, type TokenizationRequest } from '@quipu/core'

/** A request as its participant sees it: the issuer's own id for it is not told. */
export const requestToWire = (request: TokenizationRequest): TokenizationRequestRecord => ({
  ...fieldsOf(request),
  status: outsideStatus(request),
  updated_at: formatInstant(request.updatedAt),
  tx_hash: request.txHash ?? null,
  fees: request.status === 'completed' ? '0' : null,
})

/** The first answer to a mint, and so the answer to every replay of it: it was pending then. */
export const mintedToWire = (request: TokenizationRequest): TokenizationMintedRecord => ({
  ...fieldsOf(request),
  status: 'pending',
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
  ...(request.label === undefined ? {} : { client_request_id: request.label }),
})
