import type { WorldsParts } from './world-entry.ts'
import type { WorldList } from './world-list.ts'
import type { WorldNames } from './world-names.ts'

/** How many worlds there may be. */
export class Capacity {
  readonly #parts: Pick<WorldsParts, 'worldsMax' | 'durable' | 'durableWorldsMax'>
  readonly #list: WorldList
  readonly #names: WorldNames

  constructor(
    parts: Pick<WorldsParts, 'worldsMax' | 'durable' | 'durableWorldsMax'>,
    list: WorldList,
    names: WorldNames,
  ) {
    this.#parts = parts
    this.#list = list
    this.#names = names
  }

  /** The maximum number of worlds, including `main`. */
  get max(): number {
    return this.#parts.worldsMax
  }

  get isFull(): boolean {
    return this.#list.size + this.#names.openingCount >= this.max
  }

  /** The maximum number of durable worlds besides `main`; undefined if this server keeps nothing. */
  get durableMax(): number | undefined {
    return this.#parts.durable && this.#parts.durableWorldsMax
  }

  /** The number of durable worlds, also of those at other nodes. */
  async durableCount(): Promise<number> {
    return (await this.#parts.durable?.usedCodes())?.size ?? 0
  }
}
