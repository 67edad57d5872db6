import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Cluster } from '../../server/src/postgres/testing/server.ts'
import { freePort } from '../../server/src/process/testing/free-port.ts'
import { type Broker, call, callAsOperator, newFolder, newWorld } from '../broker.ts'
import { pathOf } from '../browser/programs.ts'
import { quipu } from '../quipu-process.ts'
import { waitUntil } from '../wait-until.ts'
import { startLoad } from './load.ts'
import { startNode, untilHeld } from './nodes.ts'

const haproxy = pathOf({
  name: 'HAProxy',
  variable: 'HAPROXY',
  debian: 'haproxy',
  paths: ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'],
})

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

const file = join(newFolder(), 'haproxy.cfg')
const bind = `127.0.0.1:${await freePort()}`
const printed = await quipu(['cluster', 'haproxy', '--bind', bind], {
  env: { QUIPU_URL: one.url, QUIPU_BROKER_KEY: one.brokerKey, QUIPU_BROKER_SECRET: one.brokerSecret },
})
assert.equal(printed.code, 0, printed.stderr)
writeFileSync(file, printed.stdout)

const proxy = spawn(haproxy, ['-db', '-f', file], { stdio: 'ignore' })
after(async () => {
  proxy.kill('SIGKILL')
  if (proxy.exitCode === null) await once(proxy, 'exit')
  for (const node of nodes) await node.kill()
  await database.stop()
})
const url = `http://${bind}`
await waitUntil('HAProxy answers', async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok)

test('HAProxy accepts the configuration without a warning', () => {
  const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /WARNING|ALERT/)
})

/** The requests that the nodes have forwarded. */
async function forwarded(): Promise<readonly string[]> {
  const texts = await Promise.all(nodes.map(async (node) => (await fetch(`${node.url}/metrics`)).text()))
  return texts.map((text) => /quipu_cluster_forwarded_total{outcome="answered"} (\d+)/.exec(text)![1]!)
}

test('requests go straight to the node that holds the world of their credential', async () => {
  const before = await forwarded()
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
    const response = await fetch(`${url}/v2/account`, { headers })
    await response.text()
    assert.equal(response.status, status)
    assert.equal(response.headers.get('x-quipu-world'), world)
  }
  assert.deepEqual(await forwarded(), before)
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
