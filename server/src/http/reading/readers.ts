import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'

/** The world that a reader names. */
export function worldOf(context: Context, name: string): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  return world
}

/** Refuses one open answer more than there may be. */
export function openReader({ services: { eventStreams } }: Context): void {
  if (eventStreams.isFull)
    throw refuse({ code: 'eventStreamsFull', limit: eventStreams.max }, ['Retry-After', '1'])
}

/** The number after which a reader wants to go on, of those up to the last. */
export function placeIn(
  newest: number,
  { cursor, last }: { readonly cursor?: string | undefined; readonly last?: number | undefined },
  seen?: string,
): number {
  const named = seen === undefined || seen === '' ? cursor : seen
  if (named === undefined) return last === undefined ? 0 : Math.max(0, newest - last)
  const place = /^\d{1,15}$/.test(named) ? Number(named) : Number.NaN
  if (place <= newest) return place
  const problem = `cursor: expected a number up to ${newest}, received "${named.slice(0, 60)}"`
  throw refuse({ code: 'invalidParameter', problem })
}
