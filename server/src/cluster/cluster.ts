import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalAnswer, WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import { RENEW_MS } from '../journal/lease.ts'
import { LeaseHeld } from '../journal/postgres-lease.ts'
import { version } from '../process/version.ts'
import type { AskWorld, WorldRequest } from '../worlds/ask-world.ts'
import { Admission } from './admission.ts'
import { NotMoved, type TaskName, type Tasks } from './ask-node.ts'
import { askHolder, receiveHere } from './journals.ts'
import { type Moved, Moves, type MovesParts } from './moves.ts'
import { deleteNode, type Failures, renewNode, setDraining, type Table, type WorldRow } from './table.ts'
import { TableView, type TableViewParts } from './table-view.ts'

/** Interval of looks at the table. Short, because a world that lost its node waits for the next one. */
const LOOK_MS = 250
/** A node with more worlds than another waits for this long, so that the other one claims a free world first. */
const RANK_MS = 300
/** After a failure to open a world, this node leaves it to others for this long. */
const FAILED_MS = 5_000
/** The longest error of a world that the status shows. */
const FAILURE_MAX = 1_000
/** How long a journal waits for a node that holds the other world, before it is tried again later. */
const HOLDER_MS = 2_000

/** Where a world is: on this node, on another one, or nowhere at the moment. */
export type Location =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly address: string }
  | { readonly kind: 'nowhere' }

export type ClusterParts = MovesParts &
  TableViewParts & {
    /** The name of this node in leases. */
    readonly name: string
    /** The secret that all nodes share. */
    readonly secret: string
    /** Selects the database server that accepts writes, after a failure. */
    readonly select: () => Promise<void>
    /** Claims and opens a world, with this speed of its clock; fails with `LeaseHeld` if another node holds it. */
    readonly open: (world: WorldRow, speed?: number) => Promise<void>
    /** Reads the state of a world that another node holds and will hand over to this one. */
    readonly prepare: (world: WorldRow) => Promise<void>
    /** Closes a world that another node has taken. */
    readonly release: (world: WorldId) => Promise<void>
    /** The answer of a world of this node to a journal of another world. */
    readonly receive: AskWorld
  }

const NOWHERE: Location = { kind: 'nowhere' }

/** This node and its view of the cluster. It claims worlds that nobody holds. */
export class Cluster {
  readonly name: string
  readonly secret: string
  readonly admission = new Admission()
  readonly #parts: ClusterParts
  readonly view: TableView
  readonly #moves: Moves
  readonly #stop = new AbortController()
  readonly #opening = new Set<WorldId>()
  readonly #releasing = new Set<WorldId>()
  /** When each free world was first found free, or may be tried again; and why it could not be opened. */
  readonly #free = new Map<WorldId, { readonly sinceMs: number; readonly failure?: string }>()
  #address = ''
  #renewedMs = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined

  constructor(parts: ClusterParts) {
    this.#parts = parts
    this.name = parts.name
    this.secret = parts.secret
    this.view = new TableView(parts)
    this.#moves = new Moves(parts, this.admission, this.view)
  }

  /** Joins the cluster under this address and claims what is free. */
  async start(address: string): Promise<void> {
    this.#address = address
    await this.#look()
    await this.view.untilFree()
    await this.#claim(true)
    this.#running = this.#run()
  }

