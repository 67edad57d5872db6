import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply, decode, emptyState, encode, forget, type State } from '@quipu/core'
import { eventOf } from '../../broker/src/journal/stored-event.ts'
import { stateText } from '../../core/src/testing/state-text.ts'
import { seed } from '../support/random.ts'
import { roughSetups, setups } from './setups.ts'
import { runSetup, type SetupResult } from './simulation.ts'

const STEPS = 150
/** Runs per setup; `PROPERTY_RUNS=500` takes hours. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 1)

for (const [setup, runs] of [
  ...setups.map((each) => [each, RUNS] as const),
  ...roughSetups.map((each) => [each, Math.ceil(RUNS / 3)] as const),
])
  test(`ledger and engine follow every rule: ${setup.name} (SEED=${seed})`, async (t) => {
    const sums = { accepted: 0, refused: 0, fills: 0, events: 0 }
    for (let run = 0; run < runs; run++) {
      const result = await runSetup(setup, `${seed}-${run}`, STEPS)
      const { seq, hash } = result.world.journal.head()
      assert.equal(
        stateText(await rebuiltState(result)),
        stateText(engineState(result)),
        'the journal gives the same state',
      )
      if (run === 0) {
        const again = await runSetup(setup, `${seed}-${run}`, STEPS)
        assert.deepEqual(again.world.journal.head(), { seq, hash }, 'the same seed gives the same journal')
        await again.world.close()
      }
      for (const name of ['accepted', 'refused', 'fills'] as const) sums[name] += result[name]
      sums.events += seq
      await result.world.close()
    }
    assert(sums.accepted > runs && sums.refused > runs && sums.fills > runs)
    t.diagnostic(`${runs} runs: ${JSON.stringify(sums)}`)
  })

async function rebuiltState({ world }: SetupResult): Promise<State> {
  const state = emptyState()
  for await (const entries of world.journal.read(0)) for (const entry of entries) apply(state, eventOf(entry))
  forget(state, state.seq)
  return state
}

/** A copy of the state of the engine without ended work, because the time at which it is forgotten varies. */
function engineState({ world }: SetupResult): State {
  const state = decode(encode(world.view)) as State
  forget(state, state.seq)
  return { ...emptyState(), ...state }
}
