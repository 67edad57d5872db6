import type { World } from '../../world.ts'
import type { Context } from '../context.ts'
import { refuse } from '../refusal.ts'

/** The world that a reader names. */
export function worldOf(context: Context, name: string): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  return world
}

/** Refuses one open answer more than there may be. */
export function openReader({ services: { live } }: Context): void {
  if (live.isFull) throw refuse({ code: 'readersFull', limit: live.most }, ['Retry-After', '1'])
}
