import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import type { ArrivalResolved, ChainFact, ResolveArrival, TransferFact } from './facts.ts'

export const transferName = (network: string, txHash: string, logIndex: number): string =>
  `transfer/${network}/${txHash}:${logIndex}`
export const seenName = (network: string): string => `seen/${network}`
export const tokenName = (network: string, symbol: string): string => `token/${network}/${symbol}`

type Troubled = TransferFact & { readonly trouble: string }

/** Tokens that came and that somebody must look at. */
export const arrivalsToSee = (view: View): readonly Troubled[] =>
  [...view.chain.values()].filter((fact): fact is Troubled => isToSee(view, fact))

/** Until its block counts as seen it may be looked at again, and must then be found here. */
function isToSee(view: View, fact: ChainFact): fact is Troubled {
  if (fact.fact !== 'transfer' || fact.trouble === undefined) return false
  const seen = view.chain.get(seenName(fact.network))
  return seen?.fact === 'seen' && fact.block <= seen.block
}

export type ArrivalRefusal = { readonly code: 'arrivalNotFound' }

/** It is on the list no more. Nothing else comes of it: shares and tokens move by requests alone. */
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
