import { eventOf } from '@quipu/broker/journal/stored-event.ts'
import type { StoredWorld } from '@quipu/broker/registry/durable-storage.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { InputOf } from '@quipu/contract'
import { followingSettings, settingsOf, type WorldId, type WorldSettings } from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import type { Context } from '../../context.ts'

type NewWorld = InputOf<'createWorld'>['body']

/** The settings of a new world; the market settings are those of the world that it follows, if any. */
export async function withFollowedMarket(
  worlds: Worlds,
  { follows, clock, hours, market }: NewWorld,
  settings: WorldSettings,
): Promise<WorldSettings> {
  if (follows === undefined) return settings
  const followed = await followedWorld(worlds, follows)
  if (clock !== followed.clock) throw refuse(invalid('clock', `${followed.clock}, as ${follows}`, clock))
  if (market !== 'synthetic')
    throw refuse(invalid('market', `none, since the world follows ${follows}`, market))
  if (hours !== 'always' && hours !== followed.settings.hours)
    throw refuse(invalid('hours', `${followed.settings.hours}, as ${follows}`, hours))
  return followingSettings(settings, follows, followed.settings)
}

const invalid = (field: string, expected: string, received: string) =>
  ({ code: 'invalidParameter', problem: `${field}: expected ${expected}, received ${received}` }) as const

type FollowedWorld = { readonly clock: NewWorld['clock']; readonly settings: WorldSettings }

/** The world to follow: of this process, or as it is stored if another node may hold it. */
async function followedWorld(worlds: Worlds, id: WorldId): Promise<FollowedWorld> {
  const entry = worlds.entry(id)
  if (entry) {
    if (!entry.durable) throw refuse(invalid('follows', 'a durable world', id))
    if (entry.world.market.live) refuseUnlessMain(id)
    return { clock: entry.clock ? 'virtual' : 'wall', settings: settingsOf(entry.world.view) }
  }
  const stored = await worlds.holding.stored(id)
  const settings = stored && (await firstSettings(stored))
  if (!settings) throw refuse({ code: 'worldNotFound', world: id })
  if (stored.record?.follows === MAIN && worlds.main.market.live) refuseUnlessMain(id)
  // `main` has no record, and runs on the wall clock.
  return { clock: stored.record && stored.record.clock !== 'wall' ? 'virtual' : 'wall', settings }
}

/** Only `main` and the worlds that follow it directly have the prices of the provider. */
function refuseUnlessMain(id: WorldId): void {
  if (id !== MAIN) throw refuse(invalid('follows', `${MAIN}, whose market ${id} follows`, id))
}

async function firstSettings({ seq, read }: StoredWorld): Promise<WorldSettings | undefined> {
  if (seq === 0) return undefined
  for await (const [entry] of read(0)) {
    const event = entry && eventOf(entry)
    return event?.kind === 'worldOpened' ? event.settings : undefined
  }
  return undefined
}

/** Refuses to delete or reset a world that others follow, also worlds of other nodes. */
export async function refuseIfFollowed(worlds: Worlds, world: string, context: Context): Promise<void> {
  const { cluster } = context.services
  await cluster?.view.refresh()
  const elsewhere = cluster?.view.table.worlds.find(({ record }) => record?.follows === world)
  const follower = worlds.holding.followerOf(world as WorldId) ?? elsewhere?.world
  if (follower) throw refuse({ code: 'worldFollowed', world, follower })
}
