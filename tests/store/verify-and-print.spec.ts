import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { idOf } from '../../broker/src/query-tables/sqlite/database.ts'
import { accountStateOf } from '../bad-days/checks.ts'
import { newFolder, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
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

const print = (...rest: readonly string[]) => command(['journal', 'print', ...rest])
const linesOf = (stdout: string): readonly string[] => stdout.split('\n').slice(0, -1)

test('journal print shows every event once, in order, without secrets', async () => {
  const { code, stdout, stderr } = await print('--data', sample.data)
  assert.equal(code, 0, stderr)
  const events = linesOf(stdout).map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ number }) => number),
    Array.from({ length: sample.head.seq }, (_, index) => index + 1),
  )
  assert.equal(events[0].kind, 'worldOpened')
  assert.ok(
    events.some(({ kind, request_id }) => kind === 'orderAccepted' && /^[0-9a-f]{32}$/.test(request_id)),
  )
  assert.doesNotMatch(stdout, /digest|"sealed"/)
  assert.ok(!stdout.includes(sample.secret))
})

test('journal print begins after a number and ends at a limit, with and without a running server', async (t) => {
  const data = copyOf(sample.data)
  const part = ['--data', data, '--after', '10', '--limit', '3']
  const stopped = await print(...part)
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const running = await print(...part)
  assert.deepEqual([stopped.code, running.code, running.stdout], [0, 0, stopped.stdout])
  assert.deepEqual(
    linesOf(stopped.stdout).map((line) => JSON.parse(line).number),
    [11, 12, 13],
  )
  assert.equal((await print('--data', data, '--after', '99999999')).stdout, '')
})

test('journal print shows the events before damage and then fails', async () => {
  const data = copyOf(sample.data)
  flip(data)
  const { damage } = await verifyJournal(journalOf(data))
  const { code, stdout, stderr } = await print('--data', data)
  assert.equal(code, 1)
  assert.equal(linesOf(stdout).length, damage!.from - 1)
  assert.match(stderr, new RegExp(`journal damaged from event ${damage!.from} on: `))
})

test('journal print refuses numbers that are not whole', async () => {
  for (const flag of ['--after', '--limit']) {
    const { code, stderr } = await print('--data', sample.data, flag, '-1')
    assert.equal(code, 2)
    assert.match(stderr, new RegExp(`${flag} must be a whole number, not -1`))
  }
})

/** A data folder with an empty journal. */
const data = newFolder()
await (await openFilesJournal(join(data, 'journal'))).close()
const none = join(data, 'none')

test('an unreachable PostgreSQL is reported in one line', async () => {
  const env = { QUIPU_STORE: 'postgres://127.0.0.1:1/books' }
  for (const line of [['backup', join(data, 'b')], ['verify'], ['rebuild']]) {
    const done = await command(['store', ...line, '--data', data], { env })
    assert.equal(done.code, 1)
    assert.match(done.stderr, /^quipu: PostgreSQL at 127.0.0.1:1, database books cannot be used/m)
  }
})

const misuses: readonly (readonly [line: readonly string[], code: number, error: RegExp])[] = [
  [['backup'], 2, /store backup: expected DIR/],
  [['backup', data, '--data', data], 1, /already exists; choose a new folder/],
  [['backup', 'b', '--data', 'memory'], 2, /a server in memory has no folder/],
  [['backup', 'b', '--data', data, '--world', 'friday'], 1, /has no durable world friday/],
  [['backup', 'b', '--data', none], 1, /has no journal: set the data folder/],
  [['restore', none, '--data', join(data, 'new')], 1, /is not a backup: it has no backup.json/],
  [['rebuild', '--data', none], 1, /has no journal/],
]

for (const [line, code, error] of misuses)
  test(`quipu store ${line[0]} ${line.slice(2).join(' ').replaceAll(data, 'DATA')}: exit ${code}, ${error}`, async () => {
    const done = await command(['store', ...line])
    assert.equal(done.code, code)
    assert.match(done.stderr, error)
    assert.equal(done.stdout, '')
  })
