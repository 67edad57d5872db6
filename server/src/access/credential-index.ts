import type { World } from '../world/world.ts'

/** So many ids may be gone from their worlds before anyone looks. */
const TRIM_MIN = 64

/** Which world each id of one kind leads to. */
export class Routes<Id> {
  readonly #worldOf = new Map<Id, World>()
  readonly #isKnown: (world: World, id: Id) => boolean
  #trimAt = TRIM_MIN

  /** `isKnown` says whether a world still has an id; others are dropped in time. */
  constructor(isKnown: (world: World, id: Id) => boolean) {
    this.#isKnown = isKnown
  }

  worldOf(id: Id): World | undefined {
    return this.#worldOf.get(id)
  }

  /** A world joins with all it has. A fork has what its parent had; that goes on leading to the parent. */
  join(world: World, ids: Iterable<Id>): void {
    for (const id of ids) if (!this.#worldOf.has(id)) this.#worldOf.set(id, world)
  }

  /** The id is new, and of this world. */
  add(world: World, id: Id): void {
    this.#worldOf.set(id, world)
    if (this.#worldOf.size > this.#trimAt) this.#trim(world)
  }

  remove(world: World, id: Id): void {
    if (this.#worldOf.get(id) === world) this.#worldOf.delete(id)
  }

  leave(world: World): void {
    this.#drop((owner) => owner === world)
  }

  /** Looks into this world alone, which is alive since it has just told of something. */
  #trim(world: World): void {
    this.#drop((owner, id) => owner === world && !this.#isKnown(world, id))
    this.#trimAt = 2 * this.#worldOf.size + TRIM_MIN
  }

  #drop(isGone: (owner: World, id: Id) => boolean): void {
    for (const [id, owner] of this.#worldOf) if (isGone(owner, id)) this.#worldOf.delete(id)
  }
}
