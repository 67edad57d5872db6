import type { WorldId } from '@quipu/core'
import { MAIN } from '../registry/opening/open-main.ts'
import type { ClusterTable } from './table.ts'

/** A code without a world is looked for again after this time. Users of `main` may choose ids with any code. */
const UNKNOWN_MS = 10_000

/** The stored worlds by the code in the ids of their credentials. */
export class WorldsByCode {
  readonly #read: () => Promise<void>
  #worlds: ReadonlyMap<string, WorldId> = new Map()
  /** When each code was found to belong to no world. */
  readonly #unknown = new Map<string, number>()
  readonly #lookups = new Map<string, Promise<void>>()

  /** `read` reads the table of the cluster, and `update` gets the result. */
  constructor(read: () => Promise<void>) {
    this.#read = read
  }

  update({ worlds }: ClusterTable): void {
    this.#worlds = new Map(worlds.flatMap(({ world, record }) => (record ? [[record.code, world]] : [])))
  }

  /** The world of a code. An unknown code counts as one of `main`, which refuses its credentials. */
  worldOf(code: string): WorldId {
    return this.#worlds.get(code) ?? MAIN
  }

  /**
   * Looks for the world of a code that this node does not know: another node may have created it after the last read.
   * Returns undefined if the code is known, or was looked for lately. Rejects without the database: `main` would refuse
   * the credential of a world that exists.
   */
  lookUp(code: string): Promise<void> | undefined {
    const unknownMs = this.#unknown.get(code) ?? Number.NEGATIVE_INFINITY
    if (this.#worlds.has(code) || performance.now() - unknownMs < UNKNOWN_MS) return undefined
    let found = this.#lookups.get(code)
    if (!found) {
      found = this.#read()
        .then(() => void this.#unknown.set(code, performance.now()))
        .finally(() => this.#lookups.delete(code))
      this.#lookups.set(code, found)
    }
    return found
  }
}
