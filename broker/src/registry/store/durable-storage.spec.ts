import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant, WorldId } from '@quipu/core'
import { MAIN_CODE, worldCodes } from '../../access/world-code.ts'
import { Fenced } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { storedEntry } from '../../journal/stored-event.ts'
import { entry } from '../../journal/testing/entries.ts'
import { connect, disconnect } from '../../postgres/connection.ts'
import { migrate } from '../../postgres/migrations.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { OutcomeUnknown } from '../../world/submitted.ts'
import { DurableWorld } from '../durable.ts'
import type { DurableStorage } from '../durable-storage.ts'
import { newDurable } from '../opening/new-durable.ts'
import { durableFiles } from './durable-files.ts'
import { durablePostgres } from './durable-postgres.ts'
import { PostgresServer } from './postgres-server.ts'

const cluster = await Cluster.common()
const folders: string[] = []
after(async () => {
  await cluster.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const inPostgres = (url: string) => durablePostgres(new PostgresServer(url), { warn: () => undefined })

/** Opens empty storage. `again` opens the same storage as another process does. */
const storages: readonly (readonly [string, (name: string) => Promise<() => DurableStorage>])[] = [
  [
    'files',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'quipu-durable-'))
      folders.push(folder)
      return () => durableFiles(folder)
    },
  ],
  [
    'PostgreSQL',
    async (name) => {
      const url = await cluster.database(name)
      await migrate(url)
      return () => inPostgres(url)
    },
  ],
]

const ORIGIN = { at: 1n as Instant, seq: 0 }
const named = (name: string) => ({ world: name as WorldId })
type Refused = () => Promise<ReadonlySet<string>>
const allBut =
  (...codes: readonly string[]): Refused =>
  async () =>
    new Set(worldCodes.filter((code) => !codes.includes(code)))
const none: Refused = async () => new Set()

/** Creates a world without events, and returns its code. */
async function create(storage: DurableStorage, name: string, refused = none): Promise<string> {
  const durable = await newDurable(storage, named(name), refused)
  await durable.journal.fill(openMemoryJournal())
  await durable.created(ORIGIN)
  return durable.identity.code
}

for (const [kind, open] of storages) {
  test(`${kind}: each world gets another code, which its record keeps`, async () => {
    const again = await open('each')
    const storage = again()
    const names = Array.from({ length: 10 }, (_, number) => `world-${number}`)
    const codes = await Promise.all(names.map((name) => create(storage, name)))
    assert.equal(new Set(codes).size, names.length)
    assert.equal(codes.includes(MAIN_CODE), false)
    const records = await again().list()
    assert.deepEqual(
      records.map(({ world, code }) => [world, code]),
      names.map((name, number) => [name, codes[number]]),
    )
  })

  test(`${kind}: a world with the name of a device of Windows is stored, listed and deleted`, async () => {
    const again = await open('device')
    await create(again(), 'nul')
    const storage = again()
    const [stored] = await storage.list()
    assert.deepEqual([stored!.world, await storage.record('nul' as WorldId)], ['nul', stored])
    await DurableWorld.reopen(storage, stored!).delete(assert.ifError)
    assert.deepEqual(await again().list(), [])
  })

  test(`${kind}: no world gets a refused code; without an unused one, none is created`, async () => {
    const storage = (await open('refused'))()
    assert.equal(await create(storage, 'first', allBut('Q7')), 'Q7')
    await assert.rejects(create(storage, 'second', allBut('Q7')), { reason: 'worldCodesUsed' })
    assert.deepEqual([...(await storage.usedCodes())], ['Q7'])
    await DurableWorld.reopen(storage, (await storage.list())[0]!).delete(assert.ifError)
    assert.equal(await create(storage, 'second', allBut('Q7')), 'Q7')
  })

  test(`${kind}: a world without a record is deleted with its code; a restart drops reserved ones`, async () => {
    const again = await open('unopened')
    const storage = again()
    await (await newDurable(storage, named('unopened'), none)).delete(assert.ifError)
    assert.equal((await storage.usedCodes()).size, 0)
    assert.equal(await storage.reserveCode('interrupted' as WorldId, 'Q7'), 'reserved')
    const restarted = again()
    assert.deepEqual(await restarted.list(), [])
    assert.equal((await restarted.usedCodes()).size, 0)
  })

  test(`${kind}: the successor of a world after a reset has the same code`, async () => {
    const storage = (await open('successor'))()
    const world = await newDurable(storage, named('reset'), none)
    assert.equal(world.successor().identity.code, world.identity.code)
  })

  test(`${kind}: a new world has no event of an earlier one whose journal could not be deleted`, async () => {
    const storage = (await open('undeleted'))()
    const failing = { ...storage, deleteJournal: () => Promise.reject(new Error('the disk fails')) }
    const earlier = await newDurable(failing, named('friday'), none)
    const journal = await storage.openJournal(earlier.journal.name)
    await journal.append([entry('an event')])
    await journal.close()
    await earlier.created(ORIGIN)
    await earlier.delete(() => undefined)
    const next = await newDurable(storage, named('friday'), none)
    assert.equal((await storage.openJournal(next.journal.name)).head().seq, 0)
  })
}

