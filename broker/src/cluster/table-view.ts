import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { LEASE_MS, RESPONSE_MS } from '../journal/lease.ts'
import { notAppliedWithoutStore } from '../journal/not-applied.ts'
import type { Queries } from '../postgres/connection.ts'
import { MAIN } from '../registry/opening/open-main.ts'
import { type ClusterTable, type NodeRow, readTable, shortenLeases, type WorldRow } from './table.ts'

/** A timer may end a little early. */
const MARGIN_MS = 10

/** A code without a world is looked for again after this time. Users of `main` may choose ids with any code. */
const UNKNOWN_MS = 10_000

export type TableViewParts = {
  readonly name: string
  readonly queries: () => Queries
  readonly isOpen: (world: WorldId) => boolean
}

/** The table of the cluster as this node has read it last. */
export class TableView {
  readonly #parts: TableViewParts
  #table: ClusterTable = { worlds: [], nodes: [] }
  #worlds = new Map<WorldId, WorldRow>()
  #byCode = new Map<string, WorldId>()
  /** The lease of each world, and when this node has read it first. */
  #leases = new Map<WorldId, { readonly leaseMs: number | undefined; readonly sinceMs: number }>()
  #reading: Promise<void> | undefined
  /** The number of the last read that began, and of the one whose result this is. */
  #begun = 0
  #shown = 0
  /** When each code was found to belong to no world. */
  readonly #unknown = new Map<string, number>()
  /** When the last read that has succeeded began. */
  #readMs = Number.NEGATIVE_INFINITY
  readonly #lookups = new Map<string, Promise<void>>()

  /** One for each node that somebody waits for. */
  readonly #running = new Map<string, AbortController>()

  constructor(parts: TableViewParts) {
    this.#parts = parts
  }

  get table(): ClusterTable {
    return this.#table
  }

  /** Whether the table could not be read for so long that other nodes count this one as lost. */
  get isLost(): boolean {
    return performance.now() - this.#readMs > LEASE_MS
  }

  row(world: WorldId): WorldRow | undefined {
    return this.#worlds.get(world)
  }

  /**
   * Whether nobody holds a world or answers for it. The clock of the database may step, and that of a promoted standby
   * differs: also by the clock of this node, the last renewal must be so old that its holder does not answer any more.
   */
  isFree({ world, holder, leaseMs }: WorldRow, nowMs: number): boolean {
    const sinceMs = this.#leases.get(world)?.sinceMs ?? nowMs
    return !holder && (leaseMs === undefined || nowMs - sinceMs > RESPONSE_MS)
  }

  /** At the start: waits until the worlds of lost nodes, if there are any, are free. */
  async untilFree(): Promise<void> {
    const isOver = ({ holder, leaseMs }: WorldRow) => !holder && leaseMs !== undefined
    if (!this.#table.worlds.some(isOver)) return
    await sleep(RESPONSE_MS + MARGIN_MS)
    await this.read()
  }

  /** The world of a code. An unknown code counts as one of `main`, which refuses its credentials. */
  worldOf(code: string): WorldId {
    return this.#byCode.get(code) ?? MAIN
  }

  /**
   * Looks for the world of a code that this node does not know: another node may have created it after the last read.
   * Returns undefined if the code is known, or was looked for lately. Rejects without the database: `main` would refuse
   * the credential of a world that exists.
   */
  lookUp(code: string): Promise<void> | undefined {
    const unknownMs = this.#unknown.get(code) ?? Number.NEGATIVE_INFINITY
    if (this.#byCode.has(code) || performance.now() - unknownMs < UNKNOWN_MS) return undefined
    let found = this.#lookups.get(code)
    if (!found) {
      found = this.read()
        .then(() => void this.#unknown.set(code, performance.now()))
        .finally(() => this.#lookups.delete(code))
      this.#lookups.set(code, found)
    }
    return found
  }

  /** The stored worlds that are open on this node, or have a lease of it. */
  get held(): readonly WorldId[] {
    const { name, isOpen } = this.#parts
    return this.#table.worlds.flatMap(({ world, holder }) =>
      holder?.name === name || isOpen(world) ? [world] : [],
    )
  }

  /** The other nodes that claim worlds. */
  get others(): readonly NodeRow[] {
    return this.#table.nodes.filter(({ name, draining }) => name !== this.#parts.name && !draining)
  }

  /** Aborts when a node does not run any more. */
  whileRunning(node: string): AbortSignal {
    const running = this.#running.get(node) ?? new AbortController()
    this.#running.set(node, running)
    this.#abortLost()
    return running.signal
  }

  #abortLost(): void {
    const names = new Set(this.#table.nodes.map(({ name }) => name))
    for (const [name, running] of this.#running)
      if (!names.has(name)) {
        this.#running.delete(name)
        running.abort(new Error('it does not renew its entry in the database'))
      }
  }

  get isDraining(): boolean {
    return this.#table.nodes.some(({ name, draining }) => name === this.#parts.name && draining)
  }

  countOf(node: string): number {
    return this.#table.worlds.filter(({ holder }) => holder?.name === node).length
  }

  /** How many other nodes have fewer worlds than this one, or as many and an earlier name. It opens some now. */
  rank(opening: number): number {
    const { name } = this.#parts
    const mine = this.countOf(name) + opening
    return this.others.filter((node) => {
      const theirs = this.countOf(node.name)
      return theirs < mine || (theirs === mine && node.name < name)
    }).length
  }

  /** Reads the table, or waits for a read that is under way. */
  refresh(): Promise<void> {
    this.#reading ??= this.read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Reads the table as it is now. */
  async read(): Promise<void> {
    this.#begun += 1
    const number = this.#begun
    const begunMs = performance.now()
    const table = await readTable(this.#parts.queries()).catch((error) => {
      throw notAppliedWithoutStore(error)
    })
    if (table.worlds.some(({ isLate }) => isLate)) await shortenLeases(this.#parts.queries())
    this.#readMs = Math.max(this.#readMs, begunMs)
    // A later read may have ended first.
    if (number < this.#shown) return
    this.#shown = number
    this.#table = table
    const nowMs = performance.now()
    this.#leases = new Map(
      this.#table.worlds.map(({ world, leaseMs }) => {
        const known = this.#leases.get(world)
        return [world, known && known.leaseMs === leaseMs ? known : { leaseMs, sinceMs: nowMs }]
      }),
    )
    this.#abortLost()
    this.#worlds = new Map(this.#table.worlds.map((row) => [row.world, row]))
    this.#byCode = new Map(
      this.#table.worlds.flatMap(({ world, record }) => (record ? [[record.code, world]] : [])),
    )
  }
}
