import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ids, TRADES } from '../../server/src/http/testing/events.ts'
import { callWithRetry, openUpdates, pastEvents, type Updates } from '../bad-days/checks.ts'
import { call } from '../support/broker.ts'
import { Random } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  assertRecords,
  assertSoFar,
  assertUnavailable,
  untilHealthy,
  type WorldClient,
  WorldClients,
} from './clients.ts'
import type { Fault } from './faults.ts'
import { FaultyCluster, type Node } from './faulty-cluster.ts'
import { startHaproxy } from './haproxy.ts'
import { type Holder, StuckWorlds } from './stuck-worlds.ts'

export type FaultRunOptions = {
  readonly seed: string
  /** Parts with the same seed have different faults. */
  readonly part?: number
  readonly nodes: number
  readonly worlds: number
  /** Between the requests of a client. The load costs much of the CPU time. */
  readonly pauseMs: number
  /** Whether clients also send requests to HAProxy. */
  readonly behindHaproxy: boolean
  readonly faults: (random: Random) => readonly Fault[]
}

type Client = WorldClient & {
  /** The trade updates of the first account, at one node. A new stream is opened when one ends with its node. */
  readonly node: Node
  readonly streams: Updates[]
  journals: number
}

const isOpen = ({ socket }: Updates): boolean => socket.readyState === socket.OPEN

/** Tests a cluster under load, with faults one after the other. */
export function testFaults(options: FaultRunOptions): void {
  test(`faults of nodes, connections and the database under load (SEED=${options.seed})`, async (t) => {
    const run = await FaultRun.start(options)
    t.after(() => run.stop())
    const load = run.startLoad()
    for (const fault of options.faults(run.random)) {
      let isRepaired = false
      await t.test(fault.name, async () => {
        await Promise.race([run.cause(fault), load.failed])
        isRepaired = true
      })
      // Later faults would fail because of this one.
      if (!isRepaired) break
    }
    await load.stop()
    t.diagnostic(run.summary())
    await t.test('every acknowledged command is there once, nothing refused was applied', () =>
      run.assertRecords(),
    )
    await t.test('every stream received every update once and in order, until its node was killed', () =>
      run.assertStreams(),
    )
    await t.test('no money is lost or made between worlds, and nothing is under way at the end', () =>
      run.assertMoney(),
    )
  })
}

type Haproxy = Awaited<ReturnType<typeof startHaproxy>>

class FaultRun {
  readonly random: Random
  readonly #cluster: FaultyCluster
  readonly #haproxy: Haproxy | undefined
  readonly #load: WorldClients
  readonly #stuck: StuckWorlds
  readonly #clients: Client[] = []
  /** Streams that ended although their node was not killed, and during which fault. */
  readonly #closed: string[] = []
  #fault = ''

  private constructor(
    { seed, part = 0, pauseMs }: FaultRunOptions,
    cluster: FaultyCluster,
    haproxy?: Haproxy,
  ) {
    this.random = new Random(seed, 'cluster', part)
    this.#cluster = cluster
    this.#haproxy = haproxy
    const urls = () => [
      ...cluster.alive.map(({ broker }) => broker.url),
      ...(haproxy && !this.#load.isOver ? [haproxy.url] : []),
    ]
    this.#load = new WorldClients({ random: this.random, urls, pauseMs })
    const holders = new Map(cluster.nodes.map((node) => [node.peers.url, this.#holder(node)]))
    this.#stuck = new StuckWorlds({
      query: (sql) => cluster.query(sql),
      nodeAt: (address) => holders.get(address),
    })
  }

  static async start(options: FaultRunOptions): Promise<FaultRun> {
    const cluster = await FaultyCluster.start(options.nodes)
    const haproxy = options.behindHaproxy ? await startHaproxy(cluster.nodes[0]!.broker) : undefined
    const run = new FaultRun(options, cluster, haproxy)
    for (let number = 1; number <= options.worlds; number += 1)
      run.#clients.push(await run.#newClient(number))
    return run
  }

  async stop(): Promise<void> {
    await this.#stuck.stop()
    await this.#haproxy?.stop()
    await this.#cluster.stop()
  }

  /** Starts the clients. `failed` rejects when one of them receives a wrong response. */
  startLoad(): { readonly failed: Promise<never>; readonly stop: () => Promise<unknown> } {
    const running = this.#clients.flatMap((client) => [
      this.#load.trade(client),
      this.#load.read(client),
      this.#sendMoney(client),
      this.#stream(client),
    ])
    const { promise: failed, reject } = Promise.withResolvers<never>()
    for (const one of running) one.catch(reject)
    failed.catch(() => undefined)
    const stop = () => {
      this.#load.isOver = true
      return Promise.all(running)
    }
    return { failed, stop }
  }