test('PostgreSQL: a crash blocks the name of a world for ten minutes, and leaves no event behind', async () => {
  const url = await cluster.database('interrupted')
  await migrate(url)
  const [crashed, running] = [inPostgres(url), inPostgres(url)]
  await crashed.reserveCode('friday' as WorldId, 'Q7')
  const journal = await crashed.openJournal(crashed.newJournalName('friday' as WorldId))
  await journal.append([entry('an event')])
  await journal.close()
  await assert.rejects(create(running, 'friday'), { reason: 'worldNameTaken' })
  await cluster.run("UPDATE quipu_worlds SET reserved_at = now() - interval '11 minutes'", url)
  await cluster.run("UPDATE quipu_journals SET taken_at = now() - interval '11 minutes'", url)
  await create(running, 'friday')
  assert.deepEqual(await cluster.run('SELECT seq FROM quipu_events', url), [])
})

test('PostgreSQL: two processes never give the same code, nor the same name', async () => {
  const url = await cluster.database('processes')
  await migrate(url)
  const processes = [inPostgres(url), inPostgres(url)]
  const left = worldCodes.slice(0, 24)
  const refused = allBut(...left)
  const codes = await Promise.all(
    left.map((_, number) => create(processes[number % 2]!, `world-${number}`, refused)),
  )
  assert.deepEqual([...codes].sort(), left)
  const [first, second] = processes
  assert.equal(await first!.reserveCode('same' as WorldId, 'ZA'), 'reserved')
  assert.equal(await second!.reserveCode('other' as WorldId, 'ZA'), 'codeTaken')
  await assert.rejects(create(second!, 'same'), { reason: 'worldNameTaken' })
})

/** Whether a process waits for a lock of another. */
const isWaiting = async (url: string): Promise<boolean> =>
  (await cluster.run("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'", url)).length > 0

/** A world that one process holds and then another. Resolves with the world as each of them knows it. */
async function takenOver(database: string) {
  const url = await cluster.database(database)
  await migrate(url)
  const [older, newer] = [inPostgres(url), inPostgres(url)]
  const lost = await newDurable(older, named('friday'), none)
  await lost.journal.fill(openMemoryJournal())
  await lost.created(ORIGIN)
  await lost.moved(2n as Instant, false)
  const [record] = await newer.list()
  await newer.openJournal(record!.journal)
  const held = DurableWorld.reopen(newer, record!)
  const resetLost = () => DurableWorld.reopen(older, record!).successor()
  return { lost, resetLost, held, nowOf: async () => (await newer.list())[0]!.now }
}

test('PostgreSQL: a process that has lost a world does not change its clock', async () => {
  const { lost, held, nowOf } = await takenOver('clocks')
  await held.moved(10n as Instant, false)
  await assert.rejects(lost.moved(5n as Instant, false), Fenced)
  assert.equal(await nowOf(), 10n)
})

