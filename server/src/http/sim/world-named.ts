import type { WorldEntry, Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Handler, Handlers, InputOf, OperationName } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'

/** The world of the path; also sets the world of the response headers. */
export function worldNamed(name: string, context: Context): World {
  const world = context.services.worlds.get(name)
  if (!world) throw refuse({ code: 'worldNotFound', world: name })
  context.world = world
  return world
}

type WorldOperation = {
  [Name in OperationName]: InputOf<Name>['params'] extends { readonly world: string } ? Name : never
}[OperationName]

type WorldHandler<Name extends OperationName> = (
  input: InputOf<Name> & { readonly world: World },
  context: Context,
) => ReturnType<Handler<Name, Context>>

/** Handlers of operations on a world: their input has the world of the path. */
export function inWorld<const Names extends WorldOperation>(
  handlers: {
    readonly [Name in Names]: WorldHandler<Name>
  },
): Handlers<Context, Names> {
  const withWorld = Object.entries<WorldHandler<never>>(handlers).map(([name, handler]) => [
    name,
    (input: InputOf<WorldOperation>, context: Context) =>
      handler({ ...input, world: worldNamed(input.params.world, context) } as never, context),
  ])
  return Object.fromEntries(withWorld)
}

/** The entry of the world of the path; also sets the world of the response headers. */
export function entryOf(worlds: Worlds, name: string, context: Context): WorldEntry {
  const entry = worlds.entry(name)
  if (!entry) throw refuse({ code: 'worldNotFound', world: name })
  context.world = entry.world
  return entry
}
