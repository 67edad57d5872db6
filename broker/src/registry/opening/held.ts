/** The lease of a world in this process, and how it ends. */
export type HeldLease = {
  /** Ends the lease and its renewals. Absent for a world in memory. */
  readonly release?: (() => Promise<unknown> | undefined) | undefined
  /** Runs before the lease ends if the world could not be opened, such as the deletion of a new world. */
  readonly undo?: (() => Promise<void>) | undefined
  readonly failed: (error: unknown) => void
}

type End = () => unknown

/**
 * Everything of a world that is open in this process: lease and renewals, journal, query tables and rebuilds, credentials, and
 * the entry in the list. It begins in `Held.begin` and ends together, in this order:
 *   1. the parts that have begun, the last one first
 *   2. what must happen while no other process may take the world, such as its deletion
 *   3. the lease and its renewals
 * A part that fails to end does not keep the later ones.
 */
export class Held {
  readonly #lease: HeldLease
  readonly #ends: End[] = []
  #ending: Promise<void> | undefined

  private constructor(lease: HeldLease) {
    this.#lease = lease
  }

  /** Opens a world. If that fails, everything that has begun ends. */
  static async begin<Value>(lease: HeldLease, open: (held: Held) => Promise<Value>): Promise<Value> {
    const held = new Held(lease)
    try {
      return await open(held)
    } catch (error) {
      await held.end(lease.undo).catch(lease.failed)
      throw error
    }
  }

  /** A part has begun. */
  begun(end: End): void {
    this.#ends.push(end)
  }

  /** Ends everything. `whileLeased` runs before the lease ends; only its failure is thrown. */
  end(whileLeased?: () => Promise<void> | undefined): Promise<void> {
    this.#ending ??= this.#end(whileLeased)
    return this.#ending
  }

  async #end(whileLeased: (() => Promise<void> | undefined) | undefined): Promise<void> {
    try {
      for (const end of this.#ends.splice(0).reverse()) await this.#attempt(end)
      await whileLeased?.()
    } finally {
      await this.#attempt(() => this.#lease.release?.())
    }
  }

  async #attempt(end: End): Promise<void> {
    try {
      await end()
    } catch (error) {
      this.#lease.failed(error)
    }
  }
}
