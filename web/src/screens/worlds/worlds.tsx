import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { Empty, Loading } from '../../parts/states.tsx'
import { world, worldName, worlds } from '../../session/selection.ts'
import { forkHere } from '../../shell/clock-actions.ts'
import { CompareCard } from './compare-card.tsx'
import { EventsCard } from './events-card.tsx'
import { FaultsCard } from './faults-card.tsx'
import { KeysNote } from './keys-note.tsx'
import { NewWorld } from './new-world.tsx'
import { stepWorld, WorldCards } from './world-cards.tsx'
import { WorldHead } from './world-head.tsx'
import './worlds.css'

/** All worlds; the one on screen compared with another, its market events and its faults. */
export default function Worlds(): JSX.Element {
  const [isCreating, setCreating] = useState(false)
  useLayoutEffect(
    () =>
      addKeys([
        { key: 'f', does: 'Fork the world from here', changes: true, run: () => void forkHere() },
        { key: 'a', does: 'Create a world', changes: true, run: () => setCreating(true) },
        { key: 'j', does: 'Next world', run: () => stepWorld(1) },
        { key: 'k', does: 'Previous world', run: () => stepWorld(-1) },
      ]),
    [],
  )
  const shown = world.value
  return (
    <>
      <WorldCards create={() => setCreating(true)} />
      {isCreating && <NewWorld close={() => setCreating(false)} />}
      {shown ? (
        <>
          <WorldHead world={shown} />
          <KeysNote world={shown.world} />
          <div class="cols">
            <div class="stack">
              <CompareCard key={shown.world} world={shown} />
            </div>
            <aside class="stack" aria-label="Market events and faults">
              <EventsCard world={shown} />
              <FaultsCard />
            </aside>
          </div>
        </>
      ) : worlds.value === undefined ? (
        <>
          <h1>{worldName.value}</h1>
          <Loading rows={6} />
        </>
      ) : (
        <>
          <h1 class="hidden-text">Worlds</h1>
          <Empty icon="globe" title={`There is no world ${worldName.value}`}>
            It was deleted, or its name is different. Choose another one above.
          </Empty>
        </>
      )}
    </>
  )
}
