import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { CLUSTER_SECRET, clusterOf, move, moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

// A node is stopped while it opens, moves or deletes a world. Its connection to the database is slow, so that each of
// these takes longer than the time until it is stopped. Or it has the lease of a world that it does not have open.

const ORDERS = 20
/** A node that is stopped for longer than that finds its lease over. */
const STOPPED_MS = 2_800
const SLOW_MS = 150
/** Longer than a lease, and shorter than a lease and the time that the next node waits for the lock of the journal. */
const CLAIMED_MS = 4_300
/** A statement of the node that deletes takes so long that its transaction is seen. */
const DELETING_MS = 300
/** A node renews the leases of its worlds more often. */
const RENEWED_MS = 1_500
/** A node waits so long for the headers of a request. */
const HEADERS_MS = 2_000
/** A deletion that continues ends earlier. */
const AFTER_MS = 2_000

const { database, store, nodes } = await openDatabase('stopped')
const proxy = await openProxy(store)
/** The connections of clients and of the other node to the stopped one. */
const peers = await openProxy('http://127.0.0.1:1')
const timeouts = { QUIPU_HEADERS_TIMEOUT_MS: String(HEADERS_MS) }
nodes.push(await startNode(store, [], timeouts))
nodes.push(await startNode(proxy.url, [], { ...timeouts, QUIPU_NODE_URL: peers.url }))
peers.forwardTo(nodes[1]!.url)
const [steady, stopped] = [nodes[0]!, { ...nodes[1]!, url: peers.url }]
await untilHeld(steady, 'main')
after(() => {
  for (const one of [proxy, peers]) one.close()
})

/** Stops the node for a while, once this is true. */
async function stopWhen(
  what: string,
  isReached: () => Promise<boolean>,
  then: () => Promise<unknown>,
): Promise<void> {
  await waitUntil(what, isReached)
  stopped.process.kill('SIGSTOP')
  try {
    await then()
  } finally {
    stopped.process.kill('SIGCONT')
  }
}

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }

const rowsOf = (world: string) =>
  database.run(
    `SELECT holder, expires_at > clock_timestamp() AS held FROM quipu_journals WHERE world LIKE '${world}%'`,
    store,
  )

async function metricsOf({ url }: Broker): Promise<string> {
  const headers = { Authorization: `Bearer ${CLUSTER_SECRET}` }
  return (await fetch(`${url}/metrics`, { headers })).text()
}

