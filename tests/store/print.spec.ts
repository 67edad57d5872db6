import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { verifyJournal } from '../../broker/src/journal/walk/verify.ts'
import { startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { copyOf, flip, journalOf, type SampleFolder, sampleFolder } from './sample-folder.ts'

let sample: SampleFolder
before(async () => {
  sample = await sampleFolder()
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
