import type { OperationName } from '@quipu/contract'

/**
 * Which client's test proves what, for the compatibility page. A channel is written `/stream trade_updates`, an
 * order kind `type limit`.
 */
export type Proof = {
  readonly file: string
  readonly operations: readonly OperationName[]
  readonly channels: readonly string[]
  readonly orderKinds: readonly string[]
}

export const proofs: Readonly<Record<string, Proof>> = {}
