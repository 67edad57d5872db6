import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { Cluster } from '../../server/src/postgres/testing/server.ts'
import { newFolder } from '../broker.ts'
import { assertDurable } from './durable.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

test('durable worlds in PostgreSQL survive kill -9 and a stop; deletion removes their rows', async (t) => {
  const url = await cluster.database('durable')
  await assertDurable(t, newFolder(), ['--store', url])
  const client = new pg.Client(url)
  await client.connect()
  for (const table of ['worlds', 'journals', 'events', 'segments']) {
    const { rows } = await client.query(`SELECT DISTINCT world FROM quipu_${table}`)
    assert.deepEqual(rows, table === 'worlds' ? [] : [{ world: 'main' }], table)
  }
  await client.end()
})
