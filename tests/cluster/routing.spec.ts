import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { moveTo as show } from '../dashboard/stage.ts'
import { type Body, type Broker, call, callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { StreamClient } from '../support/stream-client.ts'
import { codeOfNewCredentials, sessionToken } from '../worlds/credentials.ts'
import { CLUSTER_SECRET, moveTo, openDatabase, startNode, untilHeld, worldOf } from './nodes.ts'
import {
  checkForeignTokens,
  checkLargeBodies,
  checkSameResponses,
  dashboardOf,
  signedInAt,
} from './routing-checks.ts'

const { database, store, nodes } = await openDatabase('routing')
// Of several nodes on an empty database one does the first start.
nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }

test('every node answers for main', async () => {
  for (const node of nodes) {
    assert.equal(await worldOf(node, node), 'main')
    const placed = await call(node, 'POST', '/v2/orders', order)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
    const found = await call(node === one ? two : one, 'GET', `/v2/orders/${placed.body.id}`)
    assert.equal(found.body.id, placed.body.id)
    const wrong = await call({ ...node, secretKey: 'wrong' }, 'GET', '/v2/account')
    assert.equal(wrong.status, 401)
  }
})

test('a request with a full URL goes to the node of its world, not to the host in its URL', async () => {
  const named: IncomingMessage[] = []
  const host = createServer((request, response) => {
    named.push(request)
    response.end('{}')
  })
  await once(host.listen(0, '127.0.0.1'), 'listening')
  const path = `http://127.0.0.1:${(host.address() as AddressInfo).port}/v2/account`
  for (const { url, keyId, secretKey } of nodes) {
    const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
    const [response] = (await once(get({ port: new URL(url).port, path, headers }), 'response')) as [
      IncomingMessage,
    ]
    response.resume()
    assert.equal(response.headers['x-quipu-world'], 'main')
  }
  host.close()
  assert.equal(named.length, 0)
})

/** A durable world at the node that does not hold main. */
async function worldElsewhere(world: string) {
  const made = await newWorld(one, { world, durable: true, hours: 'always' })
  const [main] = await database.run(`SELECT address FROM quipu_journals WHERE world = 'main'`, store)
  const [holder, other] = main!['address'] === one.url ? [one, two] : [two, one]
  await moveTo(one, world, other)
  return { ...made, holder, other }
}

// The browser costs a third of the CPU time of this file; tests/cluster/streams.spec.ts has the streams of the dashboard.
test('the dashboard of every node opens a durable world of another node', {
  skip: !hasAllCases,
}, async (t) => {
  const monday = await worldElsewhere('monday')
  const { holder, other } = monday
  for (const [index, node] of [other, holder].entries()) {
    const page = await dashboardOf(t, node, '/orders?world=monday')
    const placed = await call({ ...monday, url: holder.url }, 'POST', '/v2/orders', order)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
    const rows = page.getByRole('row', { name: /Buy AAPL .* \/ 1 / })
    await rows.nth(2 * index).waitFor()
    await show(page, '/?world=monday')
    await page.getByRole('button', { name: 'Buy 1 AAPL' }).first().click()
    await monday.advance('1s')
    await show(page, '/orders?world=monday')
    await page
      .getByRole('row', { name: /Buy AAPL .*1 \/ 1 .* Filled/ })
      .nth(2 * index + 1)
      .waitFor()
    await show(page, '/worlds?world=monday')
    await page.getByRole('heading', { name: 'monday' }).waitFor()
    // A world that is created and deleted at another node.
    await callAsOperator(other, 'POST', '/sim/v1/worlds/monday/fork', { world: 'forked', durable: true })
    await page.getByRole('button', { name: /^forked/ }).waitFor()
    await callAsOperator(other, 'DELETE', '/sim/v1/worlds/forked')
    await page.getByRole('button', { name: /^forked/ }).waitFor({ state: 'detached' })
  }
})

