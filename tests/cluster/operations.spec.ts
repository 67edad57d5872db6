import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { encode } from '@quipu/core'
import { alertsFile, metricsIn } from '../deploy/page.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, newWorld } from '../support/broker.ts'
import { command as quipu } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { startLoad } from './clients.ts'
import { CLUSTER_SECRET, clusterOf, move, openDatabase, startNode, untilHeld, worldOf } from './nodes.ts'

const { database, store, nodes } = await openDatabase('operations')
const limit = { QUIPU_DURABLE_WORLDS_MAX: '2' }
nodes.push(await startNode(store, [], limit), await startNode(store, [], limit))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')
const friday = await newWorld(one, { world: 'friday', durable: true })

const addressOfHolder = async (via: Broker, world: string): Promise<string> => {
  const { nodes: running, worlds } = await clusterOf(via)
  const { node } = worlds.find((row: Body) => row.world === world)
  return running.find(({ name }: Body) => name === node)?.address
}

const command = async (...line: readonly string[]) => {
  const env = { QUIPU_URL: one.url, QUIPU_BROKER_KEY: one.brokerKey, QUIPU_BROKER_SECRET: one.brokerSecret }
  return quipu(['cluster', ...line], { env })
}

test('the status names nodes and worlds', async () => {
  await waitUntil('both nodes run', async () => (await clusterOf(two)).nodes.length === 2)
  const { nodes: running, worlds } = await clusterOf(two)
  assert.deepEqual(running.map(({ address }: Body) => address).sort(), [one.url, two.url].sort())
  assert.deepEqual(
    worlds.map(({ world, code }: Body) => [world, code]),
    [
      ['main', '00'],
      ['friday', friday.keyId.slice(2, 4)],
    ],
  )
  const { code, stdout, stderr } = await command('status')
  assert.equal(code, 0, stderr)
  assert.match(stdout, new RegExp(`friday +${friday.keyId.slice(2, 4)} +${one.url} `))
})

/** Orders and reads during a change give no error. */
async function underLoad(urls: readonly string[], key: typeof friday, change: () => Promise<void>) {
  const load = startLoad(urls, key)
  const untilMore = (count: number) =>
    waitUntil('the load runs', async () => load.observed.placed.length >= count)
  await untilMore(4)
  await change()
  await untilMore(load.observed.placed.length + 4)
  const { problems } = await load.stop()
  assert.deepEqual(problems, [])
}

test('a move under load gives no error, and the world continues on the other node', async () => {
  await underLoad([one.url, two.url], friday, async () => {
    const moved = await move(two, 'friday', two.url)
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    assert.equal(await addressOfHolder(one, 'friday'), two.url)
  })
})

test('the names and the number of durable worlds count on all nodes', async () => {
  const refusalOf = async (path: string, settings: object) => {
    const { status, body } = await callAsOperator(one, 'POST', path, settings)
    return [status, body.reason]
  }
  for (const durable of [true, false])
    assert.deepEqual(await refusalOf('/sim/v1/worlds', { world: 'friday', durable }), [409, 'worldNameTaken'])
  // The node of friday does not hold main.
  const fork = '/sim/v1/worlds/friday/fork'
  assert.deepEqual(await refusalOf(fork, { world: 'second', durable: true }), [201, undefined])
  for (const path of ['/sim/v1/worlds', fork])
    assert.deepEqual(await refusalOf(path, { world: 'third', durable: true }), [403, 'durableLimitReached'])
  assert.equal((await callAsOperator(one, 'DELETE', '/sim/v1/worlds/second')).status, 204)
})

test('the node of main returns the codes in its ids to other nodes', async () => {
  const secret = { 'Quipu-Cluster-Secret': CLUSTER_SECRET }
  const [asked, other] = await Promise.all(
    nodes.map((node) => call(node, 'POST', '/cluster/v1/codes', {}, secret)),
  )
  assert.deepEqual([asked!.status, asked!.body.codes.includes('00')], [200, true])
  assert.equal(other!.status, 503)
  assert.equal((await call(one, 'POST', '/cluster/v1/codes', {})).status, 403)
})

