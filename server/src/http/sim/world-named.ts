import { settingsOf } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'

/** The world a path names; the answer is about it. */
export function worldNamed(name: string, context: Context): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  return world
}

/** The world a path names, whose market can be changed: one that replays imported data is refused. */
export function worldWithOpenMarket(name: string, context: Context): World {
  const world = worldNamed(name, context)
  if (settingsOf(world.view).market === 'replay') throw refuse({ code: 'replayMarketFixed', world: world.id })
  return world
}
