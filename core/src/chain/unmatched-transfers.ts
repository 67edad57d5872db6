import type { Appliers, Deciders } from '../handlers.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import type { ChainFact, TransferFact } from './facts.ts'

export const transferName = (network: string, txHash: string, logIndex: number): string =>
  `transfer/${network}/${txHash}:${logIndex}`
export const processedName = (network: string): string => `processed/${network}`
export const tokenName = (network: string, symbol: string): string => `token/${network}/${symbol}`

type UnmatchedTransfer = TransferFact & { readonly problem: string }

/** Transfers to the redemption wallet that need manual review. */
export const unmatchedTransfers = (view: View): readonly UnmatchedTransfer[] =>
  [...view.chain.values()].filter((fact): fact is UnmatchedTransfer => isUnmatched(view, fact))

/**
 * Only transfers in processed blocks: an unprocessed block may be read again, and must then find the transfer
 * here.
 */
function isUnmatched(view: View, fact: ChainFact): fact is UnmatchedTransfer {
  if (fact.fact !== 'transfer' || fact.problem === undefined) return false
  const processed = view.chain.get(processedName(fact.network))
  return processed?.fact === 'processed' && fact.block <= processed.block
}

export type UnmatchedTransferRefusal = { readonly code: 'unmatchedTransferNotFound' }

export const chainDeciders = {
  /** Stores facts about an external chain. */
  recordChainFacts: (_view, { at }, { facts }) =>
    ok(facts.length === 0 ? [] : [{ kind: 'chainFactsRecorded', at, facts }]),

  /** Removes the transfer from the list. Nothing else changes: shares and tokens move only by requests. */
  resolveUnmatchedTransfer(view, { at }, { network, txHash, logIndex, note }) {
    const name = transferName(network, txHash, logIndex)
    const transfer = view.chain.get(name)
    if (!transfer || !isUnmatched(view, transfer)) return fail({ code: 'unmatchedTransferNotFound' })
    return ok([{ kind: 'unmatchedTransferResolved', at, name, transfer, note }])
  },
} satisfies Deciders<UnmatchedTransferRefusal>

export const chainAppliers = {
  chainFactsRecorded(state, { facts }) {
    for (const [name, fact] of facts)
      if (fact === null) state.chain.delete(name)
      else state.chain.set(name, fact)
  },

  unmatchedTransferResolved: (state, { name }) => state.chain.delete(name),
} satisfies Appliers
