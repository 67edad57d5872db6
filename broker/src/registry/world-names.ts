import type { WorldId } from '@quipu/core'

/** The names of worlds that exist or are being opened. */
export class WorldNames {
  readonly #exists: (id: WorldId) => boolean
  readonly #opening = new Map<WorldId, Promise<unknown>>()
  #made = 0

  constructor(exists: (id: WorldId) => boolean) {
    this.#exists = exists
  }

  get openingCount(): number {
    return this.#opening.size
  }

  isOpening(id: WorldId): boolean {
    return this.#opening.has(id)
  }

  isTaken(id: WorldId): boolean {
    return this.#exists(id) || this.#opening.has(id)
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
