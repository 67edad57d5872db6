import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { idOf } from '../../broker/src/query-tables/sqlite/database.ts'
import { accountStateOf } from '../bad-days/account-state.ts'
import { startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import {
  copyOf,
  flip,
  journalOf,
  rowsOf,
  runStore,
  type SampleFolder,
  sampleFolder,
  store,
} from './sample-folder.ts'

let sample: SampleFolder
before(async () => {
  sample = await sampleFolder()
})

test('verify reports an undamaged folder as sound, with and without a running server', async (t) => {
  const data = copyOf(sample.data)
  const { queryTables, ...report } = await runStore('verify', '--data', data)
  assert.deepEqual(
    [report.sound, report.seq, report.hash, report.problems],
    [true, sample.head.seq, sample.head.hash, []],
  )
  assert.deepEqual(queryTables, { position: sample.head.seq, rows: await rowsOf(sample) })
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const served = await runStore('verify', '--data', data)
  assert.ok(served.sound && served.seq >= sample.head.seq && served.queryTables.position >= sample.head.seq)
})

for (const served of casesOf([false, true]))
  test(`verify ${served ? 'with a running server' : 'of a stopped folder'} names the event of a flipped byte`, async (t) => {
    const data = copyOf(sample.data)
    const broker = served ? await startBroker(['--data', data]) : undefined
    if (broker) t.after(broker.kill)
    flip(data)
    const { damage } = await verifyJournal(journalOf(data))
    const { code, stdout } = await store('verify', '--data', data)
    assert.equal(code, 1)
    const { sound, problems } = JSON.parse(stdout)
    assert.equal(sound, false)
    assert.match(problems[0], new RegExp(`^the journal is damaged from event ${damage!.from} on: `))
  })

test('verify finds rows that differ from the journal; rebuild corrects them', async (t) => {
  const data = copyOf(sample.data)
  const [changed, missing] = sample.account.orders
  const database = new DatabaseSync(join(data, 'query-tables.sqlite'))
  database.prepare('UPDATE orders SET symbol = ? WHERE id = ?').run('WRONG', idOf(changed.id))
  database.prepare('DELETE FROM orders WHERE id = ?').run(idOf(missing.id))
  database.close()
  const { code, stdout } = await store('verify', '--data', data)
  assert.equal(code, 1)
  const { problems } = JSON.parse(stdout)
  assert.equal(problems.length, 2)
  assert.ok(
    problems.some(
      (text: string) => text.includes(`order ${changed.id} of account`) && text.includes(' differs'),
    ),
  )
  assert.ok(
    problems.some(
      (text: string) => text.includes(`order ${missing.id} of account`) && text.includes(' is missing'),
    ),
  )

  const { seq, hash } = await runStore('rebuild', '--data', data)
  assert.deepEqual({ seq, hash }, sample.head)
  assert.ok(existsSync(join(data, 'snapshots', `${String(seq).padStart(16, '0')}.snapshot`)))
  assert.equal((await runStore('verify', '--data', data)).sound, true)
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  assert.deepEqual(await accountStateOf(broker), sample.account)
  const refused = await store('rebuild', '--data', data)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /is in use by process \d+: end it with `quipu stop --data \/.*`/)
})
