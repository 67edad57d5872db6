import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { copyState } from './copy-state.ts'
import { scratchState } from './scratch-state.ts'
import { emptyState, type State } from './state.ts'

type Lots = Map<string, { count: number }>
/** Nested maps, as most parts of a state are. */
const original = () =>
  ['a', 'b', 'c'].map((key) => [key, new Map(['x', 'y'].map((name) => [name, { count: 1 }]))] as const)
const stateOf = (entries: readonly (readonly [string, Lots])[]): State =>
  ({ ...emptyState(), positions: new Map(entries) }) as unknown as State
const lotsIn = (state: State) => state.positions as unknown as Map<string, Lots>

const key = fc.constantFrom('a', 'b', 'c', 'd')
const name = fc.constantFrom('x', 'y', 'z')
type Step = (lots: Map<string, Lots>) => unknown
const step: fc.Arbitrary<Step> = fc.oneof(
  key.map((k) => (lots: Map<string, Lots>) => lots.has(k)),
  key.map((k) => (lots: Map<string, Lots>) => lots.delete(k)),
  key.map((k) => (lots: Map<string, Lots>) => lots.set(k, new Map()).size),
  fc.tuple(key, name).map(([k, n]) => (lots: Map<string, Lots>) => {
    const lot = lots.get(k)?.get(n)
    if (lot) lot.count += 1
    return lot
  }),
  fc.tuple(key, name).map(
    ([k, n]) =>
      (lots: Map<string, Lots>) =>
        lots.get(k)?.delete(n),
  ),
  fc.tuple(key, name).map(
    ([k, n]) =>
      (lots: Map<string, Lots>) =>
        lots.get(k)?.set(n, { count: 9 }).size,
  ),
  fc.constantFrom<Step>(
    (lots) => [...lots.keys()],
    (lots) => lots.size,
  ),
)

test('a scratch state behaves as a copy, and its original stays unchanged', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const state = stateOf(original())
      const [scratch, copy] = [scratchState(state), copyState(state)]
      for (const one of steps) assert.deepEqual(one(lotsIn(scratch)), one(lotsIn(copy)))
      const seen = (some: State) => Array.from(lotsIn(some), ([k, lots]) => [k, [...lots]])
      assert.deepEqual(seen(scratch), seen(copy))
      assert.deepEqual(state, stateOf(original()))
    }),
    { numRuns: 300, seed: 7 },
  )
})

test('a scratch state starts with nothing on its agenda and no closed orders', () => {
  const state = stateOf([])
  state.agenda.dues.push(5n as never)
  state.closed.ids.push('o' as never)
  const { agenda, closed } = scratchState(state)
  assert.deepEqual([agenda.dues, closed.ids], [[], []])
})
