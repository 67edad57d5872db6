import type { Quantity, RequestId, Result } from '@quipu/core'

/** A mint of tokens into a wallet. */
export type ChainMint = {
  readonly requestId: RequestId
  readonly network: string
  readonly tokenSymbol: string
  readonly quantity: Quantity
  readonly wallet: string
}

export type AddressProblem =
  | 'networkUnknown'
  | 'empty'
  | 'tooLong'
  | 'notPrintable'
  | 'wrongForm'
  | 'wrongChecksum'
  | 'withoutOwner'

/** The networks that hold tokens. */
export interface Chain {
  /** A well-formed transaction hash for a subject. The same subject always has the same hash. */
  txHash(network: string, about: string): string
  /** Whether an address is valid on a network and can have an owner. Tokens must not be minted to `taken`. */
  validateAddress(network: string, address: string, taken?: string): Result<undefined, AddressProblem>
  /**
   * Mints, and resolves when the mint is final. A repeated call with the same request id does not mint again; it returns
   * the same transaction. Rejects if the outcome is unknown; the call is then repeated.
   */
  mint(mint: ChainMint): Promise<{ readonly txHash: string }>
}