  /** Causes a fault, waits until every node answers for every world, and checks every guarantee. */
  async cause({ name, run, repair }: Fault): Promise<void> {
    const [cluster, clients, random] = [this.#cluster, this.#clients, this.random]
    this.#fault = name
    await run({ cluster, random, worlds: clients.map(({ world }) => world) }, random.pick(cluster.nodes))
    const brokers = cluster.alive.map(({ broker }) => broker)
    await untilHealthy(brokers, clients)
    await repair?.(cluster)
    for (const client of clients) await assertSoFar(client, random.pick(cluster.alive).broker)
    assert.deepEqual([[...this.#stuck.found], this.#closed], [[], []])
  }

  summary(): string {
    const sum = (count: (client: Client) => number) =>
      this.#clients.reduce((total, client) => total + count(client), 0)
    const counts = {
      orders: sum(({ records }) => records.orders.size),
      reads: sum(({ reads }) => reads),
      journals: sum(({ journals }) => journals),
      longestSilentMs: Math.round(this.#stuck.longestMs),
    }
    return JSON.stringify(counts)
  }

  async assertRecords(): Promise<void> {
    for (const client of this.#clients) await assertRecords(client)
  }

  async assertStreams(): Promise<void> {
    for (const { world, at, streams } of this.#clients) {
      const past = ids(await pastEvents(at, TRADES))
      assert.ok(isOpen(streams.at(-1)!))
      for (const [index, updates] of streams.entries()) {
        const { received } = updates
        if (index > 0 && received.length === 0) continue
        const from = index === 0 ? 0 : past.indexOf(ids(received)[0]!)
        const isComplete = () => from + received.length >= past.length
        if (isOpen(updates)) await waitUntil(`${world}: the last update is sent`, isComplete)
        assert.deepEqual(ids(received), past.slice(from, from + received.length))
      }
    }
  }

  async assertMoney(): Promise<void> {
    const clients = this.#clients
    const cashOf = async ({ partner }: Client): Promise<number> => {
      const path = `/v1/trading/accounts/${partner.accountId}/account`
      return Number((await callWithRetry(partner, 'GET', path)).body.cash)
    }
    await waitUntil('no journal is pending', async () => {
      await sleep(500)
      const lists = await Promise.all(
        clients.map(({ partner }) => callWithRetry(partner, 'GET', '/v1/journals?status=pending')),
      )
      return lists.every(({ body }) => body.length === 0)
    })
    const cash = await Promise.all(clients.map(cashOf))
    assert.equal(Math.round(cash.reduce((sum, one) => sum + one, 0) * 100), clients.length * 100_000 * 100)
    assert.ok(clients.every(({ journals }) => journals > 3))
  }

  async #newClient(number: number): Promise<Client> {
    const { nodes } = this.#cluster
    const client = await this.#load.create(nodes[0]!.broker, `world-${number}`)
    const holder = await this.#cluster.holderOf(client.world)
    const node = nodes[(number + holder - 1) % nodes.length]!
    return { ...client, node, streams: [await this.#openStream({ ...client, node })], journals: 0 }
  }

  /** A node, without the connections that fail. */
  #holder(node: Node): Holder {
    const keyOf = (world: string) => {
      const key = world === 'main' ? node.broker : this.#clients.find((one) => one.world === world)?.at
      return key && { url: node.broker.url, keyId: key.keyId, secretKey: key.secretKey }
    }
    const reachesDatabase = () => this.#cluster.reachesDatabase(node)
    return { pid: () => node.broker.process.pid, keyOf, reachesDatabase }
  }

  async #openStream({ world, node, at }: Pick<Client, 'world' | 'node' | 'at'>): Promise<Updates> {
    const { keyId, secretKey } = at
    const updates = await openUpdates({ url: node.broker.url, keyId, secretKey })
    updates.socket.on('close', (code, reason) => {
      if (node.isAlive) this.#closed.push(`${world} at ${node.name}: ${code} ${reason} during ${this.#fault}`)
    })
    return updates
  }

  /** Opens the stream of a killed node again. */
  async #stream(client: Client): Promise<void> {
    for (; !this.#load.isOver; await this.#load.pause()) {
      if (!client.node.isAlive || isOpen(client.streams.at(-1)!)) continue
      const opened = await this.#openStream(client).catch(() => undefined)
      if (opened) client.streams.push(opened)
    }
  }

  /** Sends money to other worlds. A journal without a response is not repeated. */
  async #sendMoney(client: Client): Promise<void> {
    const { world, partner } = client
    while (!this.#load.isOver) {
      const to = this.random.pick(this.#clients.filter((one) => one.world !== world))
      const body = {
        entry_type: 'JNLC',
        from_account: partner.accountId,
        to_account: to.partner.accountId,
        to_world: to.world,
        amount: `0.${this.random.integer(10, 99)}`,
      }
      const response = await call(partner, 'POST', '/v1/journals', body).catch(() => undefined)
      if (response?.status === 200) client.journals += 1
      else if (response) assertUnavailable(response)
      await this.#load.pause(8)
    }
  }
}
