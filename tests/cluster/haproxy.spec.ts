import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { haproxyConfiguration } from '../../cli/src/commands/api/haproxy.ts'
import { blockOf } from '../deploy/page.ts'
import { type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { startLoad } from './clients.ts'
import { haproxy, startHaproxy } from './haproxy.ts'
import { startNode, untilHeld } from './nodes.ts'

const database = await Cluster.start()
const nodes: Broker[] = []
const store = await database.database('haproxy')
const env = { QUIPU_TRUST_PROXY: 'on' }
nodes.push(await startNode(store, [], env), await startNode(store, [], env))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')
const friday = await newWorld(one, { world: 'friday', durable: true })
const body = { world: 'friday', node: two.url }
assert.equal((await callAsOperator(one, 'POST', '/sim/v1/cluster/moves', body)).status, 200)

const { url, file, log, stop } = await startHaproxy(one)
after(async () => {
  await stop()
  for (const node of nodes) await node.kill()
  await database.stop()
})

test('HAProxy accepts the configuration without a warning', () => {
  const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /WARNING|ALERT/)
})

test('the guide shows the file that the command prints', () => {
  const node = (name: string, code?: string) => ({
    nodes: [{ name, address: `http://10.0.0.${name.at(-1)}:7878` }],
    worlds: code === undefined ? [] : [{ node: name, code }],
  })
  const all = [node('node1', '00'), node('node2', '4K'), node('node3')]
  const status = { nodes: all.flatMap(({ nodes }) => nodes), worlds: all.flatMap(({ worlds }) => worlds) }
  assert.equal(haproxyConfiguration(status as never, ':80'), blockOf('cluster.md', 'haproxy', 'global'))
})

/** The requests that the nodes have forwarded. */
async function forwarded(): Promise<readonly [number, number]> {
  const texts = await Promise.all(nodes.map(async (node) => (await fetch(`${node.url}/metrics`)).text()))
  return texts.map((text) =>
    Number(/quipu_cluster_forwarded_total{outcome="answered"} (\d+)/.exec(text)![1]),
  ) as never
}

test('requests go straight to the node that holds the world of their credential', async () => {
  const [byOne, byTwo] = await forwarded()
  const basic = `Basic ${Buffer.from(`${friday.keyId}:${friday.secretKey}`).toString('base64')}`
  const code = friday.keyId.slice(2, 4)
  const requests: readonly [headers: Record<string, string>, status: number, world: string | null][] = [
    [{ 'APCA-API-KEY-ID': friday.keyId, 'APCA-API-SECRET-KEY': friday.secretKey }, 200, 'friday'],
    [{ Authorization: basic }, 200, 'friday'],
    [{ 'APCA-API-KEY-ID': one.keyId, 'APCA-API-SECRET-KEY': one.secretKey }, 200, 'main'],
    [{ Authorization: `Bearer ${code.toLowerCase()}0123456789` }, 401, null],
    [{ Cookie: `a=b; quipu_session=${code}${'x'.repeat(41)}` }, 401, null],
  ]
  for (const [headers, status, world] of [...requests, ...requests]) {
    const response = await fetch(url + (headers['Cookie'] ? '/oauth/session' : '/v2/account'), { headers })
    await response.text()
    assert.equal(response.status, status)
    assert.equal(response.headers.get('x-quipu-world'), world)
  }
  // The node of friday asks main about the session that it does not know.
  assert.deepEqual(await forwarded(), [byOne, byTwo + 2])
})

test('HAProxy logs each request to stdout, with the level that the journal of systemd reads, and no query', async () => {
  await fetch(`${url}/healthz?once=secret`)
  const line = /^<6>127\.0\.0\.1:\d+ \[[^\]]+\] quipu nodes\/node-\d [\d/+]+ 200 .* GET \/healthz HTTP\/1\.1$/
  await waitUntil('the line of the log', () => log.some((text) => line.test(text)), 10).catch(() =>
    assert.fail(log.slice(-5).join('\n')),
  )
})

test('clients of HAProxy see no error while the node that holds their world stops', async () => {
  const load = startLoad([url, url], friday)
  await waitUntil('the load runs', async () => load.observed.placed.length > 4)
  assert.equal(await two.stop(), 0)
  const { length } = load.observed.placed
  await waitUntil('the load continues', async () => load.observed.placed.length > length + 4)
  assert.deepEqual((await load.stop()).problems, [])
  const last = load.observed.placed.at(-1)
  assert.equal((await call({ ...friday, url: one.url }, 'GET', `/v2/orders/${last}`)).status, 200)
})
