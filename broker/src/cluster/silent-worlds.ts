import type { WorldId } from '@quipu/core'
import { LEASE_MS } from '../journal/lease.ts'

/** A world on which this node does not work is stuck after this time. */
const STUCK_MS = LEASE_MS
/** A world that this node opens, rebuilds, resets or deletes is stuck after this time. Large worlds take seconds. */
const LONG_MS = 60_000
/** A node gives up a world for which it has not answered for this long. With the next look this is below 5 s. */
const SILENT_MS = 4_000

/** Why a world that has the lease of this node, or is in its list, does not answer, or must not. */
export type Silence = {
  /** `absent`: it is not in the list of this node. `unstored`: the stored world has another journal, or there is none. */
  readonly kind: 'changing' | 'rebuilding' | 'absent' | 'unstored'
  /** This node works on it. */
  readonly isBusy: boolean
}

type Silent = Silence & {
  /** When the world was first found not to answer. */
  readonly sinceMs: number
  readonly giveUpMs: number
}

/** A world that does not answer, and why, as a predicate of its node. */
export type NotOpen = { readonly world: WorldId; readonly problem: string }

/** The worlds for which this node should answer and does not. */
export class SilentWorlds {
  readonly #worlds = new Map<WorldId, Silent>()

  /** The result of a look at a world. Returns whether the node must give the world up now. */
  found(world: WorldId, silence: Silence | undefined): boolean {
    if (!silence) {
      this.#worlds.delete(world)
      return false
    }
    const nowMs = performance.now()
    const before = this.#worlds.get(world)
    const isDue = !silence.isBusy && before !== undefined && before.giveUpMs <= nowMs
    const giveUpMs = silence.isBusy || isDue ? nowMs + SILENT_MS : (before?.giveUpMs ?? nowMs + SILENT_MS)
    this.#worlds.set(world, { ...silence, sinceMs: before?.sinceMs ?? nowMs, giveUpMs })
    return isDue
  }

  /** Forgets the worlds that are neither stored nor open any more. */
  keep(isKnown: (world: WorldId) => boolean): void {
    for (const world of this.#worlds.keys()) if (!isKnown(world)) this.#worlds.delete(world)
  }

  /** Without those that a node is just taking or changing: their lease, the list and the table change one after the other. */
  get all(): readonly NotOpen[] {
    return [...this.#worlds]
      .filter(([, silent]) => this.#isNamed(silent))
      .map(([world, silent]) => ({ world, problem: problemOf(silent) }))
  }

  /** Those that have not answered for longer than an opening takes. */
  get stuck(): readonly NotOpen[] {
    return this.all.filter(({ world }) => this.isStuck(world))
  }

  #isNamed({ kind, sinceMs }: Silent): boolean {
    return performance.now() - sinceMs >= namedAfterMs[kind]
  }

  isStuck(world: WorldId): boolean {
    const { sinceMs = Number.POSITIVE_INFINITY, isBusy } = this.#worlds.get(world) ?? {}
    return performance.now() - sinceMs > (isBusy ? LONG_MS : STUCK_MS)
  }
}

/**
 * A usual opening, reset or move takes less. The lease of a moved world arrives before the world. The table of the cluster
 * keeps a problem until the next look.
 */
const namedAfterMs: Readonly<Record<Silence['kind'], number>> = {
  changing: LEASE_MS,
  rebuilding: 0,
  absent: LEASE_MS / 2,
  unstored: LEASE_MS,
}

const problems: Readonly<Record<Silence['kind'], string>> = {
  changing: 'has been opening or changing it',
  rebuilding: 'has been rebuilding it',
  absent: 'has the lease, but has not had it open',
  unstored: 'has had a journal of it open that no stored world has',
}

const problemOf = ({ kind, sinceMs }: Silent): string =>
  `${problems[kind]} for ${Math.round((performance.now() - sinceMs) / 1000)} s`
