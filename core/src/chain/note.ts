import type { Moment } from '../moment.ts'
import { ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import type { ChainNoted, NoteChain } from './facts.ts'

/** Stores facts about an external chain. */
export const noteChain = (
  _view: View,
  { at }: Moment,
  { facts }: NoteChain,
): Result<readonly ChainNoted[], never> => ok(facts.length === 0 ? [] : [{ kind: 'chainNoted', at, facts }])

export function applyChain(state: State, { facts }: ChainNoted): void {
  for (const [name, fact] of facts)
    if (fact === null) state.chain.delete(name)
    else state.chain.set(name, fact)
}
