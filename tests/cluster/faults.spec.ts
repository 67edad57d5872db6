import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAcknowledged, assertBalances, settledOrders } from '../bad-days/checks.ts'
import { type ClientRecords, newClientRecords, sendAny } from '../bad-days/load.ts'
import { call, callAsOperator, newWorld, type Started } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { waitUntil } from '../wait-until.ts'
import { FaultyCluster, type Node } from './faulty-cluster.ts'

/** `npm run test:long` makes 200 faults. */
const FAULTS = Number(process.env['CLUSTER_FAULTS'] ?? 0)
const WORLDS = 4
const PAUSE_MS = 25
/** Longer than a lease. */
const FAULT_MS = 4_500

const random = new Random(seed, 'cluster')
const cluster = await FaultyCluster.start(3)
after(() => cluster.stop())

/** A world, its key at whichever node, and what its clients know. */
type Client = { readonly world: string; readonly at: Started; readonly records: ClientRecords; reads: number }

async function newClient(number: number): Promise<Client> {
  const first = cluster.nodes[0]!.broker
  const settings = { world: `world-${number}`, durable: true, clock: 'wall', fees: 'none' }
  const { world, keyId, secretKey, accountId } = await newWorld(first, settings)
  const at = {
    ...first,
    keyId,
    secretKey,
    accountId,
    get url() {
      return random.pick(cluster.alive).broker.url
    },
  }
  return { world, at, records: newClientRecords(), reads: 0 }
}

let isOver = false

/** Sends orders, cancels and mints one after the other, at any node, until the end. */
async function trade({ world, at, records }: Client): Promise<void> {
  for (let number = 0; !isOver; number += 1) {
    await sendAny({ broker: at, random, records, name: world }, `${world}-${number}`)
    await sleep(PAUSE_MS)
  }
}

/** No read shows less than an answer that was given before it began. */
async function read(client: Client): Promise<void> {
  while (!isOver) {
    const least = client.records.seq
    const answer = await call(client.at, 'GET', '/v2/account').catch(() => undefined)
    const seq = Number(answer?.headers.get('x-quipu-seq') ?? Number.NaN)
    if (answer?.status === 200) {
      assert.ok(seq >= least, `${client.world}: event ${seq} was read after an answer had event ${least}`)
      client.records.seq = Math.max(client.records.seq, seq)
      client.reads += 1
    } else if (answer) assert.deepEqual([answer.status, answer.headers.has('retry-after')], [503, true])
    await sleep(PAUSE_MS)
  }
}

const acknowledged = ({ records }: Client): number =>
  [...records.orders.values()].filter(({ outcome }) => outcome === 'acknowledged').length

type Fault = readonly [name: string, run: (node: Node) => Promise<void>]

const silently = async (...proxies: Node['databases']): Promise<void> => {
  for (const proxy of proxies) proxy.goSilent()
  await sleep(FAULT_MS)
  for (const proxy of proxies) proxy.open()
}

const nodeFaults: readonly Fault[] = [
  [
    'kill -9 of a node',
    async (node) => {
      await cluster.kill(node)
      await sleep(FAULT_MS)
      await cluster.restart(node)
    },
  ],
  [
    'a node stops for longer than its lease',
    async ({ broker }) => {
      broker.process.kill('SIGSTOP')
      await sleep(FAULT_MS)
      broker.process.kill('SIGCONT')
    },
  ],
  ['a node loses its database silently', ({ databases }) => silently(...databases)],
  ['the other nodes lose a node silently', ({ peers }) => silently(peers)],
]

/** The first standby becomes the primary. A new standby is not needed for the rest of the test. */
const promotion = (isPrimaryAlive: boolean): Fault => [
  `the standby is promoted, the old primary is ${isPrimaryAlive ? 'alive' : 'dead'}`,
  async () => {
    const { primary, standby } = cluster
    if (!isPrimaryAlive) await primary.kill()
    await standby!.promote()
    cluster.primary = standby!
    cluster.standby = primary
    await sleep(FAULT_MS)
  },
]

const clients: Client[] = []

test(`faults of nodes, connections and the database under load (SEED=${seed})`, async (t) => {
  for (let number = 1; number <= WORLDS; number += 1) clients.push(await newClient(number))
  const worlds = ['main', ...clients.map(({ world }) => world)]
  const running = clients.flatMap((client) => [trade(client), read(client)])
  // A failed assertion of a client is reported at the end.
  for (const one of running) one.catch(() => undefined)
  const faults = FAULTS
    ? Array.from({ length: FAULTS }, () => random.pick(nodeFaults))
    : [...nodeFaults, promotion(random.chance(0.5))]
  for (const [name, run] of faults)
    await t.test(name, async () => {
      const before = clients.map(acknowledged)
      await run(random.pick(cluster.nodes))
      await cluster.untilHealthy(worlds)
      await waitUntil('every world accepts orders again', () =>
        clients.every((client, at) => acknowledged(client) > before[at]! + 3),
      )
    })
  isOver = true
  await Promise.all(running)
})

test('every acknowledged command is there once, nothing refused was applied, and the books are right', async () => {
  for (const client of clients) {
    const current = await settledOrders(client.at)
    assertAcknowledged(client.records, current)
    await assertBalances(client.at, current)
    const { body } = await callAsOperator(client.at, 'GET', `/sim/v1/worlds/${client.world}/audit`)
    assert.deepEqual([body.sound, body.problems], [true, []])
    assert.ok(body.seq >= client.records.seq)
    assert.ok(client.reads > 20)
  }
})
