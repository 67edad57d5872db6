import { settingsOf } from '@quipu/core'
import { Faults } from '../faults/faults.ts'
import type { World } from './world.ts'

const listeners = new WeakMap<World, () => void>()

/** Calls the listener when a fault rule of the world is created, applied or deleted. */
export function watchFaults(world: World, listener: () => void): void {
  listeners.set(world, listener)
}

/** The fault rules of a world, for a new rule. */
export function faultsOf(world: World): Faults {
  world.clients.faults ??= new Faults(settingsOf(world.view).seed, () => listeners.get(world)?.())
  return world.clients.faults
}
