import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import type { Log } from '../log/log.ts'
import { MAIN } from '../registry/opening/open-main.ts'
import type { Admission } from './admission.ts'
import { askNode, NotMoved, type TaskName, type Tasks } from './ask-node.ts'
import type { Claims } from './claims.ts'
import { type WorldRow, whyNotOpen } from './table.ts'
import type { TableView } from './table-view.ts'

/** How long new requests wait for those that have begun. */
const BEGUN_MS = 500
/** If a request runs longer, the move is tried again after this interval, at most this many times. */
const RETRY_MS = 1_000
const TRIES = 10
/** The target reads snapshot and journal, which takes seconds for a large world. */
const PREPARE_MS = 120_000
const CLAIM_MS = 30_000
const MOVE_MS = PREPARE_MS + CLAIM_MS + TRIES * (RETRY_MS + BEGUN_MS)
/** While this node drains, a world that no node takes is tried again after this time. */
const DRAIN_RETRY_MS = 2_000
/** A node that stops reports that it is not ready for at least this long, so that load balancers notice it. */
const NOTICE_MS = 2_500
const LEAVE_LOOK_MS = 50

export type MovesParts = {
  readonly name: string
  readonly secret: string
  readonly isOpen: (world: WorldId) => boolean
  /** Closes a world, releases it to another node, and returns the speed of its clock. */
  readonly handOver: (world: WorldId, to: Successor) => Promise<number>
  /** The worlds of this node that are not stored. They are lost when it no longer holds `main`. */
  readonly inMemory: () => readonly WorldId[]
  readonly log: Log
}

/** A world that was moved. Its requests waited for `pausedMs`. */
export type Moved = { readonly from: string | null; readonly to: string; readonly pausedMs: number }

/** What moves need of `Claims`. */
type ClaimsForMoves = Pick<Claims, 'isOpening' | 'isChanging' | 'isStuck' | 'giveUp'>

/** Moves worlds from one node to another. */
export class Moves {
  readonly #parts: MovesParts
  readonly #admission: Admission
  readonly #view: TableView
  readonly #claims: ClaimsForMoves
  readonly #moving = new Set<WorldId>()
  /** The nodes to which a world could not be moved, and when it may be tried again. */
  readonly #failed = new Map<WorldId, { readonly nodes: ReadonlySet<string>; readonly againMs: number }>()
  #isLeaving = false

  constructor(parts: MovesParts, admission: Admission, view: TableView, claims: ClaimsForMoves) {
    this.#parts = parts
    this.#admission = admission
    this.#view = view
    this.#claims = claims
  }

  /** Whether a world is being moved from this node, or opened by it. */
  isMoving(world: WorldId): boolean {
    return this.#moving.has(world) || this.#claims.isOpening(world)
  }