test('a session token opens a durable world at every node, until its session ends', async () => {
  const { holder, other, accountId } = await worldElsewhere('tuesday')
  const browser = await signedInAt(other)
  const token = await sessionToken(other.url, browser, { account_id: accountId, world: 'tuesday' })
  const headers = { authorization: `Bearer ${token}` }
  const statusAt = async ({ url }: Broker) => {
    const response = await fetch(`${url}/v2/account`, { headers })
    return [response.status, response.headers.get('x-quipu-world')]
  }
  const streams = await Promise.all(nodes.map(({ url }) => StreamClient.open(`${url}/stream`)))
  const events = await Promise.all(nodes.map(({ url }) => fetch(`${url}/v2/events/trades`, { headers })))
  for (const stream of streams) {
    const response = await stream.request({ action: 'authenticate', data: { oauth_token: token } })
    assert.equal(response.data.status, 'authorized')
    await stream.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  }
  for (const target of [other, holder]) {
    await moveTo(one, 'tuesday', target)
    for (const node of nodes) assert.deepEqual(await statusAt(node), [200, 'tuesday'])
    const response = await fetch(`${holder.url}/v2/orders`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    const { id } = (await response.json()) as Body
    for (const stream of streams) while ((await stream.next()).data.order.id !== id);
  }
  const closed = Promise.all(streams.map(async ({ socket }) => once(socket, 'close')))
  await browser.submit(await browser.get('/oauth/apps'), '/oauth/sign-out')
  assert.deepEqual(
    (await closed).map(([code, reason]) => [code, String(reason)]),
    nodes.map(() => [1008, 'credential revoked']),
  )
  for (const node of nodes) assert.deepEqual(await statusAt(node), [401, null])
  for (const response of events) {
    assert.equal(response.status, 200)
    // Both streams have ended, or their connections are broken.
    await response.text().catch(() => undefined)
  }
})

test('an idempotency key counts at every node, also after its world moved', async () => {
  const keyed = await worldElsewhere('keyed')
  const place = ({ url }: Broker) =>
    call({ ...keyed, url }, 'POST', '/v2/orders', order, { 'Idempotency-Key': 'k' })
  const first = await place(keyed.holder)
  assert.equal(first.status, 200, JSON.stringify(first.body))
  await moveTo(one, 'keyed', keyed.holder)
  for (const node of nodes) assert.deepEqual((await place(node)).body, first.body)
})

/** The explanation of a refused order at this node, without what would have been, which depends on the time. */
async function explained(node: Broker, world: string, requestId: string): Promise<Body> {
  const path = `/sim/v1/worlds/${world}/requests/${requestId}/explain`
  const { status, body } = await callAsOperator(node, 'GET', path)
  const { outcome, summary, steps } = body
  return { status, outcome, summary, steps }
}

test('a refused order is explained at every node, also after its world moved', async () => {
  const refusing = await worldElsewhere('refusing')
  const { holder } = refusing
  const tooMuch = { ...order, qty: '1000000' }
  const { status, headers } = await call({ ...refusing, url: holder.url }, 'POST', '/v2/orders', tooMuch)
  assert.equal(status, 403)
  const requestId = headers.get('x-request-id')!
  const expected = await explained(holder, 'refusing', requestId)
  assert.equal(expected['outcome'], 'refused', JSON.stringify(expected))
  await moveTo(one, 'refusing', holder)
  for (const node of nodes) assert.deepEqual(await explained(node, 'refusing', requestId), expected)
})

test('headers and tasks of nodes are refused without the secret, and if they are unreadable', async () => {
  const operator = { partnerId: 'any', credentialId: 'forged', actor: { kind: 'partner' } }
  const account = { accountId: one.accountId, credentialId: 'forged', actor: { kind: 'user' } }
  const forwarded = { world: 'main', address: '10.0.0.9', scheme: 'http', operator, account }
  const text = Buffer.from(JSON.stringify(forwarded)).toString('base64url')
  const forged: readonly Readonly<Record<string, string>>[] = [
    { 'quipu-cluster-forwarded': text },
    { 'quipu-cluster-forwarded': text, 'quipu-cluster-secret': 'wrong' },
    { 'quipu-cluster-secret': CLUSTER_SECRET },
    { 'quipu-cluster-secret': CLUSTER_SECRET, 'quipu-cluster-forwarded': 'unreadable' },
  ]
  for (const headers of forged)
    for (const node of nodes) {
      for (const path of ['/sim/v1/worlds', '/v2/account'])
        assert.equal((await fetch(node.url + path, { headers })).status, 403, JSON.stringify(headers))
      const stream = new WebSocket(`${node.url.replace('http', 'ws')}/stream`, { headers })
      stream.on('error', () => undefined)
      const [, { statusCode }] = await once(stream, 'unexpected-response')
      assert.equal(statusCode, 403, JSON.stringify(headers))
    }
  const body = JSON.stringify({ world: 'main' })
  for (const headers of [{}, { 'quipu-cluster-secret': 'wrong' }])
    for (const task of ['move', 'prepare', 'claim', 'receive', 'unknown'])
      assert.equal(
        (await fetch(`${one.url}/cluster/v1/${task}`, { method: 'POST', headers, body })).status,
        403,
      )
})

test('a server that is not a node refuses the operations of a cluster', async () => {
  const alone = await startBroker()
  try {
    for (const [method, path, body] of [
      ['GET', '/sim/v1/cluster'],
      ['POST', '/sim/v1/cluster/moves', { world: 'main', node: alone.url }],
      ['POST', '/sim/v1/cluster/nodes/any/drain'],
    ] as const) {
      const refused = await callAsOperator(alone, method, path, body)
      assert.equal(refused.status, 409)
      assert.match(refused.body.message, /not a node of a cluster/)
    }
  } finally {
    await alone.stop()
  }
})

test('a world that another node has just created or deleted is known at once', async () => {
  const { holder, other } = await worldElsewhere('wednesday')
  const fork = { world: 'fresh', durable: true }
  for (const _ of [1, 2]) {
    const { status, body } = await callAsOperator(holder, 'POST', '/sim/v1/worlds/wednesday/fork', fork)
    assert.equal(status, 201, JSON.stringify(body))
    const [{ key_id: keyId, secret_key: secretKey }] = body.accounts
    const stream = await StreamClient.open(`${holder.url}/stream`)
    const login = { action: 'authenticate', data: { key_id: keyId, secret_key: secretKey } }
    const [response, world] = await Promise.all([
      stream.request(login),
      worldOf(holder, { keyId, secretKey }),
    ])
    assert.deepEqual([response.data.status, world], ['authorized', 'fresh'])
    stream.close()
    assert.equal((await callAsOperator(holder, 'DELETE', '/sim/v1/worlds/fresh')).status, 204)
    assert.equal((await callAsOperator(holder, 'DELETE', '/sim/v1/worlds/fresh')).status, 404)
    const refused = await call({ keyId, secretKey, url: holder.url }, 'GET', '/v2/account')
    assert.equal(refused.status, 401)
  }
  assert.equal((await callAsOperator(holder, 'POST', '/sim/v1/worlds', { world: 'fresh' })).status, 201)
  await callAsOperator(holder, 'DELETE', '/sim/v1/worlds/fresh')
  await callAsOperator(other, 'DELETE', '/sim/v1/worlds/wednesday')
})

test('a node answers like the node that holds main and the world', async () =>
  checkSameResponses(await worldElsewhere('thursday')))

test('every node authenticates a client before it reads a body', () => checkLargeBodies(nodes))

test('every node gives the same responses about tokens of another world', async () =>
  checkForeignTokens(await worldElsewhere('left')))

test('every node answers for a durable world, also after its node was killed', async () => {
  const world = await newWorld(two, { world: 'friday', durable: true })
  for (const node of nodes) {
    assert.equal(await worldOf(node, world), 'friday')
    const placed = await call({ ...world, url: node.url }, 'POST', '/v2/orders', order)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
  }
  for (const node of nodes) {
    await codeOfNewCredentials(node, 'friday')
    await codeOfNewCredentials(node, 'main')
  }
  const head = await callAsOperator(two, 'GET', '/sim/v1/worlds/friday/journal')
  await one.kill()
  await untilHeld(two, 'friday')
  await untilHeld(two, 'main')
  assert.equal(await worldOf(two, world), 'friday')
  const again = await callAsOperator(two, 'GET', '/sim/v1/worlds/friday/journal')
  assert.equal(again.body.hash, head.body.hash)
  assert.equal(await worldOf(two, two), 'main')
})
