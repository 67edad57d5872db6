import type { WorldEntry, Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { refuse } from '../../wire/refusal.ts'
import { type HandlersWith, type OperationsWith, withAdded } from '../added-input.ts'
import type { Context } from '../context.ts'

/** The world of the path; also sets the world of the response headers. */
export function worldNamed(name: string, context: Context): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.state.world = world
  return world
}

type WorldOperation = OperationsWith<{ readonly params: { readonly world: string } }>

/** Handlers of operations on a world: their input has the world of the path. */
export const withWorld = <const Names extends WorldOperation>(
  handlers: HandlersWith<{ readonly world: World }, Names>,
) => withAdded(handlers, ({ params }, context) => ({ world: worldNamed(params.world, context) }))

/** The entry of the world in the path; the response headers then name this world. */
export function entryOf(worlds: Worlds, name: string, context: Context): WorldEntry {
  const entry = worlds.entry(name)
  if (!entry) throw refuse({ code: 'worldNotFound', world: name })
  context.state.world = entry.world
  return entry
}
