import type { ClientId } from '@quipu/core'
import { lookUp } from '@quipu/core/values'
import type { World } from '../world/world.ts'

/** Minimum number of ids before obsolete ones are removed. */
const TRIM_MIN = 64

export type Ids<Id> = Pick<ReadonlyMap<Id, unknown>, 'has' | 'keys'>

/** Maps each id of one kind to its world. */
export class CredentialIndex<Id extends string> {
  readonly #worldOf = new Map<Id, World>()
  readonly #idsOf: (world: World) => Ids<Id>
  #trimAt = TRIM_MIN

  /** `idsOf` returns the ids that a world has; other ids are removed in time. */
  constructor(idsOf: (world: World) => Ids<Id>) {
    this.#idsOf = idsOf
  }

  worldOf(id: string): World | undefined {
    return lookUp(this.#worldOf, id)
  }

  /** Adds all ids of a world. An id that another world has keeps pointing to that world. */
  addWorld(world: World): void {
    for (const id of this.#idsOf(world).keys()) if (!this.#worldOf.has(id)) this.#worldOf.set(id, world)
  }

  /** Adds a new id of this world. */
  add(world: World, id: Id): void {
    this.#worldOf.set(id, world)
    if (this.#worldOf.size > this.#trimAt) this.#trim(world)
  }

  remove(world: World, id: Id): void {
    if (this.#worldOf.get(id) === world) this.#worldOf.delete(id)
  }

  removeWorld(world: World): void {
    this.#drop((owner) => owner === world)
  }

  replaceWorld(old: World, world: World): void {
    const ids = this.#idsOf(world)
    for (const [id, owner] of this.#worldOf) if (owner === old && ids.has(id)) this.#worldOf.set(id, world)
    this.removeWorld(old)
  }

  /** Checks only this world, which is running because it has just published an event. */
  #trim(world: World): void {
    const ids = this.#idsOf(world)
    this.#drop((owner, id) => owner === world && !ids.has(id))
    this.#trimAt = 2 * this.#worldOf.size + TRIM_MIN
  }

  #drop(isObsolete: (owner: World, id: Id) => boolean): void {
    for (const [id, owner] of this.#worldOf) if (isObsolete(owner, id)) this.#worldOf.delete(id)
  }
}

/** The client ids of the apps that were registered in this world. In a copy, those of the original name its apps. */
export function registeredApps({ view: { apps, clientIds } }: World): Ids<ClientId> {
  const isOwn = (id: ClientId) => apps.get(clientIds.get(id)!)?.isCopied !== true
  return {
    has: (id) => clientIds.has(id) && isOwn(id),
    keys: () => [...clientIds.keys()].filter(isOwn).values(),
  }
}
