import { batch } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { takeClock } from '../live/clock.ts'
import { actingOperator } from '../session/connections.ts'
import { keepKeys } from '../session/new-keys.ts'
import { worlds } from '../session/selection.ts'
import { chooseWorld } from './switches.tsx'

export type NewWorld = Output<'createWorld'>

/**
 * Shows a world that this page created, or goes elsewhere with it. Its place in the list and its clock are known before,
 * because keys need them, and the stream reports both a moment later.
 */
export async function showNewWorld(
  made: NewWorld,
  show: () => void = () => chooseWorld(made.world),
): Promise<void> {
  keepKeys(made)
  const { client } = actingOperator()
  const params = { world: made.world }
  const read = await Promise.all([client.getWorld({ params }), client.getWorldClock({ params })]).catch(
    () => undefined,
  )
  batch(() => {
    const known = worlds.peek() ?? []
    if (read && !known.some(({ world }) => world === made.world)) worlds.value = [...known, read[0]]
    show()
    if (read) takeClock(read[1])
  })
}
