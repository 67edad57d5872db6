import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'
import { LeaseHeld, RENEW_MS } from '../journal/postgres-lease.ts'
import type { Queries } from '../postgres/connection.ts'
import type { Log } from '../process/log.ts'
import { version } from '../process/version.ts'
import { MAIN } from '../worlds/open-main.ts'
import { deleteNode, readTable, renewNode, type Table, type WorldRow } from './table.ts'

/** Interval of looks at the table. Short, because a world that lost its node waits for the next one. */
const LOOK_MS = 250
/** A node with more worlds than another waits for this long, so that the other one claims a free world first. */
const RANK_MS = 300
/** After a failure to open a world, this node leaves it to others for this long. */
const FAILED_MS = 5_000

/** Where a world is: on this node, on another one, or nowhere at the moment. */
export type Location =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly address: string }
  | { readonly kind: 'nowhere' }

export type ClusterParts = {
  readonly name: string
  /** The secret that all nodes share. */
  readonly secret: string
  readonly queries: () => Queries
  /** Selects the database server that accepts writes, after a failure. */
  readonly select: () => Promise<void>
  /** Claims and opens a world; fails with `LeaseHeld` if another node holds it. */
  readonly open: (world: WorldRow) => Promise<void>
  readonly isOpen: (world: WorldId) => boolean
  /** Closes a world that another node has taken. */
  readonly release: (world: WorldId) => Promise<void>
  readonly log: Log
}

const NOWHERE: Location = { kind: 'nowhere' }

/** This node and its view of the cluster. It claims worlds that nobody holds. */
export class Cluster {
  readonly secret: string
  readonly #parts: ClusterParts
  readonly #stop = new AbortController()
  readonly #opening = new Set<WorldId>()
  /** When each free world was first found free, or may be tried again. */
  readonly #freeSinceMs = new Map<WorldId, number>()
  #address = ''
  #table: Table = { worlds: [], nodes: [] }
  #worlds = new Map<WorldId, WorldRow>()
  #byCode = new Map<string, WorldId>()
  #renewedMs = Number.NEGATIVE_INFINITY
  #draining = false
  #reading: Promise<void> | undefined
  #running: Promise<void> | undefined

  constructor(parts: ClusterParts) {
    this.#parts = parts
    this.secret = parts.secret
  }

  /** Joins the cluster under this address and claims what is free. */
  async start(address: string): Promise<void> {
    this.#address = address
    await this.#look()
    await this.#claim(true)
    this.#running = this.#run()
  }

  /** Leaves the cluster. The worlds must be closed by the caller. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await deleteNode(this.#parts.queries(), this.#parts.name).catch(() => undefined)
  }

  /** The address of this node. */
  get address(): string {
    return this.#address
  }

  get table(): Table {
    return this.#table
  }

  /** Whether a stored world has this name. */
  knows(world: string): boolean {
    return this.#worlds.has(world as WorldId)
  }

  /** The world of a code. An unknown code counts as one of `main`, which refuses its credentials. */
  worldOf(code: string): WorldId {
    return this.#byCode.get(code) ?? MAIN
  }

  locate(world: WorldId): Location {
    if (this.#parts.isOpen(world)) return { kind: 'here' }
    const holder = this.#worlds.get(world)?.holder
    if (!holder || holder.name === this.#parts.name) return NOWHERE
    return { kind: 'elsewhere', address: holder.address }
  }

  /** Reads the table again. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    this.#table = await readTable(this.#parts.queries())
    this.#worlds = new Map(this.#table.worlds.map((row) => [row.world, row]))
    this.#byCode = new Map(
      this.#table.worlds.flatMap(({ world, record }) => (record ? [[record.code, world]] : [])),
    )
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        await this.#look()
        await this.#claim()
      } catch (error) {
        this.#parts.log.hint('cluster', 'the table of the cluster cannot be read', { error: String(error) })
        await this.#parts.select().catch(() => undefined)
      }
    }
  }

  async #look(): Promise<void> {
    const { name } = this.#parts
    const nowMs = performance.now()
    if (nowMs - this.#renewedMs >= RENEW_MS) {
      const node = { name, address: this.#address, version, draining: this.#draining }
      this.#draining = await renewNode(this.#parts.queries(), node)
      this.#renewedMs = nowMs
    }
    await this.refresh()
  }

  /** Claims free worlds. A node with few worlds is faster than one with many. */
  async #claim(isFirst = false): Promise<void> {
    const nowMs = performance.now()
    for (const row of this.#table.worlds) {
      const { world, holder } = row
      if (holder && holder.name !== this.#parts.name && this.#parts.isOpen(world))
        await this.#parts.release(world)
      if (holder || this.#parts.isOpen(world) || this.#opening.has(world)) {
        this.#freeSinceMs.delete(world)
        continue
      }
      const sinceMs = this.#freeSinceMs.get(world) ?? nowMs
      this.#freeSinceMs.set(world, sinceMs)
      if (this.#draining || nowMs - sinceMs < this.#rank() * RANK_MS) continue
      const opened = this.#open(row)
      // One at each look, so that several nodes share the worlds of a lost one.
      if (!isFirst) return
      await opened
    }
  }

  async #open(row: WorldRow): Promise<void> {
    const { world } = row
    const { log, name } = this.#parts
    this.#opening.add(world)
    try {
      await this.#parts.open(row)
      this.#freeSinceMs.delete(world)
      log.info('claimed a world', { world, node: name })
    } catch (error) {
      if (error instanceof LeaseHeld) return
      this.#freeSinceMs.set(world, performance.now() + FAILED_MS)
      log.error('world not opened', { world, error: String(error) })
    } finally {
      this.#opening.delete(world)
    }
  }

  /** How many other nodes have fewer worlds, or as many and an earlier name. */
  #rank(): number {
    const { name } = this.#parts
    const countOf = (node: string) =>
      this.#table.worlds.filter(({ holder }) => holder?.name === node).length +
      (node === name ? this.#opening.size : 0)
    const mine = countOf(name)
    return this.#table.nodes.filter((node) => {
      if (node.name === name || node.draining) return false
      const theirs = countOf(node.name)
      return theirs < mine || (theirs === mine && node.name < name)
    }).length
  }
}
