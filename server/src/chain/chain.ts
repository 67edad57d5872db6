import type { Quantity, RequestId, Result } from '@quipu/core'

/** Tokens that are to be put into a wallet. */
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
  | 'nobodys'

/** The networks tokens live on. */
export interface Chain {
  /** How a transaction about something could be called there: well-formed, and always the same for the same thing. */
  txHash(network: string, about: string): string
  /** Whether an address can exist on a network and be somebody's; `taken` is one that tokens must not be put into. */
  validateAddress(network: string, address: string, taken?: string): Result<undefined, AddressProblem>
  /**
   * Mints, and resolves when that is final. Asked again under the same request id it mints no second time and names
   * the same transaction. Rejects where nobody can say; it is then asked again.
   */
  mint(mint: ChainMint): Promise<{ readonly txHash: string }>
}
