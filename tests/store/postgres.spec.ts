import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SealingKey } from '../../broker/src/access/sealing-key.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { accountStateOf, assertSound } from '../bad-days/checks.ts'
import { load, newClientRecords } from '../bad-days/load.ts'
import { type Body, call, callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { Random, seed } from '../support/random.ts'
import { trade, journalOf as worldJournalOf } from '../worlds/durable.ts'
import { callerOf } from '../worlds/files.ts'
import { cluster, restoredSample, runOn, storeOn } from './postgres-store.ts'
import { copyOf, flip, journalOf, runStore, type SampleFolder } from './sample-folder.ts'

let sample: SampleFolder
let url: string
let data: string
before(async () => {
  ;({ sample, url, data } = await restoredSample())
})

test('a restore from a folder into PostgreSQL and back changes nothing', async (t) => {
  const moved = await startBroker(['--data', data, '--store', url])
  t.after(moved.kill)
  assert.deepEqual(await accountStateOf(moved), sample.account)
  assert.deepEqual(await assertSound(moved), sample.head)
  const [backup, back] = [join(newFolder(), 'backup'), join(newFolder(), 'back')]
  const { created: kept } = await newWorld(moved, { world: 'kept', durable: true })
  const ofKept = { world: 'kept', ...(await trade(moved, kept)) }
  const taken = await runOn(url, 'backup', backup, '--data', data, '--with-credentials')
  assert.deepEqual(
    { seq: taken.seq, hash: taken.hash, worlds: taken.worlds },
    { ...sample.head, worlds: [ofKept] },
  )
  assert.deepEqual((await runOn(url, 'verify')).worlds, [ofKept])
  const { body: stored } = await callAsOperator(moved, 'GET', '/sim/v1/worlds/main/store')
  assert.deepEqual([stored.stored_in, stored.last_backup.folder], ['postgres', backup])
  assert.ok(stored.journal_bytes > 0 && stored.query_tables_bytes > 0 && stored.snapshots_bytes > 0)
  const { body: made } = await callAsOperator(moved, 'POST', '/sim/v1/backups', { name: 'over-http' })
  assert.equal((await runStore('verify', made.folder)).hash, sample.head.hash, JSON.stringify(made))
  assert.equal(await moved.stop(), 0)

  assert.equal((await runStore('restore', backup, '--data', back)).credentials, 'of the backup')
  const broker = await startBroker(['--data', back])
  t.after(broker.kill)
  assert.deepEqual(await accountStateOf(broker), sample.account)
  assert.deepEqual(await assertSound(broker), sample.head)
  assert.deepEqual({ world: 'kept', ...(await worldJournalOf(broker, kept)) }, ofKept)
  assert.equal((await call(callerOf(broker, kept), 'GET', '/v2/positions')).body[0].qty, '10')
  assert.equal(await broker.stop(), 0)
  if (hasAllCases) await assertSecondMove(backup, { kept, ofKept })
})

type Kept = { readonly kept: Body; readonly ofKept: Body }

/** Restores a backup of PostgreSQL into another database, whose worlds continue. */
async function assertSecondMove(backup: string, { kept, ofKept }: Kept): Promise<void> {
  const again = await cluster.database('again')
  assert.deepEqual((await runOn(again, 'restore', backup)).worlds, [ofKept])
  assert.deepEqual((await runOn(again, 'verify')).worlds, [ofKept])
  const third = await startBroker(['--data', data, '--store', again])
  assert.deepEqual({ world: 'kept', ...(await worldJournalOf(third, kept)) }, ofKept)
  await trade(third, kept)
  assert.equal(await third.stop(), 0)

  // The rows of a world other than main.
  await cluster.run("UPDATE quipu_orders SET symbol = 'WRONG' WHERE world LIKE 'kept.%'", again)
  const { code, stdout } = await storeOn(again, 'verify')
  assert.equal(code, 1)
  assert.match(JSON.parse(stdout).problems[0], /^world kept: .* order \S+ of account \S+ differs;/)
  await runOn(again, 'rebuild')
  assert.equal((await runOn(again, 'verify')).sound, true)
}

test('a restore into PostgreSQL brings the key of authenticator apps, also beside other credentials', async () => {
  const [from, backup] = [copyOf(sample.data), join(newFolder(), 'backup')]
  const sealed = new SealingKey({ kind: 'folder', folder: from }).seal('a secret of an app', 'p')
  await runStore('backup', backup, '--data', from, '--with-credentials')
  const [empty, taken] = [join(newFolder(), 'data'), newFolder()]
  cpSync(join(sample.data, 'credentials.json'), join(taken, 'credentials.json'))
  for (const [name, folder, credentials] of [
    ['keys', empty, 'of the backup'],
    ['keys_again', taken, 'of the data folder'],
  ] as const) {
    const restored = await runOn(await cluster.database(name), 'restore', backup, '--data', folder)
    assert.equal(restored.credentials, credentials)
    const opened = new SealingKey({ kind: 'folder', folder }).open(sealed, 'p')
    assert.equal(opened, 'a secret of an app', credentials)
    assert.ok(existsSync(join(folder, 'credentials.json')))
  }
})

test('journal print shows the same events of a folder and of PostgreSQL', async () => {
  const ofFolder = await command(['journal', 'print', '--data', sample.data])
  const ofDatabase = await command(['journal', 'print', '--limit', String(sample.head.seq)], {
    env: { QUIPU_STORE: url },
  })
  assert.deepEqual([ofDatabase.code, ofDatabase.stdout], [0, ofFolder.stdout])
})

test('the version of the market model is restored with the journal', async () => {
  const databaseUrl = await cluster.database('earlier')
  const earlier = copyOf(sample.backup)
  writeFileSync(join(earlier, 'format.json'), '{"version":1,"market":7}')
  await runOn(databaseUrl, 'restore', earlier)
  assert.deepEqual(await cluster.run('SELECT market FROM quipu_journals', databaseUrl), [{ market: 7 }])
  const to = join(newFolder(), 'backup')
  await runOn(databaseUrl, 'backup', to)
  assert.deepEqual(JSON.parse(readFileSync(join(to, 'format.json'), 'utf8')), { version: 1, market: 7 })
})

test('a backup taken from PostgreSQL under load is a consistent snapshot', async (t) => {
  const databaseUrl = await cluster.database('busy')
  const to = join(newFolder(), 'backup')
  const broker = await startBroker(['--data', newFolder(), '--store', databaseUrl])
  t.after(broker.kill)
  const records = newClientRecords()
  let isOver = false
  const loading = load(
    { broker, random: new Random(seed, 'postgres'), records, name: 'load' },
    8,
    () => isOver,
  )
  while (records.orders.size < 100) await sleep(5)
  const seqBefore = records.seq
  const taken = await runOn(databaseUrl, 'backup', to)
  isOver = true
  await loading
  assert.ok(taken.seq >= seqBefore, 'the backup has every event acknowledged before')
  assert.ok(taken.seq < records.seq, 'the load continued during the backup')
  assert.equal((await runStore('verify', to)).sound, true)
  const { seq, hash } = taken
  assert.deepEqual((await verifyJournal(journalOf(to))).head, { seq, hash })
  await assertSound(broker)
})

test('data in a database is not overwritten', async () => {
  const taken = await storeOn(url, 'restore', sample.backup)
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /already has a journal; restore into an empty database/)
  const replace = await storeOn(url, 'restore', sample.backup, '--replace')
  assert.equal(replace.code, 2)
  assert.match(replace.stderr, /data in PostgreSQL is never replaced/)
})

test('nothing is restored from a damaged backup', async () => {
  const databaseUrl = await cluster.database('empty')
  const broken = copyOf(sample.backup)
  flip(broken)
  const { code, stderr } = await storeOn(databaseUrl, 'restore', broken)
  assert.equal(code, 1)
  assert.match(stderr, /the journal is damaged from event \d+ on/)
  const [table] = await cluster.run("SELECT to_regclass('quipu_events') AS name", databaseUrl)
  assert.equal(table!['name'], null)
})

test('backup, verify and rebuild fail on a database without a journal', async () => {
  const databaseUrl = await cluster.database('blank')
  const to = join(newFolder(), 'backup')
  for (const line of [['backup', to], ['verify'], ['rebuild']] as const) {
    const [verb, ...rest] = line
    const { code, stderr } = await storeOn(databaseUrl, verb, ...rest)
    assert.equal(code, 1)
    assert.match(stderr, /database blank has no journal of main; check QUIPU_STORE/)
  }
  assert.equal(existsSync(to), false)
})
