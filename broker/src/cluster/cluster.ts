import { setTimeout as sleep } from 'node:timers/promises'
import type { BookTransferResponse, WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import { RENEW_MS } from '../journal/lease.ts'
import type { AskWorld, WorldRequest } from '../registry/ask-world.ts'
import { Admission } from './admission.ts'
import { NotMoved, type TaskName, type Tasks } from './ask-node.ts'
import { askHolder, receiveHere } from './book-transfers.ts'
import { Claims, type ClaimsParts } from './claims.ts'
import { type Moved, Moves, type MovesParts } from './moves.ts'
import type { NotOpen } from './silent-worlds.ts'
import { type ClusterTable, deleteNode, renewNode, setDraining, type WorldRow } from './table.ts'
import { TableView, type TableViewParts } from './table-view.ts'

/** Interval of looks at the table. Short, because a world that lost its node waits for the next one. */
const LOOK_MS = 250
/** How long a book transfer waits for a node that holds the other world, before it is tried again later. */
const HOLDER_MS = 2_000

/** Where a world is: on this node, on another one, or nowhere at the moment. */
export type Location =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly address: string }
  | { readonly kind: 'nowhere' }

export type ClusterParts = MovesParts &
  ClaimsParts &
  TableViewParts & {
    /** The name of this node in leases. */
    readonly name: string
    readonly version: string
    /** The secret that all nodes share. */
    readonly secret: string
    /** Selects the database server that accepts writes, after a failure. */
    readonly select: () => Promise<void>
    /** Reads the state of a world that another node holds and will hand over to this one. */
    readonly prepare: (world: WorldRow) => Promise<void>
    /** What a world on this node responds to a book transfer from another world. */
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
  readonly #claims: Claims
  #address = ''
  #renewedMs = Number.NEGATIVE_INFINITY
  /** The failures that the status shows. */
  #reported = ''
  #running: Promise<void> | undefined
  #hasStarted = false

  constructor(parts: ClusterParts) {
    this.#parts = parts
    this.name = parts.name
    this.secret = parts.secret
    this.view = new TableView(parts)
    this.#claims = new Claims(parts, this.view)
    this.#moves = new Moves(parts, this.admission, this.view, this.#claims)
  }

  /** Joins the cluster under this address and claims what is free. */
  async start(address: string): Promise<void> {
    this.#address = address
    await this.#look()
    await this.view.untilFree()
    // The first worlds may take minutes. Meanwhile this node stays in the table, and gives up worlds that do not answer.
    this.#running = this.#run()
    await this.#claims.claim(this.#takesWorlds, true)
    this.#hasStarted = true
  }

  /** Before this node stops: moves its worlds to other nodes, if there are any, for at most this time. */
  async leave(timeoutMs: number): Promise<void> {
    if (this.view.nodes.others.length === 0) return
    await this.drain(this.#parts.name, true).catch(() => undefined)
    await this.#moves.leave(timeoutMs)
  }

  /** Leaves the cluster. The worlds must be closed by the caller. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await deleteNode(this.#parts.queries(), this.#parts.name).catch(() => undefined)
  }

  get table(): ClusterTable {
    return this.view.table
  }

  /** Whether a stored world has this name. */
  knows(world: string): boolean {
    return this.view.row(world) !== undefined
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
    return this.view.nodes.isRunning(address)
  }

  /** The worlds that have a lease of this node and have not answered for longer than an opening takes. */
  get stuck(): readonly NotOpen[] {
    return this.#claims.stuck
  }

  /** Whether a world is being moved from this node, or opened by it. */
  isMoving(world: WorldId): boolean {
    return this.#moves.isMoving(world) || this.#claims.isOpening(world)
  }

  /** See `TableView`. */
  worldOf(code: string): WorldId {
    return this.view.byCode.worldOf(code)
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

  /** Asks a world to receive a book transfer, wherever the world is. Fails if no node holds it for a while. */
  async askWorld(world: WorldId, request: WorldRequest): Promise<BookTransferResponse> {
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
    if (task === 'prepare' && !this.#takesWorlds)
      throw new NotMoved(`node ${this.#parts.name} takes no worlds`)
    const row = this.view.row(world)
    if (!row) throw new NotMoved(`no stored world ${world}`)
    if (task === 'prepare') await this.#parts.prepare(row).catch((error) => this.#notTaken(world, error))
    else await this.#claims.open(row, speed).catch((error) => this.#notTaken(world, error))
    return {}
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        await this.#look()
        this.#claims.giveUpSilent()
        await this.#claims.claim(this.#hasStarted && this.#takesWorlds)
        if (this.view.nodes.isDraining) this.#moves.moveNext()
      } catch (error) {
        this.#parts.log.hint('cluster', 'the table of the cluster cannot be read', { error: String(error) })
        await this.#parts.select().catch(() => undefined)
      }
    }
  }

  async #look(): Promise<void> {
    const { name, queries } = this.#parts
    const nowMs = performance.now()
    const { failures } = this.#claims
    const reported = JSON.stringify(failures)
    if (nowMs - this.#renewedMs >= RENEW_MS || reported !== this.#reported) {
      await renewNode(queries(), { name, address: this.#address, version: this.#parts.version, failures })
      this.#renewedMs = nowMs
      this.#reported = reported
    }
    await this.refresh()
  }

  /** A node that drains claims worlds only if no other node does. */
  get #takesWorlds(): boolean {
    return !this.#moves.isLeaving && !(this.view.nodes.isDraining && this.view.nodes.others.length > 0)
  }

  /** Reports that this node could not take over a world of another one. */
  #notTaken(world: WorldId, error: unknown): never {
    throw new NotMoved(`node ${this.#parts.name} cannot open ${world}: ${this.#claims.report(world, error)}`)
  }
}
