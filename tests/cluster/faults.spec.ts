import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ids, TRADES } from '../../server/src/http/testing/events.ts'
import { assertAcknowledged, assertBalances, callWithRetry, settledOrders } from '../bad-days/checks.ts'
import { type ClientRecords, newClientRecords, sendAny } from '../bad-days/load.ts'
import { openUpdates, pastEvents, type Updates } from '../bad-days/updates.ts'
import { call, callAsOperator, newWorld, type Started } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { waitUntil } from '../wait-until.ts'
import { FaultyCluster, type Node } from './faulty-cluster.ts'
import { startHaproxy } from './haproxy.ts'

/** `npm run test:long` makes 200 faults. */
const FAULTS = Number(process.env['CLUSTER_FAULTS'] ?? 0)
const WORLDS = 4
/** Between the requests of a client. The load costs most of the CPU time of a short run. */
const PAUSE_MS = FAULTS > 0 ? 60 : 150
/** Longer than a lease. */
const FAULT_MS = 4_500

const random = new Random(seed, 'cluster')
const cluster = await FaultyCluster.start(3)
const haproxy = await startHaproxy(cluster.nodes[0]!.broker)
after(async () => {
  await haproxy.stop()
  await cluster.stop()
})

/** A world, its keys at whichever node or at HAProxy, and what its clients know. */
type Client = {
  readonly world: string
  readonly at: Started
  /** The key of the partner, and an account that only journals use. */
  readonly partner: Pick<Started, 'url' | 'keyId' | 'secretKey'> & { readonly accountId: string }
  readonly records: ClientRecords
  /** The trade updates of the first account, at one node. A new stream is opened when one ends with its node. */
  readonly node: Node
  readonly streams: Updates[]
  reads: number
  journals: number
}

async function newClient(number: number): Promise<Client> {
  const first = cluster.nodes[0]!.broker
  const settings = { world: `world-${number}`, durable: true, clock: 'wall', fees: 'none', accounts: 2 }
  const { world, keyId, secretKey, accountId, partner, created } = await newWorld(first, settings)
  const anywhere = <Key extends object>(key: Key) =>
    Object.defineProperty({ ...key, url: '' }, 'url', { get: () => random.pick(urls()) })
  const node = cluster.nodes[(number + (await cluster.holderOf(world)) - 1) % cluster.nodes.length]!
  return {
    world,
    at: anywhere({ ...first, keyId, secretKey, accountId }),
    partner: anywhere({ ...partner, accountId: created.accounts[1].account_id as string }),
    records: newClientRecords(),
    node,
    streams: [await openStream({ world, node, at: { keyId, secretKey } })],
    reads: 0,
    journals: 0,
  }
}

let isOver = false
let fault = ''
/** Streams that ended although their node was not killed, and during which fault. */
const closed: string[] = []

const urls = (): readonly string[] => [
  ...cluster.alive.map(({ broker }) => broker.url),
  ...(isOver ? [] : [haproxy.url]),
]

type Streaming = Pick<Client, 'world' | 'node'> & { readonly at: Pick<Started, 'keyId' | 'secretKey'> }

async function openStream({ world, node, at: { keyId, secretKey } }: Streaming): Promise<Updates> {
  const updates = await openUpdates({ url: node.broker.url, keyId, secretKey })
  updates.socket.on('close', (code, reason) => {
    if (node.isAlive) closed.push(`${world} at ${node.name}: ${code} ${reason} during ${fault}`)
  })
  return updates
}

const isOpen = ({ socket }: Updates): boolean => socket.readyState === socket.OPEN

/** Opens the stream of a killed node again. */
async function stream(client: Client): Promise<void> {
  for (; !isOver; await sleep(PAUSE_MS)) {
    if (!client.node.isAlive || isOpen(client.streams.at(-1)!)) continue
    const opened = await openStream(client).catch(() => undefined)
    if (opened) client.streams.push(opened)
  }
}

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
    } else if (answer) assertUnavailable(answer)
    await sleep(PAUSE_MS)
  }
}

/** A node reports that nothing was applied. HAProxy has no node, or received no answer. */
function assertUnavailable({ status, headers, body }: Awaited<ReturnType<typeof call>>): void {
  if (headers.has('x-request-id')) assert.deepEqual([status, headers.has('retry-after')], [503, true])
  else assert.ok([502, 503, 504].includes(status), JSON.stringify(body))
}

/** Sends money to other worlds. A journal without an answer is not repeated. */
async function sendMoney(client: Client): Promise<void> {
  const { world, partner } = client
  while (!isOver) {
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
    await sleep(8 * PAUSE_MS)
  }
}

const acknowledged = ({ records }: Client): number =>
  [...records.orders.values()].filter(({ outcome }) => outcome === 'acknowledged').length

/** `repair` runs when every world accepts orders again. */
type Fault = readonly [name: string, run: (node: Node) => Promise<void>, repair?: () => Promise<void>]

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

const databaseFaults: readonly Fault[] = [
  [
    'all connections to the database break',
    async () => {
      for (const proxy of cluster.nodes.flatMap(({ databases }) => databases)) proxy.open()
    },
  ],
  // Meanwhile the primary confirms nothing. Later it stores what it has accepted.
  ['the standby is lost for longer than a lease', () => cluster.withoutStandby(() => sleep(FAULT_MS))],
]

const promotions: readonly Fault[] = (['dead', 'alive'] as const).map((old) => [
  `the standby is promoted, the old primary is ${old}`,
  () => cluster.promote(old),
  () => cluster.replaceOldPrimary(),
])

const shortFaults = [...nodeFaults, ...promotions]
const allFaults = [...shortFaults, ...databaseFaults]

const clients: Client[] = []

test(`faults of nodes, connections and the database under load (SEED=${seed})`, async (t) => {
  for (let number = 1; number <= WORLDS; number += 1) clients.push(await newClient(number))
  const worlds = ['main', ...clients.map(({ world }) => world)]
  const running = clients.flatMap((client) => [trade, read, sendMoney, stream].map((run) => run(client)))
  // A failed assertion of a client is reported at the end.
  for (const one of running) one.catch(() => undefined)
  const faults = FAULTS ? Array.from({ length: FAULTS }, () => random.pick(allFaults)) : shortFaults
  for (const [name, run, repair] of faults) {
    let isRepaired = false
    await t.test(name, async () => {
      fault = name
      await run(random.pick(cluster.nodes))
      const before = clients.map(acknowledged)
      await cluster.untilHealthy(worlds)
      await waitUntil('every world accepts orders again', () =>
        clients.every((client, at) => acknowledged(client) > before[at]! + 3),
      )
      await repair?.()
      isRepaired = true
    })
    // Later faults would fail because of this one.
    if (!isRepaired) break
  }
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

test('every stream received every update once and in order, until its node was killed', async () => {
  assert.deepEqual(closed, [])
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
