import assert from 'node:assert/strict'
import { type CallResponse, call } from './calls.ts'
import { assertStored, storedWorld } from './checks.ts'
import type { Clients, ClientWorld } from './clients.ts'
import type { SimulatedCluster } from './cluster.ts'

const NAME = 'd'
const ORDERS = 5
/** The longest time after a stall until the world answers, or is gone. */
const SETTLE_MS = 60_000
const PAUSE_MS = 200

/** A world that faults create, reset and delete. Its name is used again and again. */
export class ShortLivedWorld {
  readonly #cluster: SimulatedCluster
  readonly #clients: Clients
  /** Undefined while there is no such world. */
  world: ClientWorld | undefined

  constructor(cluster: SimulatedCluster, clients: Clients) {
    this.#cluster = cluster
    this.#clients = clients
  }

  /** The name of its journal. */
  get journal(): string | undefined {
    const { record } = this.#cluster.tables.worlds.get(NAME) ?? {}
    return record ? JSON.parse(record).journal : undefined
  }

  /** Creates the world unless it is there, and places orders in it. */
  async fill(): Promise<void> {
    this.world ??= await this.create()
    for (let count = 0; count < ORDERS; count++) await this.#clients.place(this.world)
  }

  /** Creates the world, whatever became of an earlier one. */
  async create(): Promise<ClientWorld> {
    let created: ClientWorld | undefined
    await this.#until('the short-lived world is created', async () => {
      created = await this.#clients.tryCreate(NAME, { clock: 'virtual' })
      // One that was created without a response has keys that nobody knows.
      if (!created) await this.tryDelete()
      return created !== undefined
    })
    return created!
  }

  /** Asks for a reset. Orders before it are gone if it was acknowledged, and may be gone if its outcome is unknown. */
  async reset(): Promise<void> {
    const { world } = this
    const response = await this.#clients.asOperator('POST', `/sim/v1/worlds/${NAME}/reset`)
    const isDone = response.kind === 'answered' && response.status === 200
    const mayBeDone = response.kind === 'closed' || isDone
    if (!mayBeDone) return
    for (const [quantity, known] of world!.orders)
      world!.orders.set(quantity, isDone ? 'unavailable' : known === 'acknowledged' ? 'unknown' : known)
    world!.seq = 0
  }

  /** Deletes the world until it is gone. One of the nodes may be stalled, so they are asked in turn. */
  async delete(): Promise<void> {
    let attempts = 0
    await this.#until('the short-lived world is deleted', async () => {
      const { running } = this.#cluster
      const node = running[attempts++ % running.length]!
      return isGone(await this.#clients.asOperatorAt(node, 'DELETE', `/sim/v1/worlds/${NAME}`))
    })
    this.world = undefined
  }

  /** Asks once to delete it. Returns whether it is gone. */
  async tryDelete(): Promise<boolean> {
    return isGone(await this.#clients.asOperator('DELETE', `/sim/v1/worlds/${NAME}`))
  }

  /** Checks for a while that no node answers for the world if it is deleted. */
  async watchDeleted(forMs: number): Promise<void> {
    const { key } = this.world!
    for (const endMs = performance.now() + forMs; performance.now() < endMs; ) {
      const isDeleted = this.journal === undefined
      for (const { url } of this.#cluster.running) {
        const response = await call(url, key, 'GET', '/v2/account')
        const isGhost = isDeleted && response.kind === 'answered' && response.status === 200
        assert(!isGhost, `${url} answers for a deleted world`)
      }
      await this.#cluster.sleep(PAUSE_MS)
    }
    if (this.journal === undefined) this.world = undefined
  }

  /** Waits until the world answers at every node, and checks that it has the acknowledged orders. */
  async settle(): Promise<void> {
    const { world } = this
    if (!world) return
    await this.#until('the short-lived world answers', async () => {
      for (const { url } of this.#cluster.running) {
        const response = await call(url, world.key, 'GET', '/v2/account')
        if (response.kind === 'closed' || response.status !== 200) return false
      }
      return true
    })
    assertStored(world, storedWorld(this.#cluster.tables, NAME))
  }

  async #until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const deadlineMs = performance.now() + SETTLE_MS
    while (!(await isDone())) {
      assert(performance.now() < deadlineMs, `not after ${SETTLE_MS} ms: ${what}`)
      await this.#cluster.sleep(PAUSE_MS)
    }
  }
}

const isGone = (response: CallResponse): boolean =>
  response.kind === 'answered' && (response.status === 204 || response.status === 404)
