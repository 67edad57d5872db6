import type { WorldEntry, Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { settingsOf } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'

/** The world of the path; also sets the world of the response headers. */
export function worldNamed(name: string, context: Context): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  return world
}

/** The world of the path, if its market can be changed; a replay world is refused. */
export function worldWithGeneratedMarket(name: string, context: Context): World {
  const world = worldNamed(name, context)
  if (settingsOf(world.view).market === 'replay') throw refuse({ code: 'replayMarketFixed', world: world.id })
  return world
}

/** The entry of the world of the path; also sets the world of the response headers. */
export function entryOf(worlds: Worlds, name: string, context: Context): WorldEntry {
  const entry = worlds.entry(name)
  if (!entry) throw refuse({ code: 'worldNotFound', world: name })
  context.world = entry.world
  return entry
}
