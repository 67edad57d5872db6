import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { importsOf } from '../architecture/sources.ts'
import { type Broker, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }

const placeOrder = async (broker: Broker, clientOrderId: string): Promise<string> => {
  const response = await call(broker, 'POST', '/v2/orders', { ...order, client_order_id: clientOrderId })
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.id
}

test('on PostgreSQL an order survives a stop and kill -9, and an audit runs without a server', async () => {
  const url = await cluster.database('books')
  const data = newFolder()
  const first = await startBroker(['--data', data, '--store', url, '--readers', '1'])
  const readPage = (broker: Broker) => callAsOperator(broker, 'GET', '/sim/v1/worlds/main/events?limit=9')
  const inThread = await readPage(first)
  const ids = [await placeOrder(first, 'first')]
  assert.equal(await first.stop(), 0)
  assert.deepEqual(readdirSync(data).sort(), ['credentials.json', 'format.json', 'lock'])

  const second = await startBroker(['--data', data], { QUIPU_STORE: url })
  ids.push(await placeOrder(second, 'second'))
  await second.kill()

  // Containers pass secrets as files.
  const secret = join(newFolder(), 'store')
  writeFileSync(secret, `${url}\n`)
  const third = await startBroker(['--data', data, '--readers', '0'], { QUIPU_STORE_FILE: secret })
  const list = await call(third, 'GET', '/v2/orders?status=all&direction=asc')
  assert.deepEqual(
    list.body.map(({ id }: { id: string }) => id),
    ids,
  )
  const { status, body } = await readPage(third)
  assert.equal(body.events.length, 9)
  assert.deepEqual([inThread.status, inThread.body], [status, body])
  const again = await call(third, 'POST', '/v2/orders', { ...order, client_order_id: 'first' })
  assert.equal(again.status, 422)
  assert.equal(await third.stop(), 0)

  const audit = await command(['audit', '--json', '--data', data], { env: { QUIPU_STORE: url } })
  assert.equal(audit.code, 0, audit.stderr)
  const report = JSON.parse(audit.stdout)
  assert.deepEqual([report.sound, report.problems], [true, []])
  for (const { log } of [first, second, third]) assert.doesNotMatch(log(), /hunter2/)
})

test('a second server takes over the database, and the first one ends with the reason', async () => {
  const url = await cluster.database('contested')
  const [data, other] = [newFolder(), newFolder()]
  const older = await startBroker(['--data', data, '--store', url])
  await placeOrder(older, 'first')
  const ended = once(older.process, 'exit')
  const keys = readFileSync(join(data, 'credentials.json'))
  writeFileSync(join(other, 'credentials.json'), keys, { mode: 0o600 })
  const newer = await startBroker(['--data', other, '--store', url])
  const [code] = await ended
  assert.equal(code, 1)
  assert.match(older.log(), /the world main was taken over by .* process \d+/)
  assert.doesNotMatch(older.log(), /hunter2/)
  await placeOrder(newer, 'second')
  assert.equal(await newer.stop(), 0)
})

test('a database with another market model is refused and stays unchanged', async () => {
  // The database of the first test.
  const url = cluster.url('books')
  const heads = () => cluster.run('SELECT seq, hash, fence, holder, market FROM quipu_journals', url)
  assert.deepEqual(
    (await heads()).map(({ market }) => market),
    [1],
  )
  await cluster.run('UPDATE quipu_journals SET market = 2', url)
  const before = await heads()
  const { code, stderr } = await quipu(['start', '--port', '0', '--data', newFolder(), '--store', url])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^quipu: PostgreSQL at \S+, database books has prices of market model 2, this version computes those of model 1: use .*\n$/,
  )
  assert.deepEqual(await heads(), before)
})

test('a machine without the imported data that main uses does not start', async () => {
  const url = await cluster.database('imported')
  const data = newFolder()
  const broker = await startBroker(['--data', data, '--store', url])
  await runOn(data, 'import', barsFile)
  await runOn(data, 'data', 'use', 'ZQXW')
  assert.equal(await broker.stop(), 0)
  const { code, stderr } = await quipu(['start', '--port', '0', '--data', newFolder(), '--store', url])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^quipu: world main uses imported data \(bars 1Min ZQXW: 780 rows\), and .*: copy the folder/,
  )
})

test('the PostgreSQL library is loaded only when the store is PostgreSQL', () => {
  const visited = new Set<string>()
  const visit = (file: string): void => {
    if (visited.has(file) || !/^(broker|server|cli)\//.test(file)) return
    visited.add(file)
    const { files, packages } = importsOf(file, 'loaded')
    assert.ok(!packages.includes('pg'), [...visited].join(' -> '))
    files.forEach(visit)
  }
  for (const start of ['cli/src/main.ts', 'server/src/start/start.ts', 'server/src/index.ts']) visit(start)
  assert.ok(visited.size > 100)
})

test('config show hides the password of the store', async () => {
  const { stdout } = await command(['config', 'show'], { env: { QUIPU_STORE: cluster.url() } })
  assert.match(stdout, /^store +QUIPU_STORE +postgres:\/\/quipu:\*+@127\.0\.0\.1:\d+\/postgres$/m)
})

const newer = 'CREATE TABLE quipu_meta (format integer); INSERT INTO quipu_meta VALUES (999)'

for (const [what, name, make, line] of [
  [
    'a newer format',
    'newer',
    async () => cluster.run(newer, await cluster.database('newer')),
    /^quipu: PostgreSQL at .*, database newer has table format 999, .*: install the newer version of quipu/,
  ],
  [
    'another encoding',
    'ascii',
    () => cluster.run("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0"),
    /^quipu: PostgreSQL at .*, database ascii cannot be used: its encoding is SQL_ASCII, expected UTF8: create /,
  ],
] as const)
  test(`a database with ${what}: the start fails with one line`, async () => {
    await make()
    const flags = ['--port', '0', '--data', newFolder(), '--store', cluster.url(name)]
    const { code, stderr } = await quipu(['start', ...flags])
    assert.equal(code, 1)
    assert.match(stderr, line)
    assert.doesNotMatch(stderr, /hunter2/)
  })