  /** Whether this node stops. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Moves a world to another node, wherever it is. Fails with `NotMoved`. */
  async move(world: WorldId, to: Successor): Promise<Moved> {
    const { name } = this.#parts
    await this.#view.read()
    const row = this.#view.row(world)
    const from = row?.holder
    if (!row || !from) return this.#claimFree(row, world, to)
    if (from.name === to.name) return this.#stay(row, from)
    if (from.name === name) return this.moveAway(world, to.name)
    return (await this.#ask(from, MOVE_MS, 'move', { world, node: to.name })) as Moved
  }

  /** Gives a node a task. A node that is paused or lost is not waited for any longer than it is in the table. */
  #ask<Name extends TaskName>(
    { name, address }: Successor,
    timeoutMs: number,
    task: Name,
    input: Tasks[Name],
  ): Promise<unknown> {
    const signal = this.#view.nodes.whileRunning(name)
    return askNode({ address, secret: this.#parts.secret, timeoutMs, signal }, task, input)
  }

  /** Lets a node claim a world that nobody holds. */
  async #claimFree(row: WorldRow | undefined, world: WorldId, to: Successor): Promise<Moved> {
    const startedMs = performance.now()
    // Its last holder may still answer.
    if (!row || !this.#view.isFree(row, startedMs))
      throw new NotMoved(`no node holds ${world} at the moment; try again`)
    await this.#ask(to, CLAIM_MS, 'claim', { world, speed: 0 })
    return { from: null, to: to.name, pausedMs: Math.round(performance.now() - startedMs) }
  }

  #stay(row: WorldRow, { name }: Successor): Moved {
    const problem = whyNotOpen(this.#view.table.nodes, row)
    if (problem !== undefined)
      throw new NotMoved(`node ${name} holds ${row.world}, but ${problem}; move it to another node`)
    return { from: name, to: name, pausedMs: 0 }
  }

  /** Moves a world of this node to another one, also one that does not answer here. */
  async moveAway(world: WorldId, toName: string): Promise<Moved> {
    const { name: from, inMemory, log } = this.#parts
    const to = this.#view.nodes.others.find(({ name }) => name === toName)
    if (!to) throw new NotMoved(`node ${toName} does not run, or is draining`)
    if (!this.#view.held.includes(world)) throw new NotMoved(`node ${from} does not hold ${world}; try again`)
    if (this.#isChanging(world)) throw new NotMoved(`node ${from} opens or changes ${world}; try again`)
    if (this.#moving.has(world)) throw new NotMoved(`${world} is being moved already`)
    const lost = world === MAIN && this.#isHandedOver(world) && !this.#isLeaving ? inMemory() : []
    if (lost.length > 0)
      throw new NotMoved(`main cannot be moved without the worlds in memory: delete ${lost.join(', ')}`)
    this.#moving.add(world)
    try {
      const pausedMs = await this.#handOver(world, to)
      log.info('moved a world', { world, to: to.name, pausedMs })
      return { from, to: to.name, pausedMs }
    } finally {
      this.#moving.delete(world)
      await this.#view.read().catch(() => undefined)
    }
  }

  #isChanging(world: WorldId): boolean {
    return !this.#parts.isOpen(world) && this.#claims.isChanging(world)
  }

  /** Whether a world is closed in order before it moves. One that does not answer here is given up. */
  #isHandedOver(world: WorldId): boolean {
    return this.#parts.isOpen(world) && !this.#claims.isStuck(world)
  }

  /** While this node drains: moves the next world to the node with the fewest worlds. One move runs at a time. */
  moveNext(): void {
    const nowMs = performance.now()
    const world = this.#view.held.find(
      (one) => (this.#failed.get(one)?.againMs ?? 0) <= nowMs && !this.#isChanging(one),
    )
    if (!world || this.#moving.size > 0) return
    const [to, ...rest] = this.#targetsOf(world)
    if (!to) return void this.#failed.delete(world)
    const { name } = to
    const failed = (error: unknown) => {
      const nodes = rest.length > 0 ? [...(this.#failed.get(world)?.nodes ?? []), name] : []
      const waitMs = rest.length > 0 ? 0 : DRAIN_RETRY_MS
      this.#failed.set(world, { nodes: new Set(nodes), againMs: performance.now() + waitMs })
      this.#parts.log.warn('world not moved', { world, to: name, error: String(error) })
    }
    void this.moveAway(world, name).then(() => this.#failed.delete(world), failed)
  }

  /** The nodes that a world has not been tried at, the one with the fewest worlds first. */
  #targetsOf(world: WorldId): readonly Successor[] {
    const tried = this.#failed.get(world)?.nodes
    const count = ({ name }: Successor) => this.#view.nodes.countOf(name)
    return this.#view.nodes.others
      .filter(({ name }) => !tried?.has(name))
      .sort((one, other) => count(one) - count(other))
  }

  /** Before this node stops: moves its worlds to other nodes, if there are any, for at most this time. */
  async leave(timeoutMs: number): Promise<void> {
    this.#isLeaving = true
    const startedMs = performance.now()
    for (;;) {
      this.moveNext()
      const ms = performance.now() - startedMs
      const { held, nodes } = this.#view
      const isDone = this.#moving.size === 0 && (held.length === 0 || nodes.others.length === 0)
      if (ms >= timeoutMs || (isDone && ms >= NOTICE_MS)) return
      await sleep(LEAVE_LOOK_MS)
    }
  }

  /**
   * Hands a world over:
   *   1. the target reads the state while this node still answers
   *   2. new requests wait, begun ones end
   *   3. this node stores the rest, closes the world and releases it to the target
   *   4. the target claims it, reads the last events and answers
   * The requests that waited find the target in the table. If the target does not claim the world, its lease ends and
   * any node claims it. A world that does not answer here is given up instead of 2 and 3. Returns how long requests
   * waited.
   */
  async #handOver(world: WorldId, to: Successor): Promise<number> {
    await this.#ask(to, PREPARE_MS, 'prepare', { world })
    const isHandedOver = this.#isHandedOver(world)
    if (isHandedOver) await this.#endRequests(world)
    const startedMs = performance.now()
    const speed = await this.#releaseTo(world, to, isHandedOver)
    await this.#ask(to, CLAIM_MS, 'claim', { world, speed })
    return Math.round(performance.now() - startedMs)
  }

  /**
   * Releases a world to the target, and returns the speed of its clock. Requests are admitted again at once: the table
   * shows where the world is, which may be here if the target does not claim it.
   */
  async #releaseTo(world: WorldId, to: Successor, isHandedOver: boolean): Promise<number> {
    try {
      return isHandedOver ? await this.#parts.handOver(world, to) : await this.#giveUp(world, to)
    } finally {
      this.#admission.open(world)
    }
  }

  /** The clock of a world that does not answer is stopped. */
  async #giveUp(world: WorldId, to: Successor): Promise<0> {
    const row = this.#view.row(world)
    if (row) await this.#claims.giveUp(row, to)
    return 0
  }

  /** Lets no request to the world begin, once those that have begun are over. */
  async #endRequests(world: WorldId): Promise<void> {
    for (let left = TRIES; left > 0; left--) {
      if (await this.#admission.close(world, BEGUN_MS)) return
      this.#admission.open(world)
      await sleep(RETRY_MS)
    }
    throw new NotMoved(
      `a request to ${world} has not ended for ${(TRIES * RETRY_MS) / 1000} s; try again later`,
    )
  }
}
