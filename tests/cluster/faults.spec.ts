import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ids, TRADES } from '../../server/src/http/testing/events.ts'
import { callWithRetry } from '../bad-days/checks.ts'
import { openUpdates, pastEvents, type Updates } from '../bad-days/updates.ts'
import { call, type Started } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { waitUntil } from '../wait-until.ts'
import {
  assertRecords,
  assertSoFar,
  assertUnavailable,
  untilHealthy,
  type WorldClient,
  WorldClients,
} from './clients.ts'
import { allFaults, shortFaults } from './faults.ts'
import { FaultyCluster, type Node } from './faulty-cluster.ts'
import { startHaproxy } from './haproxy.ts'
import { StuckWorlds } from './stuck-worlds.ts'

/** `npm run test:long` makes 200 faults. `CLUSTER_FAULT=promoted` selects those with this text in their names. */
const FAULTS = Number(process.env['CLUSTER_FAULTS'] ?? 0)
const selected = allFaults.filter(({ name }) => name.includes(process.env['CLUSTER_FAULT'] ?? ''))
const WORLDS = FAULTS > 0 ? 4 : 3
/** Between the requests of a client. The load costs most of the CPU time of a short run. */
const PAUSE_MS = FAULTS > 0 ? 60 : 250

const random = new Random(seed, 'cluster')
const cluster = await FaultyCluster.start(3)
const haproxy = await startHaproxy(cluster.nodes[0]!.broker)
const load = new WorldClients({
  random,
  urls: () => [...cluster.alive.map(({ broker }) => broker.url), ...(load.isOver ? [] : [haproxy.url])],
  pauseMs: PAUSE_MS,
})

/** A key of a world at the node with this address, without the connections that fail. */
function keyOf(world: string, address: string): Pick<Started, 'url' | 'keyId' | 'secretKey'> | undefined {
  const broker = cluster.nodes.find(({ peers }) => peers.url === address)?.broker
  const key = world === 'main' ? broker : clients.find((client) => client.world === world)?.at
  return broker && key && { url: broker.url, keyId: key.keyId, secretKey: key.secretKey }
}

const stuck = new StuckWorlds({ query: (sql) => cluster.query(sql), keyOf })
after(async () => {
  await stuck.stop()
  await haproxy.stop()
  await cluster.stop()
})

type Client = WorldClient & {
  /** The trade updates of the first account, at one node. A new stream is opened when one ends with its node. */
  readonly node: Node
  readonly streams: Updates[]
  journals: number
}

const clients: Client[] = []

async function newClient(number: number): Promise<Client> {
  const client = await load.create(cluster.nodes[0]!.broker, `world-${number}`)
  const holder = await cluster.holderOf(client.world)
  const node = cluster.nodes[(number + holder - 1) % cluster.nodes.length]!
  return { ...client, node, streams: [await openStream({ ...client, node })], journals: 0 }
}

let fault = ''
/** Streams that ended although their node was not killed, and during which fault. */
const closed: string[] = []

async function openStream({ world, node, at }: Pick<Client, 'world' | 'node' | 'at'>): Promise<Updates> {
  const { keyId, secretKey } = at
  const updates = await openUpdates({ url: node.broker.url, keyId, secretKey })
  updates.socket.on('close', (code, reason) => {
    if (node.isAlive) closed.push(`${world} at ${node.name}: ${code} ${reason} during ${fault}`)
  })
  return updates
}

const isOpen = ({ socket }: Updates): boolean => socket.readyState === socket.OPEN

/** Opens the stream of a killed node again. */
async function stream(client: Client): Promise<void> {
  for (; !load.isOver; await load.pause()) {
    if (!client.node.isAlive || isOpen(client.streams.at(-1)!)) continue
    const opened = await openStream(client).catch(() => undefined)
    if (opened) client.streams.push(opened)
  }
}

/** Sends money to other worlds. A journal without an answer is not repeated. */
async function sendMoney(client: Client): Promise<void> {
  const { world, partner } = client
  while (!load.isOver) {
    const to = random.pick(clients.filter((one) => one.world !== world))
    const body = {
      entry_type: 'JNLC',
      from_account: partner.accountId,
      to_account: to.partner.accountId,
      to_world: to.world,
      amount: `0.${random.integer(10, 99)}`,
    }
    const answer = await call(partner, 'POST', '/v1/journals', body).catch(() => undefined)
    if (answer?.status === 200) client.journals += 1
    else if (answer) assertUnavailable(answer)
    await load.pause(8)
  }
}

test(`faults of nodes, connections and the database under load (SEED=${seed})`, async (t) => {
  for (let number = 1; number <= WORLDS; number += 1) clients.push(await newClient(number))
  const running = clients.flatMap((client) => [
    load.trade(client),
    load.read(client),
    sendMoney(client),
    stream(client),
  ])
  const { promise: failed, reject } = Promise.withResolvers<never>()
  for (const one of running) one.catch(reject)
  failed.catch(() => undefined)
  const faults = FAULTS ? Array.from({ length: FAULTS }, () => random.pick(selected)) : shortFaults
  const parts = { cluster, random, worlds: clients.map(({ world }) => world) }
  for (const { name, run, repair } of faults) {
    let isRepaired = false
    await t.test(name, async () => {
      fault = name
      await Promise.race([run(parts, random.pick(cluster.nodes)), failed])
      await untilHealthy(
        cluster.alive.map(({ broker }) => broker),
        clients,
      )
      await repair?.(cluster)
      for (const client of clients) await assertSoFar(client, random.pick(cluster.alive).broker)
      assert.deepEqual([[...stuck.found], closed], [[], []])
      isRepaired = true
    })
    // Later faults would fail because of this one.
    if (!isRepaired) break
  }
  load.isOver = true
  await Promise.all(running)
})

test('every acknowledged command is there once, nothing refused was applied, and the books are right', async () => {
  for (const client of clients) await assertRecords(client)
})

test('every stream received every update once and in order, until its node was killed', async () => {
  for (const { world, at, streams } of clients) {
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
})

test('no money is lost or made between worlds, and nothing is under way at the end', async () => {
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
  assert.equal(Math.round(cash.reduce((sum, one) => sum + one, 0) * 100), WORLDS * 100_000 * 100)
  assert.ok(clients.every(({ journals }) => journals > 5))
})
