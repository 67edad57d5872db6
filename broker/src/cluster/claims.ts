import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import { LeaseHeld } from '../journal/lease.ts'
import { NotApplied } from '../journal/not-applied.ts'
import type { Log } from '../log/log.ts'
import { type NotOpen, type Silence, SilentWorlds } from './silent-worlds.ts'
import type { Failures, WorldRow } from './table.ts'
import type { TableView } from './table-view.ts'

/** A node with more worlds than another waits for this long, so that the other one claims a free world first. */
const RANK_MS = 300
/** After a failure to open a world, this node leaves it to others for this long. */
const FAILED_MS = 5_000
/** A lease ends this long after the world was given up, also if the world is not closed until then. */
const CLOSE_MS = 500
/** The longest error of a world that the status shows. */
const FAILURE_MAX = 1_000

export type ClaimsParts = {
  /** The name of this node in leases. */
  readonly name: string
  /** Claims and opens a world, with this speed of its clock; fails with `LeaseHeld` if another node holds it. */
  readonly open: (world: WorldRow, speed?: number) => Promise<void>
  /** Closes a world, if it is open. This node answers nothing for it from now on. */
  readonly close: (world: WorldId) => Promise<void>
  /** Ends the lease of a world, if this node has it. Only the node `to` may take the world then; without it, any. */
  readonly endLease: (lease: ClaimedLease, to?: Successor) => Promise<void>
  /** The durable worlds in the list of this node except `main`, each with its journal. */
  readonly journals: () => ReadonlyMap<WorldId, string>
  /** Whether a world is being created, reset or deleted. */
  readonly isChanged: (world: WorldId) => boolean
  /** Whether a world is in the list of this node. */
  readonly isOpen: (world: WorldId) => boolean
  readonly isUp: (world: WorldId) => boolean
  /** Whether a world answers, is being created, reset or deleted, or is so large that its rebuild takes long. */
  readonly isLive: (world: WorldId) => boolean
  readonly log: Log
}

/** The lease of a world as the table has it, or that of a journal that is not in the table. */
export type ClaimedLease = Pick<WorldRow, 'holder' | 'fence'> & {
  /** Absent for `main`. */
  readonly journal?: string | undefined
}

const leaseOf = ({ holder, fence, record }: WorldRow): ClaimedLease => ({
  holder,
  fence,
  journal: record?.journal,
})

/** Why a world is free, and since when; or when it may be tried again. */
type Free = { readonly sinceMs: number; readonly failure?: string | undefined }

/** A world that is given up: its lease ends, also if closing it takes long. */
type Releasing = { readonly leaseEnded: Promise<void>; readonly closed: Promise<unknown> }

/** The worlds that this node opens and gives up. A world whose lease it has responses, or its lease ends. */
export class Claims {
  readonly #parts: ClaimsParts
  readonly #view: TableView
  readonly #opening = new Map<WorldId, Promise<void>>()
  readonly #releasing = new Map<WorldId, Releasing>()
  readonly #free = new Map<WorldId, Free>()
  readonly #silent = new SilentWorlds()

  constructor(parts: ClaimsParts, view: TableView) {
    this.#parts = parts
    this.#view = view
  }

  isOpening(world: WorldId): boolean {
    return this.#opening.has(world)
  }

  /** The worlds that have a lease of this node, or are in its list, and have not answered for too long. */
  get stuck(): readonly NotOpen[] {
    return this.#silent.stuck
  }

  isStuck(world: WorldId): boolean {
    return this.#silent.isStuck(world)
  }

  /** Whether this node opens, resets or deletes a world, and not for too long. */
  isChanging(world: WorldId): boolean {
    return this.#isBusy(world) && !this.isStuck(world)
  }

