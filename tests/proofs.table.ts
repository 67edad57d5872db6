import type { OperationName } from '@quipu/contract'

/** Which client's test proves what, for the compatibility page. Channels are `/stream trade_updates`, order kinds `type limit`. */
export type Proof = {
  readonly file: string
  readonly operations: readonly OperationName[]
  readonly channels: readonly string[]
  readonly orderKinds: readonly string[]
}

export const proofs: Readonly<Record<string, Proof>> = {}
