import type { WorldId } from '@quipu/core'

/** The names of worlds that exist or are being opened. */
export class WorldNames {
  readonly #isListed: (id: WorldId) => boolean
  readonly #isStored: (id: WorldId) => boolean
  readonly #opening = new Map<WorldId, Promise<unknown>>()
  #made = 0

  constructor(isListed: (id: WorldId) => boolean, isStored: (id: WorldId) => boolean) {
    this.#isListed = isListed
    this.#isStored = isStored
  }

  /** Whether a world of this process has the name, also one that could not be opened. */
  has(id: string): boolean {
    return this.#isListed(id as WorldId)
  }

  get openingCount(): number {
    return this.#opening.size
  }

  /** Whether a world is being created, reset or deleted. */
  isOpening(id: WorldId): boolean {
    return this.#opening.has(id)
  }

  /** Whether a world has this name, also at another node, or is being opened under it. */
  isTaken(id: string): boolean {
    return this.has(id) || this.#isStored(id as WorldId) || this.#opening.has(id as WorldId)
  }

  /** An unused name. The same calls in the same order give the same names. */
  unused(): WorldId {
    do this.#made += 1
    while (this.isTaken(`world-${this.#made}` as WorldId))
    return `world-${this.#made}` as WorldId
  }

  /** Reserves the name until the world is open. */
  async reserve<Entry>(id: WorldId, open: () => Promise<Entry>): Promise<Entry> {
    const opening = open()
    this.#opening.set(id, opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(id)
    }
  }

  /** Resolves when the world is not being opened. */
  async untilOpened(id: WorldId): Promise<void> {
    await this.#opening.get(id)?.catch(() => undefined)
  }
}
