import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { type Broker, newFolder, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { broker as memoryBroker } from '../support/shared-broker.ts'
import { assertJournals } from './book-transfers.ts'
import { assertDurable, journalOf, startUntilEnd } from './durable.ts'
import { sim } from './files.ts'

const cluster = await Cluster.common()
after(() => cluster.stop())

test('durable worlds in PostgreSQL survive kill -9 and a stop; deletion removes their rows', {
  skip: !hasAllCases,
}, async (t) => {
  const url = await cluster.database('durable')
  await assertDurable(t, newFolder(), ['--store', url])
  const client = new pg.Client(url)
  await client.connect()
  const { rows: tables } = await client.query(
    `SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'world' ORDER BY 1`,
  )
  assert.ok(tables.length >= 10)
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT DISTINCT world FROM ${name} WHERE world <> 'main'`)
    assert.deepEqual(rows, [], name)
  }
  await client.end()
})

if (hasAllCases)
  test('journals between durable worlds survive kill -9 between any two steps, in PostgreSQL', async (t) => {
    const stage = await assertJournals(t, newFolder(), ['--store', await cluster.database('journals')])
    assert.equal(await stage.broker.stop(), 0)
  })

/** Connections of the broker to a database. */
async function connectionsTo(database: string): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = '${database}'`
  const [row] = await cluster.run(text)
  return row!['count'] as number
}

test('durable worlds share connections, and kill -9, damage or deletion of one stops no other', async (t) => {
  const url = await cluster.database('shared')
  const start = () => startUntilEnd(t, ['--data', data, '--store', url])
  const data = newFolder()
  const first = await start()
  const alone = await connectionsTo('shared')
  const names = ['damaged', 'deleted', ...Array.from({ length: 8 }, (_, number) => `kept-${number}`)]
  const worlds = await Promise.all(names.map((world) => newWorld(first, { world, durable: true })))
  const [damaged, deleted, ...kept] = worlds
  // Every move stores the time of a clock.
  const moves = Array.from({ length: 10 }, () => '1m')
  const moving = [damaged!, ...kept].map(async ({ advance }) => {
    for (const by of moves) assert.equal((await advance(by)).status, 200)
  })
  await Promise.all([...moving, sim(first, 'DELETE', deleted!.world)])
  const added = (await connectionsTo('shared')) - alone
  assert.ok(added <= 2 * moving.length, `${added} connections for ${moving.length} worlds`)
  const stateOf = (broker: Broker) =>
    Promise.all(
      kept.map(async ({ world }) => [
        (await sim(broker, 'GET', `${world}/clock`)).body.now,
        await journalOf(broker, { world }),
      ]),
    )
  const before = await stateOf(first)
  await first.kill()

  await cluster.run("DELETE FROM quipu_events WHERE world LIKE 'damaged.%' AND seq = 2", url)
  const second = await start()
  assert.deepEqual(await stateOf(second), before)
  assert.match(second.log(), /table quipu_events/)
  assert.equal((await sim(second, 'GET', damaged!.world)).status, 404)
  assert.equal((await sim(second, 'GET', deleted!.world)).status, 404)
})

test('durable worlds survive kill -9 and a stop, with clock, keys, data and origin; deletion removes their files', async (t) => {
  const folder = newFolder()
  await assertDurable(t, folder, [])
  assert.deepEqual(readdirSync(join(folder, 'worlds')), [])
  assert.deepEqual(readdirSync(join(folder, 'market', 'pins')), [])
})

test('a server without a data folder refuses durable worlds', async () => {
  const { status, body } = await sim(memoryBroker, 'POST', '', { world: 'kept', durable: true })
  assert.deepEqual([status, body.reason], [422, 'nothingDurable'])
  assert.equal((await sim(memoryBroker, 'GET', 'kept')).status, 404)
})

test('a damaged durable world stops no other, keeps its name, and can be deleted; leftovers are removed', async (t) => {
  const folder = newFolder()
  const flags = ['--data', folder, '--durable-worlds-max', '2']
  const first = await startUntilEnd(t, flags)
  for (const world of ['damaged', 'sound']) await newWorld(first, { world, durable: true })
  const { status, body } = await sim(first, 'POST', '', { durable: true })
  assert.deepEqual([status, body.reason], [403, 'durableLimitReached'])
  await first.kill()
  const journal = join(folder, 'worlds', 'damaged.1')
  const file = join(journal, readdirSync(journal)[0]!)
  const bytes = readFileSync(file)
  bytes[bytes.indexOf('worldOpened') + 300]! ^= 0xff
  bytes[400]! ^= 0xff
  writeFileSync(file, bytes)
  mkdirSync(join(folder, 'worlds', 'unfinished.1'))

  const second = await startUntilEnd(t, flags)
  assert.equal((await sim(second, 'GET', 'sound/audit')).body.sound, true)
  assert.match(second.log(), /damaged/)
  assert.equal((await sim(second, 'GET', 'damaged')).status, 404)
  assert.equal((await sim(second, 'POST', '', { world: 'damaged' })).body.reason, 'worldNameTaken')
  assert.equal(existsSync(join(folder, 'worlds', 'unfinished.1')), false)
  assert.equal((await sim(second, 'DELETE', 'damaged')).status, 204)
  assert.deepEqual(readdirSync(join(folder, 'worlds')), ['sound.1', 'sound.json'])
  assert.equal((await sim(second, 'POST', '', { world: 'damaged', durable: true })).status, 201)
  await second.stop()
})