test('a node that does not hold the world of a journal refuses it with a warning', async () => {
  const secret = { 'Quipu-Cluster-Secret': CLUSTER_SECRET }
  const journal = { world: 'main', request: encode({}) }
  assert.equal((await call(two, 'POST', '/cluster/v1/receive', journal, secret)).status, 503)
  const find = () =>
    two
      .log()
      .split('\n')
      .find((text) => text.includes('"task":"receive"'))
  await waitUntil('the warning', () => find() !== undefined)
  const { at: _, ...line } = JSON.parse(find()!)
  assert.deepEqual(line, {
    level: 'warn',
    message: 'a task of another node was not done',
    task: 'receive',
    problem: 'worldRestarting: world main is not open here',
  })
})

test('a world that is restored into the database of a running cluster is opened by a node', async () => {
  const monday = await newWorld(one, { world: 'monday', durable: true })
  const backup = join(newFolder(), 'backup')
  const ofStore = async (verb: string) => {
    const line = ['store', verb, backup, '--world', 'monday', '--data', newFolder()]
    const { code, stderr } = await quipu(line, { env: { QUIPU_STORE: store } })
    assert.equal(code, 0, stderr)
  }
  const journal = async () =>
    (
      await database.run(
        `SELECT record::json ->> 'journal' AS name FROM quipu_worlds WHERE world = 'monday'`,
        store,
      )
    )[0]
  const deleted = await journal()
  await ofStore('backup')
  assert.equal((await callAsOperator(one, 'DELETE', '/sim/v1/worlds/monday')).status, 204)
  await ofStore('restore')
  await untilHeld(two, 'monday')
  assert.equal(await worldOf(two, monday), 'monday')
  // A process that has lost the deleted world does not write to the restored one.
  assert.notDeepEqual(await journal(), deleted)
  assert.equal((await callAsOperator(two, 'DELETE', '/sim/v1/worlds/monday')).status, 204)
})

test('the clock of a moved world runs on', async () => {
  const started = await callAsOperator(one, 'POST', '/sim/v1/worlds/friday/clock/run', { speed: 2 })
  assert.equal(started.status, 200, JSON.stringify(started.body))
  assert.equal((await move(one, 'friday', one.url)).status, 200)
  const { body } = await callAsOperator(two, 'GET', '/sim/v1/worlds/friday/clock')
  assert.equal(body.speed, 2)
  await callAsOperator(two, 'POST', '/sim/v1/worlds/friday/clock/freeze')
})

test('main stays where the worlds in memory are', async () => {
  await newWorld(two, { world: 'scratch' })
  const holder = await addressOfHolder(one, 'main')
  const other = holder === one.url ? two.url : one.url
  const refused = await move(one, 'main', other)
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /delete scratch/)
  await callAsOperator(one, 'DELETE', '/sim/v1/worlds/scratch')
  await underLoad([one.url, two.url], one as never, async () => {
    const moved = await move(one, 'main', other)
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
  })
  assert.equal(await addressOfHolder(one, 'main'), other)
})

test('wrong names are refused with their field', async () => {
  const expected: readonly [body: object, message: RegExp][] = [
    [
      { world: 'monday', node: two.url },
      /^world: expected a stored world \(main, friday\), received "monday"/,
    ],
    [{ world: 'friday', node: 'http://127.0.0.1:1' }, /^node: no running node .*: .* at http/],
    [
      { world: 'friday', node: (await clusterOf(one)).nodes[0].name.slice(0, 2) },
      /^node: .* is ambiguous: .*, /,
    ],
    [{ world: 'friday' }, /node/],
  ]
  for (const [body, message] of expected) {
    const refused = await callAsOperator(one, 'POST', '/sim/v1/cluster/moves', body)
    assert.equal(refused.status, 422)
    assert.match(refused.body.message, message)
  }
  const drained = await callAsOperator(one, 'POST', '/sim/v1/cluster/nodes/nobody/drain')
  assert.equal(drained.status, 422)
})