  /** The problems of this node with worlds, for the status. */
  get failures(): Failures {
    const failed = [...this.#free].flatMap(([world, { failure }]) =>
      failure && !this.#parts.isUp(world) ? [[world, failure]] : [],
    )
    return Object.fromEntries([...failed, ...this.#silent.all.map(({ world, problem }) => [world, problem])])
  }

  /** Claims free worlds, if `claims` is true. A node with few worlds is faster than one with many. */
  async claim(claims: boolean, isFirst = false): Promise<void> {
    const nowMs = performance.now()
    for (const world of this.#free.keys()) if (!this.#view.row(world)) this.#free.delete(world)
    for (const row of this.#view.table.worlds) {
      const { world, holder } = row
      if (holder && holder.name !== this.#parts.name && this.#parts.isOpen(world))
        this.#release(world, leaseOf(row))
      if (holder || this.#parts.isOpen(world) || this.isOpening(world) || this.#releasing.has(world)) {
        if (holder || !this.isOpening(world)) this.#free.delete(world)
        continue
      }
      if (!this.#view.isFree(row, nowMs)) continue
      const free = this.#free.get(world) ?? { sinceMs: nowMs }
      this.#free.set(world, free)
      if (!claims || nowMs - free.sinceMs < this.#view.nodes.rank(this.#opening.size) * RANK_MS) continue
      const opened = this.#openFree(row)
      // One at each look, so that several nodes share the worlds of a lost one.
      if (!isFirst) return
      await opened
    }
  }

  /**
   * Gives up worlds that should answer here and do not, so that a node opens them again; and those that are open here and
   * not stored, so that nothing is acknowledged that would be lost.
   */
  giveUpSilent(): void {
    const journals = this.#parts.journals()
    const rows = new Map(this.#view.table.worlds.map((row) => [row.world, row]))
    const worlds = new Set([...rows.keys(), ...journals.keys()])
    this.#silent.keep((world) => worlds.has(world))
    for (const world of worlds) {
      const [row, journal] = [rows.get(world), journals.get(world)]
      const isStored = row !== undefined && (journal === undefined || journal === row.record?.journal)
      const silence = isStored ? this.#silenceOf(row) : this.#unstored(world)
      if (!this.#silent.found(world, silence) || this.#releasing.has(world)) continue
      const why = isStored ? 'does not answer' : 'is not stored'
      this.#parts.log.error(`a world ${why}, and is given up`, { world, node: this.#parts.name })
      this.#release(world, isStored ? leaseOf(row) : { journal, fence: 0 })
    }
  }

  /** Gives up a world that does not answer here, so that only the node `to` may take it. */
  async giveUp(row: WorldRow, to: Successor): Promise<void> {
    await this.#release(row.world, leaseOf(row), to).leaseEnded
  }

  /** Opens a world, which nobody else may have. */
  async open(row: WorldRow, speed?: number): Promise<void> {
    const { world } = row
    // A node that stalled during a move asks for a world that this node has claimed by itself meanwhile.
    const opening = this.#opening.get(world)
    if (opening) return opening
    if (this.#parts.isOpen(world) && !this.#releasing.has(world)) {
      if (this.#parts.isLive(world) && this.#hasJournal(row)) return
      this.#release(world, leaseOf(row))
    }
    const opened = this.#open(row, speed).finally(() => this.#opening.delete(world))
    this.#opening.set(world, opened)
    await opened
  }

  /** Logs why a world was not opened, and returns it. */
  report(world: WorldId, error: unknown): string {
    const problem = error instanceof Error ? error.message : String(error)
    this.#parts.log.error('world not opened', { world, error: problem })
    return problem.slice(0, FAILURE_MAX)
  }

  /** Why a world does not answer that should answer here; undefined if it does, or need not. */
  #silenceOf({ world, holder }: WorldRow): Silence | undefined {
    const { name, isOpen, isUp } = this.#parts
    if (isUp(world) || (holder?.name !== name && !isOpen(world))) return undefined
    if (this.#isBusy(world)) return { kind: 'changing', isBusy: true }
    return { kind: isOpen(world) ? 'rebuilding' : 'absent', isBusy: false }
  }

  #unstored(world: WorldId): Silence {
    const isBusy = this.isOpening(world) || this.#parts.isChanged(world)
    return { kind: isBusy ? 'changing' : 'unstored', isBusy }
  }

  /** Whether an open world has the journal of the stored one, or is on the way to it. */
  #hasJournal({ world, record }: WorldRow): boolean {
    return this.#parts.isChanged(world) || this.#parts.journals().get(world) === record?.journal
  }

  #isBusy(world: WorldId): boolean {
    return this.isOpening(world) || this.#parts.isLive(world)
  }

  /** The looks at the table do not wait for it. */
  #release(world: WorldId, lease: ClaimedLease, to?: Successor): Releasing {
    const before = this.#releasing.get(world)
    if (before) return before
    const log = (error: unknown) => this.#parts.log.error('world not closed', { world, error: String(error) })
    const closing = this.#parts.close(world).catch(log)
    const leaseEnded = Promise.race([closing, sleep(CLOSE_MS, undefined, { ref: false })])
      .then(() => this.#parts.endLease(lease, to))
      .catch(log)
    const closed = Promise.all([closing, leaseEnded]).finally(() => this.#releasing.delete(world))
    const releasing = { leaseEnded, closed }
    this.#releasing.set(world, releasing)
    return releasing
  }

  async #open(row: WorldRow, speed: number | undefined): Promise<void> {
    const { world } = row
    await this.#releasing.get(world)?.closed
    await this.#parts.open(row, speed)
    this.#parts.log.info('claimed a world', { world, node: this.#parts.name })
  }

  async #openFree(row: WorldRow): Promise<void> {
    const { world } = row
    try {
      await this.open(row)
      this.#free.delete(world)
    } catch (error) {
      if (error instanceof LeaseHeld) return
      const failure = this.report(world, error)
      // A node that was stopped for a while, such as by a busy machine, may try again at once.
      const waitMs = error instanceof NotApplied ? 0 : FAILED_MS
      this.#free.set(world, { sinceMs: performance.now() + waitMs, failure })
    }
  }
}
