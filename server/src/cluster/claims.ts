import type { WorldId } from '@quipu/core'
import { LEASE_MS } from '../journal/lease.ts'
import { LeaseHeld } from '../journal/postgres-lease.ts'
import type { Log } from '../process/log.ts'
import { NotApplied } from '../process/not-applied.ts'
import type { Failures, WorldRow } from './table.ts'
import type { TableView } from './table-view.ts'

/** A node with more worlds than another waits for this long, so that the other one claims a free world first. */
const RANK_MS = 300
/** After a failure to open a world, this node leaves it to others for this long. */
const FAILED_MS = 5_000
/** A world that has the lease of this node for longer than that, and does not answer, is stuck. */
const STUCK_MS = LEASE_MS
/** A node gives up a world for which it has not answered for this long. With the next look this is below 5 s. */
const SILENT_MS = 4_000
/** The longest error of a world that the status shows. */
const FAILURE_MAX = 1_000

export type ClaimsParts = {
  /** The name of this node in leases. */
  readonly name: string
  /** Claims and opens a world, with this speed of its clock; fails with `LeaseHeld` if another node holds it. */
  readonly open: (world: WorldRow, speed?: number) => Promise<void>
  /** Closes a world, if it is open, and ends its lease, if this node has it. */
  readonly release: (world: WorldRow) => Promise<void>
  readonly isOpen: (world: WorldId) => boolean
  /** Whether a world answers, is being created, reset or deleted, or is so large that its rebuild takes long. */
  readonly isLive: (world: WorldId) => boolean
  readonly log: Log
}

/** Why a world is free, and since when; or when it may be tried again. */
type Free = { readonly sinceMs: number; readonly failure?: string | undefined }

/** The worlds that this node opens and gives up. A world whose lease it has answers, or its lease ends. */
export class Claims {
  readonly #parts: ClaimsParts
  readonly #view: TableView
  readonly #opening = new Map<WorldId, Promise<void>>()
  readonly #releasing = new Map<WorldId, Promise<void>>()
  readonly #free = new Map<WorldId, Free>()
  /** When each world that should answer here was first found not to answer. */
  readonly #silent = new Map<WorldId, number>()

  constructor(parts: ClaimsParts, view: TableView) {
    this.#parts = parts
    this.#view = view
  }

  isOpening(world: WorldId): boolean {
    return this.#opening.has(world)
  }

  /** The worlds that have a lease of this node, or are in its list, and do not answer. */
  get stuck(): readonly WorldId[] {
    const untilMs = performance.now() - STUCK_MS
    return [...this.#silent].flatMap(([world, sinceMs]) => (sinceMs < untilMs ? [world] : []))
  }

  /** The problems of this node with worlds, for the status. */
  get failures(): Failures {
    const failed = [...this.#free].flatMap(([world, { failure }]) => (failure ? [[world, failure]] : []))
    const nowMs = performance.now()
    const stuck = this.stuck.map((world) => {
      const seconds = Math.round((nowMs - this.#silent.get(world)!) / 1000)
      return [world, `has the lease, but has not had the world open for ${seconds} s`]
    })
    return Object.fromEntries([...failed, ...stuck])
  }

  /** Claims free worlds, if `claims` is true. A node with few worlds is faster than one with many. */
  async claim(claims: boolean, isFirst = false): Promise<void> {
    const nowMs = performance.now()
    for (const world of this.#free.keys()) if (!this.#view.row(world)) this.#free.delete(world)
    for (const row of this.#view.table.worlds) {
      const { world, holder } = row
      if (holder && holder.name !== this.#parts.name && this.#parts.isOpen(world)) this.#release(row)
      if (holder || this.#parts.isOpen(world) || this.isOpening(world) || this.#releasing.has(world)) {
        if (holder || !this.isOpening(world)) this.#free.delete(world)
        continue
      }
      if (!this.#view.isFree(row, nowMs)) continue
      const free = this.#free.get(world) ?? { sinceMs: nowMs }
      this.#free.set(world, free)
      if (!claims || nowMs - free.sinceMs < this.#view.rank(this.#opening.size) * RANK_MS) continue
      const opened = this.#openFree(row)
      // One at each look, so that several nodes share the worlds of a lost one.
      if (!isFirst) return
      await opened
    }
  }

  /** Gives up worlds that should answer here and do not, so that a node opens them again. */
  giveUpSilent(): void {
    const nowMs = performance.now()
    for (const world of this.#silent.keys()) if (!this.#view.row(world)) this.#silent.delete(world)
    for (const row of this.#view.table.worlds) {
      const { world } = row
      if (!this.#isSilent(row)) {
        this.#silent.delete(world)
        continue
      }
      const sinceMs = this.#silent.get(world) ?? nowMs
      this.#silent.set(world, sinceMs)
      if (nowMs - sinceMs < SILENT_MS || this.#releasing.has(world)) continue
      this.#parts.log.error('a world does not answer, and is given up', { world, node: this.#parts.name })
      this.#release(row)
    }
  }

  /** Opens a world, which nobody else may have. */
  async open(row: WorldRow, speed?: number): Promise<void> {
    const { world } = row
    // A node that stalled during a move asks for a world that this node has claimed by itself meanwhile.
    const opening = this.#opening.get(world)
    if (opening) return opening
    if (this.#parts.isOpen(world) && !this.#releasing.has(world)) {
      if (this.#parts.isLive(world)) return
      this.#release(row)
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

  #isSilent({ world, holder }: WorldRow): boolean {
    const { name, isOpen, isLive } = this.#parts
    return !this.isOpening(world) && (holder?.name === name || isOpen(world)) && !isLive(world)
  }

  /** The looks at the table do not wait for it. */
  #release(row: WorldRow): void {
    const { world } = row
    if (this.#releasing.has(world)) return
    const log = (error: unknown) => this.#parts.log.error('world not closed', { world, error: String(error) })
    const releasing = this.#parts.release(row).catch(log)
    this.#releasing.set(world, releasing)
    void releasing.finally(() => this.#releasing.delete(world))
  }

  async #open(row: WorldRow, speed: number | undefined): Promise<void> {
    const { world } = row
    await this.#releasing.get(world)
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