test('a drained node holds no world until that is undone', async () => {
  const drained = await command('drain', one.url)
  assert.equal(drained.code, 0, drained.stderr)
  for (const world of ['main', 'friday']) assert.equal(await addressOfHolder(one, world), two.url)
  const refused = await move(one, 'friday', one.url)
  assert.equal(refused.status, 422)
  assert.match(refused.body.message, /^node: .* is draining/)
  const last = await command('drain', two.url)
  assert.equal(last.code, 1)
  assert.match(last.stderr, /still holds 2 worlds: no other node takes worlds/)
  for (const { url } of [two, one]) assert.equal((await command('drain', url, '--undo')).code, 0)
  assert.equal((await move(one, 'friday', one.url)).status, 200)
})

test('metrics of a node name its worlds, also with the secret of the cluster', async () => {
  const held = async (node: Broker) => {
    const headers = { Authorization: `Bearer ${CLUSTER_SECRET}` }
    return (await (await fetch(`${node.url}/metrics`, { headers })).text()).match(/quipu_cluster_held{.*/g)
  }
  assert.deepEqual(await held(one), ['quipu_cluster_held{world="friday"} 1'])
  assert.deepEqual(await held(two), ['quipu_cluster_held{world="main"} 1'])
  const plain = await (await fetch(`${one.url}/metrics`)).text()
  assert.match(plain, /quipu_cluster_nodes 2/)
  assert.doesNotMatch(plain, /world="/)
  assert.match(plain, /quipu_cluster_forwarded_total{outcome="answered"} [1-9]/)
  const inAlerts = metricsIn(readFileSync(alertsFile, 'utf8')).filter((name) => name.includes('_cluster_'))
  assert(inAlerts.length > 1)
  for (const name of inAlerts) assert.match(plain, new RegExp(`^# TYPE ${name} gauge$`, 'm'))
})

test('the doctor checks every node, through any of them', async () => {
  const { body } = await callAsOperator(one, 'GET', '/sim/v1/doctor')
  const details = (name: string): string[] =>
    body.checks.flatMap(({ check, detail }: Body) => (check === name ? [detail] : []))
  for (const { url } of nodes)
    assert(
      details('disk').some((text) => text.startsWith(`${url}: `)),
      url,
    )
  assert.deepEqual(details('leases'), ['2 worlds on 2 nodes'])
})

test('a node that stops moves its worlds first, and clients of the others see no error', async () => {
  const holder = await addressOfHolder(one, 'main')
  const [leaving, staying] = holder === one.url ? [one, two] : [two, one]
  await move(one, 'friday', leaving.url)
  await underLoad([staying.url], friday, async () => {
    assert.equal(await leaving.stop(), 0)
  })
  assert.equal(await addressOfHolder(staying, 'main'), staying.url)
  assert.equal((await clusterOf(staying)).nodes.length, 1)
})

test('a request that loses the database gets 503, or no response if it may be applied', async () => {
  const node = one.process.exitCode === null ? one : two
  let isKilled = false
  /** The statuses of a request that is sent again and again, from the loss of the database on. */
  const failing = async ([method, path, body]: readonly [string, string, object?]) => {
    for (const statuses: unknown[] = []; ; ) {
      const response = await callAsOperator(node, method, path, body).catch(() => undefined)
      if (response === undefined || response.status >= 500) statuses.push(response?.status)
      if (isKilled && statuses.length > 0) return [method, path, statuses] as const
    }
  }
  const requests = [
    ['GET', '/sim/v1/cluster'],
    ['GET', '/sim/v1/worlds/unknown'],
    ['POST', '/sim/v1/cluster/nodes/unknown/drain'],
    ['POST', '/sim/v1/worlds', { durable: true }],
    ['POST', '/sim/v1/worlds/friday/reset'],
  ] as const
  const loads = [...requests, ...requests].map(failing)
  await waitUntil('the load runs', async () => (await clusterOf(node)).worlds.length === 2)
  await database.kill()
  isKilled = true
  for (const [method, path, statuses] of await Promise.all(loads)) {
    const allowed = method === 'GET' ? [503] : [503, undefined]
    assert.ok(
      statuses.every((status) => allowed.includes(status as never)),
      `${method} ${path}: ${statuses}`,
    )
  }
  await database.start()
  // A reset that failed leaves no world without a node, and no open connection.
  await untilHeld(node, 'friday')
  assert.equal(await node.stop(), 0)
})
