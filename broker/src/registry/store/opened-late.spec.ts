import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant, WorldId } from '@quipu/core'
import { JournalDeleted } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { connect, disconnect } from '../../postgres/connection.ts'
import { migrate } from '../../postgres/migrations.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { DurableWorld } from '../durable.ts'
import type { DurableStorage } from '../durable-storage.ts'
import { newDurable } from '../opening/new-durable.ts'
import { durablePostgres } from './durable-postgres.ts'
import { PostgresServer } from './postgres-server.ts'

// A node opens a world that another node deletes or resets, or that it gives up itself, at the same time.

const cluster = await Cluster.common()
after(() => cluster.stop())

const ORIGIN = { at: 1n as Instant, seq: 0 }

/** The storage of a node of a cluster. */
function inNode(url: string, address: string): DurableStorage {
  const server = new PostgresServer(url)
  server.address = address
  return durablePostgres(server, { warn: () => undefined })
}

/** A world of one node, and the storage of another node, which opens it as it was. */
async function onTwoNodes(t: TestContext, database: string) {
  const url = await cluster.database(database)
  await migrate(url)
  const [one, two] = [inNode(url, 'http://one'), inNode(url, 'http://two')]
  const created = await newDurable(one, { world: 'friday' as WorldId }, async () => new Set())
  await created.journal.fill(openMemoryJournal())
  await created.created(ORIGIN)
  const record = (await one.list())[0]!
  const { journal } = record
  t.after(() => Promise.all([one, two].map((node) => node.released!(journal))))
  return {
    url,
    one,
    world: DurableWorld.reopen(one, record),
    journal,
    openLate: () => two.openJournal(journal),
  }
}

test('a node that waits for a world while it is deleted does not open it', async (t) => {
  const { url, one, journal, openLate } = await onTwoNodes(t, 'deleted_meanwhile')
  await one.released!(journal)
  const connection = await connect(url)
  t.after(() => disconnect(connection))
  await connection.query('BEGIN')
  await connection.query('SELECT fence FROM quipu_journals WHERE world = $1 FOR UPDATE', [journal])
  await connection.query('DELETE FROM quipu_worlds')
  const opened = assert.rejects(openLate(), JournalDeleted)
  let isOver = false
  void opened.catch(() => undefined).finally(() => (isOver = true))
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
  while (!isOver && (await cluster.run(waiting, url)).length === 0) await sleep(20)
  await connection.query('COMMIT')
  await opened
})

test('a node that claims a world late does not create its deleted journal again', async (t) => {
  const { url, world, openLate } = await onTwoNodes(t, 'claimed_late')
  await world.delete(assert.ifError)
  await assert.rejects(openLate(), JournalDeleted)
  assert.deepEqual(await cluster.run('SELECT world FROM quipu_journals', url), [])
})

test('a node does not open the earlier journal of a world that was reset', async (t) => {
  const { one, world, journal, openLate } = await onTwoNodes(t, 'reset_meanwhile')
  const reset = world.successor()
  t.after(() => reset.journal.released())
  await reset.journal.fill(openMemoryJournal())
  await reset.created(ORIGIN)
  await one.released!(journal)
  await assert.rejects(openLate(), JournalDeleted)
})

/** Longer than a lease. */
const LEASE_OVER_MS = 3_500

// Nobody would end the renewals of such a journal.
test('a node that gives up a world while it opens it does not keep the lease', async (t) => {
  const { url, one, journal } = await onTwoNodes(t, 'given_up')
  await one.released!(journal)
  const opening = one.openJournal(journal).then(
    (opened) => opened.close(),
    () => undefined,
  )
  await one.released!(journal)
  await opening
  await sleep(LEASE_OVER_MS)
  const held = 'SELECT world FROM quipu_journals WHERE expires_at > clock_timestamp()'
  assert.deepEqual(await cluster.run(held, url), [])
})