/** The worlds that a node has open. */
async function heldBy(node: Broker): Promise<readonly string[]> {
  const text = await metricsOf(node)
  return [...text.matchAll(/^quipu_cluster_held\{world="([^"]+)"\}/gm)].map(([, world]) => world!)
}

/** A request to a stopped node loses its connection. */
const untilAnswered = (node: Broker, world: string): Promise<unknown> =>
  waitUntil(`${world} answers`, async () => {
    const path = `/sim/v1/worlds/${world}/journal`
    return (await callAsOperator(node, 'GET', path).catch(() => undefined))?.status === 200
  })

async function nameOf(node: Broker): Promise<string> {
  const find = async () => (await clusterOf(steady)).nodes.find(({ address }: Body) => address === node.url)
  await waitUntil('the node runs', async () => (await find()) !== undefined)
  return (await find()).name
}

test('a deletion that continues late loses no order of the next world with the same name', async () => {
  const settings = { world: 'friday', durable: true, hours: 'always', fees: 'none' }
  await newWorld(steady, settings)
  await moveTo(steady, 'friday', stopped)
  proxy.delay(SLOW_MS)
  const late = callAsOperator(steady, 'DELETE', '/sim/v1/worlds/friday').catch(() => undefined)
  let next: Awaited<ReturnType<typeof newWorld>> | undefined
  await stopWhen(
    'the deletion has begun',
    async () => !(await heldBy(stopped)).includes('friday'),
    async () => {
      const { world } =
        (await database.run("SELECT world FROM quipu_worlds WHERE world = 'friday'", store))[0] ?? {}
      assert.equal(world, 'friday', 'the node was stopped too late')
      await untilAnswered(steady, 'friday')
      assert.equal((await callAsOperator(steady, 'DELETE', '/sim/v1/worlds/friday')).status, 204)
      next = await newWorld(steady, settings)
      for (let number = 0; number < ORDERS; number++)
        assert.equal((await call(next, 'POST', '/v2/orders', order)).status, 200)
    },
  )
  await late
  proxy.delay(0)
  // The request has lost its connection, and the node goes on with it.
  await sleep(AFTER_MS)
  await moveTo(steady, 'friday', stopped)
  const { body } = await call(next!, 'GET', '/v2/orders?status=all&limit=500')
  assert.equal(body.length, ORDERS)
})

test('a node that claims a world while another deletes it does not open it', async () => {
  const key = await newWorld(steady, { world: 'thursday', durable: true, hours: 'always' })
  await moveTo(steady, 'thursday', stopped)
  proxy.delay(DELETING_MS)
  const deleted = callAsOperator(steady, 'DELETE', '/sim/v1/worlds/thursday').catch(() => undefined)
  const deleting = "query LIKE '%DELETE FROM quipu_worlds WHERE world%' AND state = 'idle in transaction'"
  const isDeleting = async () =>
    (await database.run(`SELECT 1 FROM pg_stat_activity WHERE ${deleting}`, store)).length > 0
  await stopWhen('the transaction of the deletion', isDeleting, () => sleep(CLAIMED_MS))
  proxy.delay(0)
  await deleted
  const isHeld = async () => (await rowsOf('thursday')).some(({ held }) => held)
  await waitUntil('no lease of a deleted world', async () => !(await isHeld()))
  await sleep(RENEWED_MS)
  assert.equal(await isHeld(), false)
  assert.equal((await call({ ...key, url: steady.url }, 'POST', '/v2/orders', order)).status, 401)
})

for (const world of casesOf(['main', 'friday'], 0))
  test(`${world} answers after its next node was stopped while it opened it in a move`, async () => {
    const name = await nameOf(stopped)
    await moveTo(steady, world, steady)
    proxy.delay(SLOW_MS)
    const moved = move(steady, world, stopped.url)
    const isTaken = async () => (await rowsOf(world)).some(({ holder, held }) => holder === name && held)
    await stopWhen('the claim', isTaken, () => sleep(STOPPED_MS))
    proxy.delay(0)
    await moved.catch(() => undefined)
    await untilAnswered(steady, world)
    await untilAnswered(stopped, world)
  })

test('a request that reaches the other node too late gets 503 and is not applied', async () => {
  const key = await newWorld(steady, { world: 'monday', durable: true, hours: 'always' })
  await moveTo(steady, 'monday', stopped)
  const requests = [
    ['GET', '/v2/account', undefined],
    ['POST', '/v2/orders', order],
  ] as const
  // A node waits for the first request of a connection, and longer for the next one.
  peers.open()
  await sleep(100)
  peers.delayRequests(3 * HEADERS_MS)
  const responses = await Promise.all(requests.map(([method, path, body]) => call(key, method, path, body)))
  peers.delayRequests(0)
  for (const { status, headers } of responses)
    assert.deepEqual([status, headers.has('retry-after')], [503, true])
  assert.deepEqual((await call(key, 'GET', '/v2/orders?status=all')).body, [])
})

test('a request that reaches the first node too late is not forwarded after its 408', async () => {
  const { keyId, secretKey } = await newWorld(steady, { world: 'tuesday', durable: true, hours: 'always' })
  await moveTo(steady, 'tuesday', stopped)
  const late = JSON.stringify({ ...order, client_order_id: 'late' })
  const { hostname: host, port } = new URL(steady.url)
  const socket = connect({ host, port: Number(port), allowHalfOpen: true })
  socket.write(`POST /v2/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`)
  const [response] = await once(socket, 'data')
  assert.match(String(response), /^HTTP\/1\.1 408/)
  socket.write(
    `APCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\nContent-Length: ${late.length}\r\n\r\n${late}`,
  )
  const key = { url: steady.url, keyId, secretKey }
  const { body: placed } = await call(key, 'POST', '/v2/orders', order)
  socket.destroy()
  const { body } = await call(key, 'GET', '/v2/orders?status=all')
  assert.deepEqual(
    body.map(({ id }: Body) => id),
    [placed.id],
  )
})

/**
 * Gives a node the lease of a world that it does not have open. The lease ends only when another node gets it, as if
 * something in the node renewed it.
 */
async function giveLease(world: string, node: Broker): Promise<void> {
  const name = await nameOf(node)
  const ofWorld = `world LIKE '${world}.%'`
  await database.run(
    `CREATE OR REPLACE FUNCTION keep_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       NEW.expires_at = clock_timestamp() + interval '30 seconds'; RETURN NEW; END $$`,
    store,
  )
  await database.run(
    `CREATE OR REPLACE TRIGGER keep_lease BEFORE UPDATE ON quipu_journals FOR EACH ROW
       WHEN (NEW.${ofWorld} AND NEW.holder = '${name}') EXECUTE FUNCTION keep_lease()`,
    store,
  )
  await database.run(
    `UPDATE quipu_journals SET holder = '${name}', address = '${node.url}', fence = fence + 1 WHERE ${ofWorld}`,
    store,
  )
}

const worldRow = async (world: string): Promise<Body> =>
  (await clusterOf(steady)).worlds.find((row: Body) => row.world === world)

const untilStuck = (node: Broker, count: number): Promise<unknown> =>
  waitUntil(`the metric of ${count} stuck worlds`, async () =>
    new RegExp(`^quipu_cluster_stuck_worlds ${count}$`, 'm').test(await metricsOf(node)),
  )

test('a lease without an open world is named everywhere, and a move heals it', async () => {
  const key = await newWorld(steady, { world: 'wednesday', durable: true })
  await giveLease('wednesday', stopped)
  await untilStuck(stopped, 1)
  const node = await nameOf(stopped)
  const problem = /^has the lease, but has not had it open for \d+ s$/
  const row = await worldRow('wednesday')
  assert.deepEqual([row.node, row.open, row.problems.length], [node, false, 1])
  assert.match(row.problems[0].problem, problem)
  const named = new RegExp(`wednesday does not answer: ${stopped.url} has the lease, but has not had it open`)
  const env = {
    QUIPU_URL: steady.url,
    QUIPU_BROKER_KEY: steady.brokerKey,
    QUIPU_BROKER_SECRET: steady.brokerSecret,
  }
  assert.match((await command(['cluster', 'status'], { env })).stdout, named)
  const { checks } = (await callAsOperator(steady, 'GET', '/sim/v1/doctor')).body
  const findings = checks.filter(({ ok }: Body) => !ok).map(({ detail, fix }: Body) => `${detail}: ${fix}`)
  assert.match(findings.join('\n'), named)
  assert.match(findings.join('\n'), new RegExp(`quipu cluster move wednesday ${steady.url}`))
  const ready = await call(stopped, 'GET', '/readyz')
  const notReady =
    /^not ready: the world wednesday does not answer: this node has the lease, but has not had it open/
  assert.deepEqual([ready.status, notReady.test(ready.body.message)], [503, true], ready.body.message)
  const refused = await move(steady, 'wednesday', stopped.url)
  assert.equal(refused.status, 409)
  assert.match(
    refused.body.message,
    /holds wednesday, but has the lease, but has not had it open .* another node/,
  )
  const moved = await move(steady, 'wednesday', steady.url)
  assert.equal(moved.status, 200, JSON.stringify(moved.body))
  assert.equal((await call({ ...key, url: steady.url }, 'GET', '/v2/account')).status, 200)
  const healed = await worldRow('wednesday')
  assert.deepEqual([healed.open, healed.problems], [true, []])
  await untilStuck(stopped, 0)
  assert.equal((await call(stopped, 'GET', '/readyz')).status, 200)
})

test('a node that drains gives up a world that it does not have open', async () => {
  await giveLease('wednesday', stopped)
  await untilStuck(stopped, 1)
  const drain = `/sim/v1/cluster/nodes/${encodeURIComponent(await nameOf(stopped))}/drain`
  assert.equal((await callAsOperator(steady, 'POST', drain)).status, 200)
  await untilAnswered(steady, 'wednesday')
  await waitUntil('the node holds nothing', async () =>
    (await clusterOf(steady)).nodes.some(
      ({ address, worlds }: Body) => address === stopped.url && worlds === 0,
    ),
  )
  assert.equal((await callAsOperator(steady, 'DELETE', drain)).status, 200)
})
