import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { RENEW_MS } from '../journal/lease.ts'
import { Admission } from './admission.ts'
import { NotMoved, type TaskName, type Tasks } from './ask-node.ts'
import { receiveHere } from './book-transfers.ts'
import { Claims, type ClaimsParts } from './claims.ts'
import { Locations, type LocationsParts } from './locations.ts'
import { Moves, type MovesParts } from './moves.ts'
import { deleteNode, renewNode, setDraining, type WorldRow } from './table.ts'
import { TableView, type TableViewParts } from './table-view.ts'

/** Interval of looks at the table. Short, because a world that lost its node waits for the next one. */
const LOOK_MS = 250

export type ClusterParts = LocationsParts &
  MovesParts &
  ClaimsParts &
  TableViewParts & {
    readonly version: string
    /** Selects the database server that accepts writes, after a failure. */
    readonly select: () => Promise<void>
    /** Reads the state of a world that another node holds and will hand over to this one. */
    readonly prepare: (world: WorldRow) => Promise<void>
  }

/** This node and its view of the cluster. It claims worlds that nobody holds. */
export class Cluster {
  readonly name: string
  readonly secret: string
  readonly admission = new Admission()
  readonly view: TableView
  readonly locations: Locations
  readonly claims: Claims
  readonly moves: Moves
  readonly #parts: ClusterParts
  readonly #stop = new AbortController()
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
    this.locations = new Locations(parts, this.admission, this.view, () => this.#address)
    this.claims = new Claims(parts, this.view)
    this.moves = new Moves(parts, this.admission, this.view, this.claims)
  }

  /** Joins the cluster under this address and claims what is free. */
  async start(address: string): Promise<void> {
    this.#address = address
    await this.#look()
    await this.view.untilFree()
    // The first worlds may take minutes. Meanwhile this node stays in the table, and gives up worlds that do not answer.
    this.#running = this.#run()
    await this.claims.claim(this.#takesWorlds, true)
    this.#hasStarted = true
  }

  /** Before this node stops: moves its worlds to other nodes, if there are any, for at most this time. */
  async leave(timeoutMs: number): Promise<void> {
    if (this.view.nodes.others.length === 0) return
    await this.drain(this.#parts.name, true).catch(() => undefined)
    await this.moves.leave(timeoutMs)
  }

  /** Leaves the cluster. The worlds must be closed by the caller. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await deleteNode(this.#parts.queries(), this.#parts.name).catch(() => undefined)
  }

  /** Lets a node claim no more worlds and move those that it holds to other nodes, or ends that. */
  async drain(name: string, draining: boolean): Promise<void> {
    await setDraining(this.#parts.queries(), name, draining)
    await this.view.read()
  }

  /** Does a task that another node gives to this one. Fails with `NotMoved`. */
  async perform<Name extends TaskName>(task: Name, input: Tasks[Name]): Promise<object> {
    if (task === 'receive') return receiveHere(this.#parts.receive, input as Tasks['receive'])
    const { world, node = '', speed } = input as Partial<Tasks['move'] & Tasks['claim']> & Tasks['prepare']
    // The end of a drain may be newer than the table of the last look.
    await this.view.read()
    if (task === 'move') return this.moves.moveAway(world, node)
    if (task === 'prepare' && !this.#takesWorlds)
      throw new NotMoved(`node ${this.#parts.name} takes no worlds`)
    const row = this.view.row(world)
    if (!row) throw new NotMoved(`no stored world ${world}`)
    if (task === 'prepare') await this.#parts.prepare(row).catch((error) => this.#notTaken(world, error))
    else await this.claims.open(row, speed).catch((error) => this.#notTaken(world, error))
    return {}
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        await this.#look()
        this.claims.giveUpSilent()
        await this.claims.claim(this.#hasStarted && this.#takesWorlds)
        if (this.view.nodes.isDraining) this.moves.moveNext()
      } catch (error) {
        this.#parts.log.hint('cluster', 'the table of the cluster cannot be read', { error: String(error) })
        await this.#parts.select().catch(() => undefined)
      }
    }
  }

  async #look(): Promise<void> {
    const { name, queries } = this.#parts
    const nowMs = performance.now()
    const { failures } = this.claims
    const reported = JSON.stringify(failures)
    if (nowMs - this.#renewedMs >= RENEW_MS || reported !== this.#reported) {
      await renewNode(queries(), { name, address: this.#address, version: this.#parts.version, failures })
      this.#renewedMs = nowMs
      this.#reported = reported
    }
    await this.view.refresh()
  }

  /** A node that drains claims worlds only if no other node does. */
  get #takesWorlds(): boolean {
    return !this.moves.isLeaving && !(this.view.nodes.isDraining && this.view.nodes.others.length > 0)
  }

  /** Reports that this node could not take over a world of another one. */
  #notTaken(world: WorldId, error: unknown): never {
    throw new NotMoved(`node ${this.#parts.name} cannot open ${world}: ${this.claims.report(world, error)}`)
  }
}
