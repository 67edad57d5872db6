import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import type { ArrivalResolved, ChainFact, ResolveArrival, TransferFact } from './facts.ts'

export const transferName = (network: string, txHash: string, logIndex: number): string =>
  `transfer/${network}/${txHash}:${logIndex}`
export const seenName = (network: string): string => `seen/${network}`
export const tokenName = (network: string, symbol: string): string => `token/${network}/${symbol}`

type Troubled = TransferFact & { readonly trouble: string }

/** Transfers to the redemption wallet that need manual review. */
export const arrivalsToSee = (view: View): readonly Troubled[] =>
  [...view.chain.values()].filter((fact): fact is Troubled => isToSee(view, fact))

/**
 * Only transfers in processed blocks: until then the block may be read again, and the transfer must be found
 * here.
 */
function isToSee(view: View, fact: ChainFact): fact is Troubled {
  if (fact.fact !== 'transfer' || fact.trouble === undefined) return false
  const seen = view.chain.get(seenName(fact.network))
  return seen?.fact === 'seen' && fact.block <= seen.block
}

export type ArrivalRefusal = { readonly code: 'arrivalNotFound' }

/** Removes the transfer from the list. Nothing else changes: shares and tokens move only by requests. */
export function resolveArrival(
  view: View,
  { at }: Moment,
  { network, txHash, logIndex, note }: ResolveArrival,
): Result<[ArrivalResolved], ArrivalRefusal> {
  const name = transferName(network, txHash, logIndex)
  const arrival = view.chain.get(name)
  if (!arrival || !isToSee(view, arrival)) return fail({ code: 'arrivalNotFound' })
  return ok([{ kind: 'arrivalResolved', at, name, arrival, note }])
}

export const applyResolved = (state: State, { name }: ArrivalResolved): void => void state.chain.delete(name)
