import assert from 'node:assert/strict'
import { Random } from '../../support/random.ts'
import type { Note } from '../faults/store.ts'
import { type Body, call, operator } from './calls.ts'
import {
  assertFollows,
  assertStored,
  assertTransits,
  assertUpdates,
  hasPending,
  LeaseWatch,
  type StoredWorld,
  storedWorld,
  type WatchedClient,
} from './checks.ts'
import { Clients, type ClientWorld } from './clients.ts'
import { SimulatedCluster } from './cluster.ts'
import { type FaultName, type FaultsParts, faults } from './faults.ts'
import { credentials } from './node.ts'
import { ShortLivedWorld } from './short-lived.ts'
import type { UpdatesClient } from './socket.ts'

const NODES = 3
/** The longest time after the last fault until the cluster answers for every world and all streams are complete. */
const RECOVERY_MS = 60_000
const STUCK_TURNS = 600_000

export type ClusterRun = {
  readonly seed: string
  /** The number of faults. */
  readonly steps: number
  /** The faults to pick from. Default: all. */
  readonly from?: readonly FaultName[]
  /** Receives every line of the trace. */
  readonly note?: Note
}

export type ClusterCounts = Readonly<Record<'orders' | 'reads' | 'journals' | 'symbols' | 'updates', number>>

