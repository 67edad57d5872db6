import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { Empty, Loading } from '../../parts/states.tsx'
import { type World, world, worldName, worlds } from '../../session/selection.ts'
import { forkHere, speedText } from '../../shell/clock-actions.ts'
import { CompareCard } from './compare-card.tsx'
import { DifferenceCard } from './difference-card.tsx'
import { EventsCard } from './events-card.tsx'
import { FaultsCard } from './faults-card.tsx'
import { NewWorld } from './new-world.tsx'
import { TreeCard } from './tree-card.tsx'
import { lanesOf, rootOf, rootsOf } from './tree-lanes.ts'
import { WorldHead } from './world-head.tsx'
import './worlds.css'
import { secondText } from '../../format/times.ts'
import { clocks } from '../../live/clock.ts'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { newKeys } from '../../session/new-keys.ts'
import { apiUrl } from '../../session/session.ts'
import { chooseWorld } from '../../shell/switches.tsx'

/** All worlds; the one on screen compared with another, its equity, market events and faults. */
export default function Worlds(): JSX.Element {
  const [isCreating, setCreating] = useState(false)
  useLayoutEffect(
    () =>
      addKeys('Worlds', {
        f: () => void forkHere(),
        a: () => setCreating(true),
        j: () => stepWorld(1),
        k: () => stepWorld(-1),
      }),
    [],
  )
  const shown = world.value
  return (
    <>
      <TreeTabs create={() => setCreating(true)} />
      {isCreating && <NewWorld close={() => setCreating(false)} />}
      {shown ? (
        <>
          <WorldHead world={shown} />
          <KeysNote world={shown.world} />
          <TreeCard world={shown} about={aboutOf} />
          <DifferenceCard world={shown} />
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
          <div class="card">
            <Loading rows={6} />
          </div>
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

/** The keys of a world that this page created: the server shows secrets once. */
function KeysNote({ world }: { readonly world: string }): JSX.Element | null {
  const keys = newKeys.value
  if (keys?.world !== world) return null
  const [first] = keys.accounts
  const lines = [
    `export APCA_API_BASE_URL=${apiUrl.value}`,
    `export APCA_API_KEY_ID=${first?.key_id}`,
    `export APCA_API_SECRET_KEY=${first?.secret_key}`,
  ].join('\n')
  return (
    <div class="note sim keys-note">
      <Icon name="key" />
      <b>Point your bot at this world</b>
      <p>The secret is shown once. These variables are for the first account.</p>
      <pre class="code" tabIndex={0}>
        {lines}
      </pre>
      <div class="actions">
        <Copy text={lines} class="button small">
          Copy variables
        </Copy>
        {keys.accounts.length > 1 && (
          <Copy text={JSON.stringify(keys.accounts, null, 2)} class="button small">
            Copy keys of {keys.accounts.length} accounts
          </Copy>
        )}
        <button type="button" class="button small bare" onClick={() => (newKeys.value = undefined)}>
          Close
        </button>
      </div>
    </div>
  )
}

/** A tab for each tree, and the way to a new world. */
function TreeTabs({ create }: { readonly create: () => void }): JSX.Element {
  const all = worlds.value ?? []
  const root = world.value && rootOf(all, world.value)
  return (
    <div class="tree-tabs">
      <fieldset class="choice" aria-label="Trees">
        {rootsOf(all).map((one) => (
          <button
            key={one.world}
            type="button"
            aria-pressed={one === root}
            onClick={() => one !== root && chooseWorld(one.world)}
          >
            {one.clock === 'wall' ? <span class="dot" /> : <Icon name="globe" />}
            <span class="cut-text">{one.title ?? one.world}</span>{' '}
            <span class="faint">{tabText(all, one)}</span>
          </button>
        ))}
      </fieldset>
      <button data-changes type="button" class="button right" onClick={create}>
        <Icon name="plus" /> New world or scenario
      </button>
    </div>
  )
}

/** The number of worlds in a tree, and whether its root runs: `6 60×`. */
function tabText(all: readonly World[], root: World): string {
  const count = lanesOf(all, root, Number.POSITIVE_INFINITY).length
  const clock = clocks.value.get(root.world)
  const state =
    root.clock === 'wall'
      ? ['wall clock']
      : clock && !clock.frozen && !clock.advance
        ? [speedText(clock.speed)]
        : []
  return [...(count > 1 ? [count] : []), ...state].join(' ')
}

/** The note, or `12:12:40 paused · 228 events`, `fork of flash-crash · 170 events`. */
function aboutOf(world: World): string {
  const { note, title, expires_at } = world
  const name = title === undefined ? [] : [world.world]
  if (expires_at !== undefined)
    return [...name, endText(expires_at), note ?? `fork of ${world.parent}`].join(' · ')
  if (note !== undefined) return [...name, note].join(' · ')
  const events = `${world.seq} ${world.seq === 1 ? 'event' : 'events'}`
  const kept = world.durable ? ['durable'] : []
  if (world.clock === 'wall') return ['wall clock', ...kept, events].join(' · ')
  const clock = clocks.value.get(world.world)
  const state = clock?.advance ? 'advancing' : clock && !clock.frozen ? speedText(clock.speed) : 'paused'
  const time = `${secondText(clock?.now ?? world.now)} ${state}`
  // A card has room for three facts: of a fork, its time only matters while it moves.
  const parent = world.parent === undefined ? [] : [`fork of ${world.parent}`]
  const isQuiet = parent.length > 0 && state === 'paused'
  return [...parent, ...(isQuiet ? [] : [time]), ...kept, events].join(' · ')
}

const MINUTE_MS = 60_000

const endText = (at: string): string =>
  `ends in ${Math.max(Math.ceil((Date.parse(at) - Date.now()) / MINUTE_MS), 1)} min`

/** Shows the next or the previous world. */
function stepWorld(step: number): void {
  const names = (worlds.peek() ?? []).map(({ world }) => world)
  const at = names.indexOf(worldName.peek())
  const next = names[(at + step + names.length) % names.length]
  if (next !== undefined) chooseWorld(next)
}
