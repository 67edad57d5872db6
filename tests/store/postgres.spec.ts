import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyJournal } from '../../server/src/journal/verify.ts'
import { Cluster } from '../../server/src/postgres/testing/server.ts'
import { assertSound } from '../bad-days/checks.ts'
import { load, newMemory } from '../bad-days/load.ts'
import { pictureOf } from '../bad-days/picture.ts'
import { type Body, newFolder, startBroker } from '../broker.ts'
import { command } from '../quipu-command.ts'
import { Random, seed } from '../random.ts'
import { answered, copyOf, flip, journalOf, type Kept, keptFolder, rowsOf } from './kept.ts'

const cluster = await Cluster.start()
let kept: Kept
/** A database into which the backup has been put, and a data folder with its credentials. */
let url: string
let data: string
before(async () => {
  kept = await keptFolder()
  url = await cluster.database('moved')
  data = join(newFolder(), 'data')
  cpSync(join(kept.data, 'credentials.json'), join(data, 'credentials.json'))
  const restored = await done(url, 'restore', kept.backup, '--data', data)
  assert.deepEqual([restored.seq, restored.hash], [kept.head.seq, kept.head.hash])
  assert.equal(restored.credentials, 'of the data folder')
})
after(() => cluster.stop())

const storeOn = (place: string, verb: string, ...rest: readonly string[]) =>
  command(['store', verb, '--json', ...rest], { env: { QUIPU_STORE: place } })

/** What a command that must succeed says. */
async function done(place: string, verb: string, ...rest: readonly string[]): Promise<Body> {
  const { code, stdout, stderr } = await storeOn(place, verb, ...rest)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('books move from a folder into PostgreSQL and back, and everything is as it was', async (t) => {
  const moved = await startBroker(['--data', data, '--store', url])
  t.after(moved.kill)
  assert.deepEqual(await pictureOf(moved), kept.was)
  assert.deepEqual(await assertSound(moved), kept.head)
  const [backup, back] = [join(newFolder(), 'backup'), join(newFolder(), 'back')]
  const taken = await done(url, 'backup', backup, '--data', data, '--with-credentials')
  assert.deepEqual({ seq: taken.seq, hash: taken.hash }, kept.head)
  assert.equal(await moved.stop(), 0)

  assert.equal((await answered('restore', backup, '--data', back)).credentials, 'of the backup')
  const broker = await startBroker(['--data', back])
  t.after(broker.kill)
  assert.deepEqual(await pictureOf(broker), kept.was)
  assert.deepEqual(await assertSound(broker), kept.head)
})

test('the number of the market model moves with the books', async () => {
  const place = await cluster.database('earlier')
  const earlier = copyOf(kept.backup)
  writeFileSync(join(earlier, 'format.json'), '{"version":1,"market":7}')
  await done(place, 'restore', earlier)
  assert.deepEqual(await cluster.run('SELECT market FROM quipu_journals', place), [{ market: 7 }])
  const to = join(newFolder(), 'backup')
  await done(place, 'backup', to)
  assert.deepEqual(JSON.parse(readFileSync(join(to, 'format.json'), 'utf8')), { version: 1, market: 7 })
})

test('a backup taken from PostgreSQL under load is one instant of it', async (t) => {
  const place = await cluster.database('busy')
  const to = join(newFolder(), 'backup')
  const broker = await startBroker(['--data', newFolder(), '--store', place])
  t.after(broker.kill)
  const memory = newMemory()
  let isOver = false
  const loading = load(
    { broker, random: new Random(seed, 'postgres'), memory, name: 'load' },
    8,
    () => isOver,
  )
  while (memory.orders.size < 100) await sleep(5)
  const seqBefore = memory.seq
  const taken = await done(place, 'backup', to)
  isOver = true
  await loading
  assert.ok(taken.seq >= seqBefore, 'what was acknowledged before is in it')
  assert.ok(taken.seq < memory.seq, 'the load went on meanwhile')
  assert.equal((await answered('verify', to)).sound, true)
  const { seq, hash } = taken
  assert.deepEqual((await verifyJournal(journalOf(to))).head, { seq, hash })
  await assertSound(broker)
})

test('data in a database is not overwritten', async () => {
  const taken = await storeOn(url, 'restore', kept.backup)
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /already has a journal; restore into an empty database/)
  const replace = await storeOn(url, 'restore', kept.backup, '--replace')
  assert.equal(replace.code, 2)
  assert.match(replace.stderr, /data in PostgreSQL is never replaced/)
})

test('nothing is restored from a damaged backup', async () => {
  const place = await cluster.database('empty')
  const broken = copyOf(kept.backup)
  flip(broken)
  const { code, stderr } = await storeOn(place, 'restore', broken)
  assert.equal(code, 1)
  assert.match(stderr, /the journal is damaged from event \d+ on/)
  const [there] = await cluster.run("SELECT to_regclass('quipu_events') AS name", place)
  assert.equal(there!['name'], null)
})