/** Runs a cluster with clients and faults. The seed decides everything. Throws with the seed when a check fails. */
export async function simulateCluster(options: ClusterRun): Promise<ClusterCounts> {
  const { seed, steps, from = Object.keys(faults) as FaultName[], note = () => undefined } = options
  const random = new Random(seed)
  const cluster = new SimulatedCluster(random, note, NODES)
  const run = new Run(cluster, random, note)
  try {
    const all = Promise.race([run.all(steps, from), cluster.violated])
    return await cluster.machine.loop.within(STUCK_TURNS, all)
  } catch (error) {
    const kinds = options.from ? ` FAULT_KINDS=${options.from.join()}` : ''
    const again = `SEED=${seed} FAULTS=${steps}${kinds} npm test -- cluster/cluster`
    throw new Error(`${again}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    cluster.end()
  }
}

class Run {
  readonly #cluster: SimulatedCluster
  readonly #random: Random
  readonly #note: Note
  readonly #clients: Clients
  readonly #shortLived: ShortLivedWorld

  constructor(cluster: SimulatedCluster, random: Random, note: Note) {
    this.#cluster = cluster
    this.#random = random
    this.#note = note
    this.#clients = new Clients({ cluster, random, note })
    this.#shortLived = new ShortLivedWorld(cluster, this.#clients)
  }

  #clientOf(world: string): WatchedClient | undefined {
    if (world === 'main') return { key: credentials, responses: 0 }
    const { worlds } = this.#clients
    const client = [...worlds, this.#shortLived.world].find((one) => one?.world === world)
    return client && { key: client.key, responses: client.seq + client.reads }
  }

  async all(steps: number, from: readonly FaultName[]): Promise<ClusterCounts> {
    await this.#begin()
    new LeaseWatch(this.#cluster, (world) => this.#clientOf(world))
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const running = this.#clients.run()
    running.catch(reject)
    const shared = { cluster: this.#cluster, clients: this.#clients, random: this.#random, note: this.#note }
    const parts = { ...shared, shortLived: this.#shortLived }
    await Promise.race([causeFaults(parts, steps, from), failed])
    await this.#cluster.sleep(1_000)
    this.#clients.stop()
    await running
    await this.#recover()
    return this.#check()
  }

  async #begin(): Promise<void> {
    for (const node of this.#cluster.nodes) await node.start()
    const [leader, , follower] = [
      await this.#clients.create('a'),
      await this.#clients.create('b'),
      await this.#clients.create('c', { follows: 'a' }),
    ]
    assert(leader && follower)
    for (const [index, { world }] of this.#clients.worlds.entries()) {
      const { url } = this.#cluster.nodes[index % NODES]!
      await this.#clients.asOperator('POST', '/sim/v1/cluster/moves', { world, node: url })
    }
    await this.#until('every node answers for every world', () => this.#isHealthy())
    this.#clients.listen()
    await this.#cluster.sleep(300)
  }

  async #recover(): Promise<void> {
    await this.#until('every node answers for every world', () => this.#isHealthy())
    await this.#until('no journal is pending', () => this.#endJournals())
    await this.#until('the follower has every change', async () => {
      const [leader, follower] = [this.#stored()[0]!, this.#stored()[2]!]
      return (follower.state.followed?.seq ?? 0) >= lastChange(leader)
    })
    await this.#until('every open stream has the last update', () => this.#areStreamsComplete()).catch(
      (error) => this.#note(String(error)),
    )
  }

  /** A new holder repeats the calls that a failure interrupted. The same holder repeats them after two minutes. */
  async #endJournals(): Promise<boolean> {
    const { worlds } = this.#clients
    const pending = worlds.filter((_, index) => hasPending(this.#stored()[index]!))
    for (const { world } of pending) {
      const node = this.#random.pick(this.#cluster.nodes)
      await this.#clients.asOperator('POST', '/sim/v1/cluster/moves', { world, node: node.url })
      await this.#cluster.sleep(500)
    }
    return pending.length === 0
  }

  async #pastUpdates({ key }: ClientWorld): Promise<readonly string[] | undefined> {
    const until = new Date(Date.now()).toISOString()
    const path = `/v2/events/trades?since=2020-01-01T00:00:00Z&until=${until}`
    const response = await call(this.#random.pick(this.#cluster.running).url, key, 'GET', path)
    return response.kind === 'answered' && response.status === 200 ? updateIds(response.body) : undefined
  }

  async #areStreamsComplete(): Promise<boolean> {
    for (const world of this.#clients.worlds) {
      const past = await this.#pastUpdates(world)
      const isBehind = ({ ids, isOpen }: UpdatesClient) =>
        isOpen && ids.length > 0 && ids.at(-1) !== past?.at(-1)
      if (!past || world.streams.some(isBehind)) return false
    }
    return true
  }

  async #check(): Promise<ClusterCounts> {
    const stored = this.#stored()
    const { worlds } = this.#clients
    for (const [index, world] of worlds.entries()) assertStored(world, stored[index]!)
    assertTransits(stored)
    assertFollows(stored[0]!, stored[2]!)
    for (const world of worlds) await this.#checkStreams(world)
    const count = (requests: (world: ClientWorld) => Iterable<unknown>) =>
      worlds.reduce(
        (sum, world) => sum + [...requests(world)].filter((one) => one === 'acknowledged').length,
        0,
      )
    return {
      orders: count(({ orders }) => orders.values()),
      reads: worlds.reduce((sum, { reads }) => sum + reads, 0),
      journals: count(({ journals }) => journals.values()),
      symbols: count(({ symbols }) => symbols.values()),
      updates: worlds.flatMap(({ streams }) => streams).reduce((sum, { ids }) => sum + ids.length, 0),
    }
  }

  async #checkStreams(world: ClientWorld): Promise<void> {
    const past = await this.#pastUpdates(world)
    assert(past, `no past updates of ${world.world}`)
    for (const { url, ids, isOpen } of world.streams)
      assertUpdates(`${world.world} at ${url}`, past, ids, isOpen)
    for (const stream of world.streams) stream.close()
  }

  #stored(): readonly StoredWorld[] {
    return this.#clients.worlds.map(({ world }) => storedWorld(this.#cluster.tables, world))
  }

  async #isHealthy(): Promise<boolean> {
    for (const { url } of this.#cluster.running)
      for (const { world } of this.#clients.worlds) {
        const response = await call(url, operator, 'GET', `/sim/v1/worlds/${world}/journal`)
        if (response.kind === 'closed' || response.status !== 200) return false
      }
    return true
  }

  async #until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const deadlineMs = performance.now() + RECOVERY_MS
    while (!(await isDone())) {
      assert(performance.now() < deadlineMs, `not after ${RECOVERY_MS} ms: ${what}`)
      await this.#cluster.sleep(100)
    }
  }
}

const updateIds = (text: Body): readonly string[] =>
  String(text)
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5)).event_id as string] : []))

const CHANGES = /^(symbolAdded|marketEvent|action(Scheduled|Canceled))/

/** The number of the last change of a market. */
const lastChange = ({ events }: StoredWorld): number =>
  events.findLastIndex(({ kind }) => CHANGES.test(kind)) + 1

/** Causes faults of random nodes one after the other, with pauses in which the cluster works. */
async function causeFaults(parts: FaultsParts, count: number, names: readonly FaultName[]): Promise<void> {
  const { cluster, clients, random, note } = parts
  for (let left = count; left > 0; left--) {
    await cluster.sleep(random.integer(100, 2_500))
    const [name, node] = [random.pick(names), random.pick(cluster.nodes)]
    note(`fault ${name} of ${node.name}`)
    await faults[name](parts, node)
    clients.listen()
  }
}
