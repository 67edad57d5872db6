import type { World } from '../world/world.ts'

/** Minimum number of ids before obsolete ones are removed. */
const TRIM_MIN = 64

/** Maps each id of one kind to its world. */
export class CredentialIndex<Id> {
  readonly #worldOf = new Map<Id, World>()
  readonly #isKnown: (world: World, id: Id) => boolean
  #trimAt = TRIM_MIN

  /** `isKnown` returns whether a world still has an id; other ids are removed in time. */
  constructor(isKnown: (world: World, id: Id) => boolean) {
    this.#isKnown = isKnown
  }

  worldOf(id: Id): World | undefined {
    return this.#worldOf.get(id)
  }

  /** Adds all ids of a world. A fork also has the ids of its parent; those keep pointing to the parent. */
  addWorld(world: World, ids: Iterable<Id>): void {
    for (const id of ids) if (!this.#worldOf.has(id)) this.#worldOf.set(id, world)
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

  /** Checks only this world, which is running because it has just published an event. */
  #trim(world: World): void {
    this.#drop((owner, id) => owner === world && !this.#isKnown(world, id))
    this.#trimAt = 2 * this.#worldOf.size + TRIM_MIN
  }

  #drop(isObsolete: (owner: World, id: Id) => boolean): void {
    for (const [id, owner] of this.#worldOf) if (isObsolete(owner, id)) this.#worldOf.delete(id)
  }
}
