import type { JSX } from 'preact'
import { secondText } from '../../format/times.ts'
import { clocks } from '../../live/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import { type World, worldName, worlds } from '../../session/selection.ts'
import { speedText } from '../../shell/clock-actions.ts'
import { chooseWorld } from '../../shell/switches.tsx'

/** All worlds, and the way to a new one. */
export function WorldCards({ create }: { readonly create: () => void }): JSX.Element {
  return (
    <div class="world-cards">
      {(worlds.value ?? []).map((world) => (
        <WorldCard key={world.world} world={world} />
      ))}
      <button data-changes type="button" class="card new" onClick={create}>
        <Icon name="plus" />
        New world or scenario
      </button>
    </div>
  )
}

function WorldCard({ world }: { readonly world: World }): JSX.Element {
  const name = world.world
  const isChosen = worldName.value === name
  return (
    <button
      type="button"
      class={`card ${isChosen ? 'chosen' : ''}`}
      aria-current={isChosen ? 'true' : undefined}
      onClick={() => chooseWorld(name)}
    >
      <b>
        {world.clock === 'wall' ? <span class="dot" /> : <Icon name={world.parent ? 'fork' : 'globe'} />}
        <span class="cut-text">{name}</span>
      </b>
      <span class="cut-text n">{aboutOf(world)}</span>
    </button>
  )
}

/** `12:12:40 paused · 228 events`, `fork of flash-crash · 170 events` */
function aboutOf(world: World): string {
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

/** Shows the next or the previous world. */
export function stepWorld(step: number): void {
  const names = (worlds.peek() ?? []).map(({ world }) => world)
  const at = names.indexOf(worldName.peek())
  const next = names[(at + step + names.length) % names.length]
  if (next !== undefined) chooseWorld(next)
}
