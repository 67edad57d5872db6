import type { Moment } from '../moment.ts'
import { ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import type { ChainFactsRecorded, RecordChainFacts } from './facts.ts'

/** Stores facts about an external chain. */
export const recordChainFacts = (
  _view: View,
  { at }: Moment,
  { facts }: RecordChainFacts,
): Result<readonly ChainFactsRecorded[], never> =>
  ok(facts.length === 0 ? [] : [{ kind: 'chainFactsRecorded', at, facts }])

export function applyChain(state: State, { facts }: ChainFactsRecorded): void {
  for (const [name, fact] of facts)
    if (fact === null) state.chain.delete(name)
    else state.chain.set(name, fact)
}
