import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { verifyJournal } from '../../server/src/journal/verify.ts'
import { pictureOf } from '../bad-days/picture.ts'
import { startBroker } from '../broker.ts'
import { answered, copyOf, flip, journalOf, type Kept, keptFolder, rowsOf, store } from './kept.ts'

let kept: Kept
before(async () => {
  kept = await keptFolder()
})

test('verify finds a healthy folder sound, with a server and without', async (t) => {
  const data = copyOf(kept.data)
  const { views, ...report } = await answered('verify', '--data', data)
  assert.deepEqual(
    [report.sound, report.seq, report.hash, report.problems],
    [true, kept.head.seq, kept.head.hash, []],
  )
  assert.deepEqual(views, { position: kept.head.seq, rows: await rowsOf(kept) })
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const served = await answered('verify', '--data', data)
  assert.ok(served.sound && served.seq >= kept.head.seq && served.views.position >= kept.head.seq)
})

for (const served of [false, true])
  test(`verify ${served ? 'beside a running server' : 'of a stopped folder'} names the event of a flipped byte`, async (t) => {
    const data = copyOf(kept.data)
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

test('verify finds rows that the journal does not lead to; rebuild makes them again, with the same answers', async (t) => {
  const data = copyOf(kept.data)
  const [changed, missing] = kept.was.orders
  const database = new DatabaseSync(join(data, 'views.sqlite'))
  database.prepare('UPDATE orders SET symbol = ? WHERE id = ?').run('WRONG', changed.id)
  database.prepare('DELETE FROM orders WHERE id = ?').run(missing.id)
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

  const { seq, hash } = await answered('rebuild', '--data', data)
  assert.deepEqual({ seq, hash }, kept.head)
  assert.ok(existsSync(join(data, 'snapshots', `${String(seq).padStart(16, '0')}.snapshot`)))
  assert.equal((await answered('verify', '--data', data)).sound, true)
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  assert.deepEqual(await pictureOf(broker), kept.was)
  const refused = await store('rebuild', '--data', data)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /is in use by process \d+: end it with `quipu stop --data \/.*`/)
})
