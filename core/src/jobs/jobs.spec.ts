import assert from 'node:assert/strict'
import test from 'node:test'
import { itemsAt } from '../agenda.ts'
import { Teller } from '../testing/world.ts'
import { type Instant, MINUTE, SECOND } from '../time.ts'
import { pauseAfter } from './run.ts'

function withJob() {
  const teller = new Teller()
  for (const line of ['open A 10000', 'open I 0', 'issuer I xstocks AAPL', 'link A xstocks'])
    teller.tell(line)
  for (const line of ['quote AAPL 99 100', 'buy A o1 AAPL 10', 'mint A m1 AAPL 4']) teller.tell(line)
  const job = () => [...teller.state.jobs.values()][0]!
  const planned = () =>
    teller.state.agenda.dues.filter((due) =>
      [...itemsAt(teller.state.agenda, due)].some(({ kind }) => kind === 'runJob'),
    )
  return { teller, job, planned }
}

test('a job is due at once, and stays planned until it is answered', () => {
  const { teller, job, planned } = withJob()
  assert.ok(job().due <= teller.now)
  assert.deepEqual(planned(), [job().due])
  teller.tell('job m1')
  assert.equal(job().attempts, 1)
  assert.ok(job().due > teller.now)
  assert.deepEqual(planned(), [job().due])
  teller.tell('accept m1')
  assert.equal(job().kind, 'issuerConfirm')
  assert.deepEqual(planned(), [job().due])
  teller.tell('complete m1')
  assert.deepEqual(planned(), [])
})

test('a job under way is not begun again before its time', () => {
  const { teller } = withJob()
  teller.tell('job m1')
  assert.equal(teller.tell('job m1'), '')
  teller.tell('wait 121')
  assert.equal(teller.tell('job m1'), 'jobStarted')
})

test('a failed job is tried again after a pause, and says what went wrong', () => {
  const { teller, job } = withJob()
  teller.tell('job m1')
  assert.equal(teller.tell('fail m1'), 'jobFailed')
  assert.equal(job().problem, 'nobody answers')
  assert.ok(job().due >= teller.now + SECOND - 1n && job().due < teller.now + 2n * SECOND)
  teller.tell('wait 2')
  assert.equal(teller.tell('job m1'), 'jobStarted')
  assert.equal(job().attempts, 2)
  assert.equal(teller.tell('accept m1'), 'mintAccepted mintTransferred')
})

test('an issuer that cannot be told of a rejection for a day is not called any more', () => {
  const { teller, job } = withJob()
  for (const line of ['job m1', 'forbid m1']) teller.tell(line)
  assert.equal(job().kind, 'issuerReject')
  const again = () => {
    teller.tell('wait 400')
    return `${teller.tell('job m1')} ${teller.tell('fail m1')}`
  }
  let calls = 0
  for (; again() === 'jobStarted jobFailed'; calls++) assert.ok(calls < 300)
  assert.equal(calls, 215)
  assert.equal(teller.state.jobs.size, 0)
  const id = teller.requests.get('m1')!
  assert.ok(teller.state.closedRequests.has(id), 'the request is let go')
  assert.equal(teller.tell('told m1'), '')
})

for (const [attempts, dice, then] of [
  [1, '0000', SECOND],
  [1, '8000', SECOND + SECOND / 8n],
  [2, '0000', 2n * SECOND],
  [5, '0000', 16n * SECOND],
  [9, '0000', 256n * SECOND],
  [10, '0000', 5n * MINUTE],
  [1000, '0000', 5n * MINUTE],
] as const)
  test(`the pause after ${attempts} attempts with ${dice} is ${then} ns`, () => {
    assert.equal(pauseAfter(attempts, `${dice}0000-0000`), then as Instant)
  })