  /** Before this node stops: moves its worlds to other nodes, if there are any, for at most this time. */
  async leave(timeoutMs: number): Promise<void> {
    if (this.view.others.length === 0) return
    await this.drain(this.#parts.name, true).catch(() => undefined)
    await this.#moves.leave(timeoutMs)
  }

  /** Leaves the cluster. The worlds must be closed by the caller. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await deleteNode(this.#parts.queries(), this.#parts.name).catch(() => undefined)
  }

  get table(): Table {
    return this.view.table
  }

  /** Whether a stored world has this name. */
  knows(world: string): boolean {
    return this.view.row(world as WorldId) !== undefined
  }

  /** The same, also for a world that another node has just created. */
  async isStored(world: string): Promise<boolean> {
    if (!this.knows(world)) await this.view.read()
    return this.knows(world)
  }

  locate(world: WorldId): Location {
    if (this.#parts.isOpen(world)) return this.admission.isClosed(world) ? NOWHERE : { kind: 'here' }
    const holder = this.view.row(world)?.holder
    if (!holder || holder.name === this.#parts.name) return NOWHERE
    return { kind: 'elsewhere', address: holder.address }
  }

  /** The node that holds a world: also this one, which then sends the request to itself. */
  holderOf(world: WorldId): Successor | undefined {
    const at = this.locate(world)
    if (at.kind === 'here') return { name: this.name, address: this.#address }
    return at.kind === 'elsewhere' ? this.view.row(world)?.holder : undefined
  }

  /** Whether the node with this address renews its lease. */
  isRunning(address: string): boolean {
    return this.table.nodes.some((node) => node.address === address)
  }

  /** Whether a world is being moved from this node, or opened by it. */
  isMoving(world: WorldId): boolean {
    return this.admission.isClosed(world) || this.#opening.has(world)
  }

  /** See `TableView`. */
  worldOf(code: string): WorldId {
    return this.view.worldOf(code)
  }

  /** See `TableView`. */
  refresh(): Promise<void> {
    return this.view.refresh()
  }

  /** Moves a world to another node, wherever it is. Fails with `NotMoved`. */
  move(world: WorldId, to: Successor): Promise<Moved> {
    return this.#moves.move(world, to)
  }

  /** Lets a node claim no more worlds and move those that it holds to other nodes, or ends that. */
  async drain(name: string, draining: boolean): Promise<void> {
    await setDraining(this.#parts.queries(), name, draining)
    await this.view.read()
  }

  /** Asks a world to receive a journal, wherever the world is. Fails if no node holds it for a while. */
  async askWorld(world: WorldId, request: WorldRequest): Promise<JournalAnswer> {
    const deadlineMs = performance.now() + HOLDER_MS
    for (;;) {
      const at = this.locate(world)
      if (at.kind === 'here') return this.#parts.receive(world, request)
      if (at.kind === 'elsewhere') return askHolder(this.secret, at.address, world, request)
      await this.view.read()
      if (!this.knows(world)) return { ok: false, reason: 'world not found' }
      if (performance.now() > deadlineMs) throw new Error(`no node holds world ${world}`)
      await sleep(LOOK_MS, undefined, { ref: false })
    }
  }

  /** Does a task that another node gives to this one. Fails with `NotMoved`. */
  async perform<Name extends TaskName>(task: Name, input: Tasks[Name]): Promise<object> {
    if (task === 'receive') return receiveHere(this.#parts.receive, input as Tasks['receive'])
    const { world, node = '', speed } = input as Partial<Tasks['move'] & Tasks['claim']> & Tasks['prepare']
    // The end of a drain may be newer than the table of the last look.
    await this.view.read()
    if (task === 'move') return this.#moves.moveAway(world, node)
    if (task === 'prepare' && !this.#claims) throw new NotMoved(`node ${this.#parts.name} takes no worlds`)
    const row = this.view.row(world)
    if (!row) throw new NotMoved(`no stored world ${world}`)
    if (task === 'prepare') await this.#parts.prepare(row).catch((error) => this.#notTaken(world, error))
    else await this.#open(row, speed).catch((error) => this.#notTaken(world, error))
    return {}
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        await this.#look()
        await this.#claim()
        if (this.view.isDraining) this.#moves.moveNext()
      } catch (error) {
        this.#parts.log.hint('cluster', 'the table of the cluster cannot be read', { error: String(error) })
        await this.#parts.select().catch(() => undefined)
      }
    }
  }

  async #look(): Promise<void> {
    const { name, queries } = this.#parts
    const nowMs = performance.now()
    if (nowMs - this.#renewedMs >= RENEW_MS) {
      await renewNode(queries(), { name, address: this.#address, version, failures: this.#failures() })
      this.#renewedMs = nowMs
    }
    await this.refresh()
  }

  /** Claims free worlds. A node with few worlds is faster than one with many. */
  async #claim(isFirst = false): Promise<void> {
    const nowMs = performance.now()
    for (const world of this.#free.keys()) if (!this.knows(world)) this.#free.delete(world)
    for (const row of this.table.worlds) {
      const { world, holder } = row
      if (holder && holder.name !== this.#parts.name && this.#parts.isOpen(world)) this.#release(world)
      if (holder || this.#parts.isOpen(world) || this.#opening.has(world) || this.#releasing.has(world)) {
        if (holder || !this.#opening.has(world)) this.#free.delete(world)
        continue
      }
      if (!this.view.isFree(row, nowMs)) continue
      const free = this.#free.get(world) ?? { sinceMs: nowMs }
      this.#free.set(world, free)
      if (!this.#claims || nowMs - free.sinceMs < this.view.rank(this.#opening.size) * RANK_MS) continue
      const opened = this.#openFree(row)
      // One at each look, so that several nodes share the worlds of a lost one.
      if (!isFirst) return
      await opened
    }
  }

  /** Closes a world that another node has taken. The looks at the table do not wait for it. */
  #release(world: WorldId): void {
    this.#releasing.add(world)
    const log = (error: unknown) => this.#parts.log.error('world not closed', { world, error: String(error) })
    void this.#parts
      .release(world)
      .catch(log)
      .finally(() => this.#releasing.delete(world))
  }

  /** A node that drains claims worlds only if no other node does. */
  get #claims(): boolean {
    return !this.#moves.isLeaving && !(this.view.isDraining && this.view.others.length > 0)
  }

  async #openFree(row: WorldRow): Promise<void> {
    const { world } = row
    try {
      await this.#open(row)
      this.#free.delete(world)
    } catch (error) {
      if (error instanceof LeaseHeld) return
      this.#free.set(world, { sinceMs: performance.now() + FAILED_MS, failure: this.#report(world, error) })
      // The status shows it.
      this.#renewedMs = Number.NEGATIVE_INFINITY
    }
  }

  /** Reports that this node could not take over a world of another one. */
  #notTaken(world: WorldId, error: unknown): never {
    throw new NotMoved(`node ${this.#parts.name} cannot open ${world}: ${this.#report(world, error)}`)
  }

  /** Logs why a world was not opened, and returns it. */
  #report(world: WorldId, error: unknown): string {
    const problem = error instanceof Error ? error.message : String(error)
    this.#parts.log.error('world not opened', { world, error: problem })
    return problem.slice(0, FAILURE_MAX)
  }

  #failures(): Failures {
    const failed = [...this.#free].flatMap(([world, { failure }]) => (failure ? [[world, failure]] : []))
    return Object.fromEntries(failed)
  }

  async #open(row: WorldRow, speed?: number): Promise<void> {
    const { world } = row
    this.#opening.add(world)
    try {
      await this.#parts.open(row, speed)
      this.#parts.log.info('claimed a world', { world, node: this.#parts.name })
    } finally {
      this.#opening.delete(world)
    }
  }
}
