import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { LEASE_MS, RESPONSE_MS } from '../journal/lease.ts'
import { notAppliedWithoutStore } from '../journal/not-applied.ts'
import type { Queries } from '../postgres/connection.ts'
import { ClusterNodes } from './cluster-nodes.ts'
import { type ClusterTable, readTable, shortenLeases, type WorldRow } from './table.ts'
import { WorldsByCode } from './worlds-by-code.ts'

/** A timer may end a little early. */
const MARGIN_MS = 10

export type TableViewParts = {
  readonly name: string
  readonly queries: () => Queries
  readonly isOpen: (world: WorldId) => boolean
}

/** The table of the cluster as this node has read it last. */
export class TableView {
  readonly nodes: ClusterNodes
  readonly byCode = new WorldsByCode(() => this.read())
  readonly #parts: TableViewParts
  #table: ClusterTable = { worlds: [], nodes: [] }
  #worlds: ReadonlyMap<string, WorldRow> = new Map()
  /** The lease of each world, and when this node has read it first. */
  #leases = new Map<WorldId, { readonly leaseMs: number | undefined; readonly sinceMs: number }>()
  #reading: Promise<void> | undefined
  /** The number of the last read that began, and of the one whose result this is. */
  #begun = 0
  #shown = 0
  /** When the last read that has succeeded began. */
  #readMs = Number.NEGATIVE_INFINITY

  constructor(parts: TableViewParts) {
    this.#parts = parts
    this.nodes = new ClusterNodes(parts.name, () => this.#table)
  }

  get table(): ClusterTable {
    return this.#table
  }

  /** Whether the table could not be read for so long that other nodes count this one as lost. */
  get isLost(): boolean {
    return performance.now() - this.#readMs > LEASE_MS
  }

  /** The row of the stored world with this name. */
  row(world: string): WorldRow | undefined {
    return this.#worlds.get(world)
  }

  /** Whether a world with this name is stored, also one that another node has just created. */
  async isStored(world: string): Promise<boolean> {
    if (!this.row(world)) await this.read()
    return this.row(world) !== undefined
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

  /** The stored worlds that are open on this node, or have a lease of it. */
  get held(): readonly WorldId[] {
    const { name, isOpen } = this.#parts
    return this.#table.worlds.flatMap(({ world, holder }) =>
      holder?.name === name || isOpen(world) ? [world] : [],
    )
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
    this.nodes.abortLost()
    this.#worlds = new Map(this.#table.worlds.map((row) => [row.world, row]))
    this.byCode.update(table)
  }
}
