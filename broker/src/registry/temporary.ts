import type { WorldId } from '@quipu/core'
import type { WorldEntry, Worlds } from './worlds.ts'

/** When a world is deleted, in real time. Undefined if it is kept: it is not temporary, or it was used. */
export function forkExpiryOf(entry: WorldEntry): number | undefined {
  const { world, origin, clock } = entry
  const expiresAtMs = world.view.description?.expiresAtMs
  if (expiresAtMs === undefined || !origin) return undefined
  const isUsed =
    world.view.seq > origin.seq ||
    (clock !== undefined && clock.now() > origin.at) ||
    (clock?.speed ?? 0) > 0 ||
    (world.clients.faults?.all().length ?? 0) > 0
  return isUsed ? undefined : expiresAtMs
}

/** Keeps a world from now on: its description has no expiry any more. */
export async function keep({ world }: Pick<WorldEntry, 'world'>): Promise<void> {
  const { expiresAtMs, ...texts } = world.view.description ?? {}
  if (expiresAtMs !== undefined)
    await world.commands.submit({ kind: 'describeWorld', ...texts }, () => undefined)
}

type TemporaryParts = {
  /** Whether a stored world of another node follows this one. */
  readonly isFollowedElsewhere: (world: WorldId) => boolean
  readonly deleted: (world: WorldId) => void
  readonly failed: (world: WorldId, error: unknown) => void
}

/** Deletes temporary forks of this process when they expire unused. There are no timers without one. */
export class TemporaryForks {
  readonly #worlds: Worlds
  readonly #parts: TemporaryParts
  readonly #timers = new Map<WorldId, NodeJS.Timeout>()
  readonly #stop: () => void

  constructor(worlds: Worlds, parts: TemporaryParts) {
    this.#worlds = worlds
    this.#parts = parts
    this.#stop = worlds.changes.listen(({ kind, world }) => {
      if (kind === 'world' || kind === 'deleted' || kind === 'released') this.#schedule(world)
    })
    for (const { world } of worlds.entries()) this.#schedule(world.id)
  }

  close(): void {
    this.#stop()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #schedule(id: WorldId): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    const entry = this.#worlds.entry(id)
    const expiresAtMs = entry && forkExpiryOf(entry)
    if (expiresAtMs === undefined) return
    const timer = setTimeout(() => void this.#expire(id), Math.max(expiresAtMs - Date.now(), 0))
    timer.unref()
    this.#timers.set(id, timer)
  }

  async #expire(id: WorldId): Promise<void> {
    this.#timers.delete(id)
    const entry = this.#worlds.entry(id)
    if (!entry || forkExpiryOf(entry) === undefined) return
    try {
      if (this.#isFollowed(id)) return await keep(entry)
      await this.#worlds.lifecycle.delete(id)
      this.#parts.deleted(id)
    } catch (error) {
      this.#parts.failed(id, error)
    }
  }

  #isFollowed(id: WorldId): boolean {
    return this.#worlds.holding.followerOf(id) !== undefined || this.#parts.isFollowedElsewhere(id)
  }
}