test('PostgreSQL: a process changes no world that another is taking at the same time', async (t) => {
  const { held, nowOf } = await takenOver('taken_meanwhile')
  await held.moved(10n as Instant, false)
  const url = cluster.url('taken_meanwhile')
  const connection = await connect(url)
  t.after(() => disconnect(connection))
  await connection.query('BEGIN')
  await connection.query('UPDATE quipu_journals SET fence = fence + 1')
  let isOver = false
  const late = assert.rejects(held.moved(20n as Instant, false), Fenced)
  void late.catch(() => undefined).finally(() => (isOver = true))
  while (!isOver && !(await isWaiting(url))) await sleep(20)
  await connection.query('COMMIT')
  await late
  assert.equal(await nowOf(), 10n)
})

test('PostgreSQL: a process that has lost a world neither undoes its reset nor its deletion', async () => {
  const { lost, resetLost, held, nowOf } = await takenOver('resets')
  const reset = held.successor()
  await reset.journal.fill(openMemoryJournal())
  await reset.created({ at: 20n as Instant, seq: 0 })
  await assert.rejects(lost.moved(5n as Instant, false), Fenced)
  const late = resetLost()
  await late.journal.fill(openMemoryJournal())
  await assert.rejects(late.created({ at: 30n as Instant, seq: 0 }), Fenced)
  assert.equal(await nowOf(), 20n)
  await reset.delete(assert.ifError)
  await assert.rejects(lost.moved(6n as Instant, false), Fenced)
})

test('PostgreSQL: a journal of an interrupted reset is not filled again, and is deleted later', async () => {
  const { held } = await takenOver('interrupted_resets')
  const stored = openMemoryJournal()
  await stored.append([
    storedEntry({ kind: 'partnerAdded', at: 1n as Instant, partnerId: 'p' as never, name: 'p' }),
  ])
  await held.successor().journal.fill(stored)
  const reset = held.successor()
  await reset.journal.fill(stored)
  await reset.created(ORIGIN)
  const url = cluster.url('interrupted_resets')
  const seqs = 'SELECT seq::integer FROM quipu_journals ORDER BY seq'
  assert.deepEqual(await cluster.run(seqs, url), [{ seq: 0 }, { seq: 1 }, { seq: 1 }])
  const old = "UPDATE quipu_journals SET taken_at = now() - interval '11 minutes', expires_at = NULL"
  let left: readonly unknown[] = []
  // The lease of the open journal may be renewed in between.
  for (let tries = 10; tries > 0 && left.length !== 1; tries -= 1) {
    await cluster.run(old, url)
    await inPostgres(url).usedCodes()
    left = await cluster.run(seqs, url)
  }
  assert.deepEqual(left, [{ seq: 1 }])
})

// PostgreSQL reports success for such a statement, with a warning: a promotion would lose the new world.
test('PostgreSQL: a record is not stored if an administrator cancels the wait for the standby', async (t) => {
  const server = await Cluster.start()
  t.after(() => server.stop())
  await migrate(server.url())
  const storage = inPostgres(server.url())
  const durable = await newDurable(storage, named('friday'), none)
  await durable.journal.fill(openMemoryJournal())
  await server.run("ALTER SYSTEM SET synchronous_standby_names = 'lost'")
  await server.run('SELECT pg_reload_conf()')
  while ((await server.run('SHOW synchronous_standby_names'))[0]!['synchronous_standby_names'] !== 'lost');
  const failed = assert.rejects(durable.created(ORIGIN), OutcomeUnknown)
  const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
  let isOver = false
  void failed.finally(() => (isOver = true))
  for (; !isOver; await sleep(20)) await server.run(cancel)
  await failed
})

test('PostgreSQL: a deletion that continues late deletes nothing of the next world with the same name', async () => {
  const { lost, held } = await takenOver('deleted_late')
  await held.delete(assert.ifError)
  const url = cluster.url('deleted_late')
  const next = inPostgres(url)
  await create(next, 'friday')
  await assert.rejects(lost.delete(assert.ifError), Fenced)
  assert.deepEqual(
    (await next.list()).map(({ world }) => world),
    ['friday'],
  )
})
