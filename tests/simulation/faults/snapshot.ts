import assert from 'node:assert/strict'
import { Projection } from '../../../broker/src/views/projection.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { Store } from './store.ts'

/** Writes a snapshot from the journal alone, as the views thread does. */
export async function takeSnapshot(world: World, store: Store): Promise<void> {
  const projection = new Projection()
  const { seq, hash } = world.journal.head()
  for await (const entries of world.journal.read(0)) projection.take(entries)
  assert.equal(projection.state.seq, seq)
  await store.writeSnapshot(projection.state, hash)
}
