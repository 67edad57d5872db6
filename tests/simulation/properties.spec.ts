import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply, decode, emptyState, encode, forget, type State } from '@quipu/core'
import { eventOf } from '../../server/src/journal/stored-event.ts'
import { seed } from '../random.ts'
import { type Lived, live, scenes } from './simulation.ts'

const STEPS = 150
/** Lives per scene; `LIVES=500` makes an evening of it. */
const LIVES = Number(process.env['LIVES'] ?? 10)

for (const scene of scenes)
  test(`ledger and engine hold every rule: ${scene.name} (SEED=${seed})`, async (t) => {
    const sums = { accepted: 0, refused: 0, fills: 0, events: 0 }
    for (let life = 0; life < LIVES; life++) {
      const lived = await live(scene, `${seed}-${life}`, STEPS)
      const { seq, hash } = lived.world.journal.head()
      assert.equal(
        encode(await rebuilt(lived)),
        encode(remembered(lived)),
        'the journal gives the same state',
      )
      if (life === 0) {
        const again = await live(scene, `${seed}-${life}`, STEPS)
        assert.deepEqual(again.world.journal.head(), { seq, hash }, 'the same seed gives the same journal')
        await again.world.close()
      }
      for (const name of ['accepted', 'refused', 'fills'] as const) sums[name] += lived[name]
      sums.events += seq
      await lived.world.close()
    }
    assert(sums.accepted > LIVES && sums.refused > LIVES && sums.fills > LIVES)
    t.diagnostic(`${LIVES} lives: ${JSON.stringify(sums)}`)
  })

async function rebuilt({ world }: Lived): Promise<State> {
  const state = emptyState()
  for await (const entries of world.journal.read(0)) for (const entry of entries) apply(state, eventOf(entry))
  forget(state, state.seq)
  return state
}

/** A copy of what the engine remembers, without ended work: how much of that it still has is a matter of timing. */
function remembered({ world }: Lived): State {
  const state = decode(encode(world.view)) as State
  forget(state, state.seq)
  return { ...emptyState(), ...state }
}