test('a database without books has nothing to back up, verify or rebuild', async () => {
  const place = await cluster.database('blank')
  const to = join(newFolder(), 'backup')
  for (const line of [['backup', to], ['verify'], ['rebuild']] as const) {
    const [verb, ...rest] = line
    const { code, stderr } = await storeOn(place, verb, ...rest)
    assert.equal(code, 1)
    assert.match(stderr, /database blank has no journal of main; check QUIPU_STORE/)
  }
  assert.equal(existsSync(to), false)
})

test('verify finds rows that the journal does not lead to; rebuild makes them again', async (t) => {
  const place = await cluster.database('rows')
  await done(place, 'restore', kept.backup)
  await done(place, 'rebuild')
  const sound = await done(place, 'verify')
  const rows = await rowsOf(kept)
  assert.deepEqual(sound.views, { position: kept.head.seq, rows })

  const [changed, missing] = kept.was.orders
  await cluster.run(`UPDATE quipu_orders SET symbol = 'WRONG' WHERE id = '${changed.id}'`, place)
  await cluster.run(`DELETE FROM quipu_orders WHERE id = '${missing.id}'`, place)
  const { code, stdout } = await storeOn(place, 'verify')
  assert.equal(code, 1)
  const { problems } = JSON.parse(stdout) as { problems: readonly string[] }
  assert.deepEqual(
    problems.map((text) => /order (\S+) of account \S+ ([a-z ]+);/.exec(text)?.slice(1)),
    [
      [changed.id, 'differs'],
      [missing.id, 'is missing'],
    ],
  )

  await done(place, 'rebuild')
  assert.equal((await done(place, 'verify')).sound, true)
  const broker = await startBroker(['--data', data, '--store', place])
  t.after(broker.kill)
  assert.deepEqual(await pictureOf(broker), kept.was)
  const inUse = await storeOn(place, 'rebuild')
  assert.equal(inUse.code, 1)
  assert.match(inUse.stderr, /is in use by a server; stop it with `quipu stop`/)
})

test('verify finds an event that was changed', async () => {
  const place = await cluster.database('forged')
  await done(place, 'restore', kept.backup)
  await cluster.run("UPDATE quipu_events SET open = open || ' ' WHERE seq = 20", place)
  const { code, stdout } = await storeOn(place, 'verify')
  assert.equal(code, 1)
  assert.equal(JSON.parse(stdout).sound, false)
  const backup = await storeOn(place, 'backup', join(newFolder(), 'backup'))
  assert.equal(backup.code, 1)
  assert.match(backup.stderr, /is damaged: its events lead to hash/)
})

/** A database whose journal had more events, as its own tables show, and where it ends now: with a whole group. */
async function lostIn(name: string, keep: number): Promise<{ readonly place: string; readonly end: number }> {
  const place = await cluster.database(name)
  const env = { QUIPU_STORE: place }
  assert.equal((await command(['store', 'restore', kept.backup, '--data', 'memory'], { env })).code, 0)
  assert.equal((await command(['store', 'rebuild'], { env })).code, 0)
  const { head } = await verifyJournal(journalOf(kept.data), { upTo: keep })
  await cluster.run(`DELETE FROM quipu_events WHERE seq > ${head.seq}`, place)
  const update = `UPDATE quipu_journals SET seq = ${head.seq}, hash = '${head.hash}'`
  await cluster.run(keep === 0 ? 'DELETE FROM quipu_journals; DELETE FROM quipu_segments' : update, place)
  return { place, end: head.seq }
}

for (const left of ['some of its events', 'none of its events'] as const)
  test(`a journal in PostgreSQL with ${left} left is reported, and starts only when asked to`, async (t) => {
    const keep = left === 'some of its events' ? kept.head.seq - 100 : 0
    const { place, end } = await lostIn(`lost${keep}`, keep)
    const line = new RegExp(
      `its last event is ${end}, but table quipu_views was written after event ${kept.head.seq}, table quipu_snapshots`,
    )
    const start = ['--data', data, '--store', place]
    await assert.rejects(startBroker(start), line)
    for (const words of [
      'audit',
      'store verify',
      `store backup ${join(newFolder(), 'b')}`,
      'store rebuild',
    ]) {
      const env = { QUIPU_STORE: place }
      const { code, stdout, stderr } = await command([...words.split(' '), '--json'], { env })
      assert.equal(code, 1, words)
      assert.match(stdout + stderr, line, words)
    }
    const orders = await cluster.run('SELECT id FROM quipu_orders ORDER BY id', place)
    const broker = await startBroker([...start, '--accept-journal-loss'])
    t.after(broker.kill)
    assert.equal(await broker.stop(), 0)
    const aside = "world LIKE 'main.journal-loss-%'"
    assert.deepEqual(
      await cluster.run(`SELECT id FROM quipu_orders WHERE ${aside} ORDER BY id`, place),
      orders,
    )
    const [snapshot] = await cluster.run(`SELECT max(seq) AS seq FROM quipu_snapshots WHERE ${aside}`, place)
    assert.equal(Number(snapshot!['seq']), kept.head.seq)
    assert.equal((await done(place, 'verify')).sound, true)
  })
