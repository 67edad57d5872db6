import type { WorldId } from '@quipu/core'
import { ANSWER_MS } from '../journal/lease.ts'
import type { Queries } from '../postgres/connection.ts'
import { MAIN } from '../worlds/open-main.ts'
import { type NodeRow, readTable, type Table, type WorldRow } from './table.ts'

export type TableViewParts = {
  readonly name: string
  readonly queries: () => Queries
  readonly isOpen: (world: WorldId) => boolean
}

/** The table of the cluster as this node has read it last. */
export class TableView {
  readonly #parts: TableViewParts
  #table: Table = { worlds: [], nodes: [] }
  #worlds = new Map<WorldId, WorldRow>()
  #byCode = new Map<string, WorldId>()
  /** The lease of each world, and when this node has read it first. */
  #leases = new Map<WorldId, { readonly leaseMs: number | undefined; readonly sinceMs: number }>()
  #reading: Promise<void> | undefined

  constructor(parts: TableViewParts) {
    this.#parts = parts
  }

  get table(): Table {
    return this.#table
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
    return !holder && (leaseMs === undefined || nowMs - sinceMs > ANSWER_MS)
  }

  /** The world of a code. An unknown code counts as one of `main`, which refuses its credentials. */
  worldOf(code: string): WorldId {
    return this.#byCode.get(code) ?? MAIN
  }

  /** The stored worlds that are open on this node. */
  get held(): readonly WorldId[] {
    return this.#table.worlds.map(({ world }) => world).filter(this.#parts.isOpen)
  }

  /** The other nodes that claim worlds. */
  get others(): readonly NodeRow[] {
    return this.#table.nodes.filter(({ name, draining }) => name !== this.#parts.name && !draining)
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
    this.#table = await readTable(this.#parts.queries())
    const nowMs = performance.now()
    this.#leases = new Map(
      this.#table.worlds.map(({ world, leaseMs }) => {
        const known = this.#leases.get(world)
        return [world, known && known.leaseMs === leaseMs ? known : { leaseMs, sinceMs: nowMs }]
      }),
    )
    this.#worlds = new Map(this.#table.worlds.map((row) => [row.world, row]))
    this.#byCode = new Map(
      this.#table.worlds.flatMap(({ world, record }) => (record ? [[record.code, world]] : [])),
    )
  }
}
