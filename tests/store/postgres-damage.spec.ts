import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { accountStateOf } from '../bad-days/checks.ts'
import { newFolder, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { cluster, restoredSample, runOn, storeOn } from './postgres-store.ts'
import { journalOf, rowsOf, type SampleFolder } from './sample-folder.ts'

let sample: SampleFolder
let data: string
before(async () => {
  ;({ sample, data } = await restoredSample())
})

test('verify finds rows that differ from the journal; rebuild corrects them', async (t) => {
  const databaseUrl = await cluster.database('rows')
  await runOn(databaseUrl, 'restore', sample.backup)
  await runOn(databaseUrl, 'rebuild')
  const sound = await runOn(databaseUrl, 'verify')
  const rows = await rowsOf(sample)
  assert.deepEqual(sound.queryTables, { position: sample.head.seq, rows })

  const [changed, missing] = sample.account.orders
  await cluster.run(`UPDATE quipu_orders SET symbol = 'WRONG' WHERE id = '${changed.id}'`, databaseUrl)
  await cluster.run(`DELETE FROM quipu_orders WHERE id = '${missing.id}'`, databaseUrl)
  const { code, stdout } = await storeOn(databaseUrl, 'verify')
  assert.equal(code, 1)
  const { problems } = JSON.parse(stdout) as { problems: readonly string[] }
  assert.deepEqual(
    problems.map((text) => /order (\S+) of account \S+ ([a-z ]+);/.exec(text)?.slice(1)),
    [
      [changed.id, 'differs'],
      [missing.id, 'is missing'],
    ],
  )

  await runOn(databaseUrl, 'rebuild')
  assert.equal((await runOn(databaseUrl, 'verify')).sound, true)
  const broker = await startBroker(['--data', data, '--store', databaseUrl])
  t.after(broker.kill)
  assert.deepEqual(await accountStateOf(broker), sample.account)
  const inUse = await storeOn(databaseUrl, 'rebuild')
  assert.equal(inUse.code, 1)
  assert.match(inUse.stderr, /is in use by a server; stop it with `quipu stop`/)
})

test('verify finds an event that was changed', async () => {
  const databaseUrl = await cluster.database('forged')
  await runOn(databaseUrl, 'restore', sample.backup)
  await cluster.run("UPDATE quipu_events SET open = open || ' ' WHERE seq = 20", databaseUrl)
  const { code, stdout } = await storeOn(databaseUrl, 'verify')
  assert.equal(code, 1)
  assert.equal(JSON.parse(stdout).sound, false)
  const backup = await storeOn(databaseUrl, 'backup', join(newFolder(), 'backup'))
  assert.equal(backup.code, 1)
  assert.match(backup.stderr, /is damaged: its events lead to hash/)
})

/** Creates a database whose journal has lost its last events; returns the number of its last event. */
async function loseEvents(
  name: string,
  keep: number,
): Promise<{ readonly databaseUrl: string; readonly end: number }> {
  const databaseUrl = await cluster.database(name)
  const env = { QUIPU_STORE: databaseUrl }
  assert.equal((await command(['store', 'restore', sample.backup, '--data', 'memory'], { env })).code, 0)
  assert.equal((await command(['store', 'rebuild'], { env })).code, 0)
  const { head } = await verifyJournal(journalOf(sample.data), { upTo: keep })
  await cluster.run(`DELETE FROM quipu_events WHERE seq > ${head.seq}`, databaseUrl)
  const update = `UPDATE quipu_journals SET seq = ${head.seq}, hash = '${head.hash}'`
  await cluster.run(
    keep === 0 ? 'DELETE FROM quipu_journals; DELETE FROM quipu_segments' : update,
    databaseUrl,
  )
  return { databaseUrl, end: head.seq }
}

for (const left of casesOf(['some of its events', 'none of its events']))
  test(`a journal in PostgreSQL with ${left} left is reported, and starts only with --accept-journal-loss`, async (t) => {
    const keep = left === 'some of its events' ? sample.head.seq - 100 : 0
    const { databaseUrl, end } = await loseEvents(`lost${keep}`, keep)
    const line = new RegExp(
      `its last event is ${end}, but table quipu_query_tables was written after event ${sample.head.seq}, table quipu_snapshots`,
    )
    const start = ['--data', data, '--store', databaseUrl]
    await assert.rejects(startBroker(start), line)
    for (const words of [
      'audit',
      'store verify',
      `store backup ${join(newFolder(), 'b')}`,
      'store rebuild',
    ]) {
      const env = { QUIPU_STORE: databaseUrl }
      const { code, stdout, stderr } = await command([...words.split(' '), '--json'], { env })
      assert.equal(code, 1, words)
      assert.match(stdout + stderr, line, words)
    }
    const orders = await cluster.run('SELECT id FROM quipu_orders ORDER BY id', databaseUrl)
    const broker = await startBroker([...start, '--accept-journal-loss'])
    t.after(broker.kill)
    assert.equal(await broker.stop(), 0)
    const lossWorld = "world LIKE 'main.journal-loss-%'"
    assert.deepEqual(
      await cluster.run(`SELECT id FROM quipu_orders WHERE ${lossWorld} ORDER BY id`, databaseUrl),
      orders,
    )
    const [snapshot] = await cluster.run(
      `SELECT max(seq) AS seq FROM quipu_snapshots WHERE ${lossWorld}`,
      databaseUrl,
    )
    assert.equal(Number(snapshot!['seq']), sample.head.seq)
    assert.equal((await runOn(databaseUrl, 'verify')).sound, true)
  })
