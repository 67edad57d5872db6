import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

/** The world a path names; the answer is about it. */
export function worldNamed(name: string, context: Context): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  return world
}
