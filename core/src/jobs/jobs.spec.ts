import assert from 'node:assert/strict'
import test from 'node:test'
import { itemsAt } from '../agenda.ts'
import { TestWorld } from '../testing/world.ts'
import { type Instant, MINUTE, SECOND } from '../time.ts'
import { pauseAfter } from './run.ts'

function withJob() {
  const world = new TestWorld()
  for (const line of ['open A 10000', 'open I 0', 'issuer I xstocks AAPL', 'link A xstocks']) world.run(line)
  for (const line of ['quote AAPL 99 100', 'buy A o1 AAPL 10', 'mint A m1 AAPL 4']) world.run(line)
  const job = () => [...world.state.jobs.values()][0]!
  const scheduled = () =>
    world.state.agenda.dues.filter((due) =>
      [...itemsAt(world.state.agenda, due)].some(({ kind }) => kind === 'runJob'),
    )
  return { world, job, scheduled }
}

test('a job is due immediately, and stays scheduled until it is answered', () => {
  const { world, job, scheduled } = withJob()
  assert.ok(job().due <= world.now)
  assert.deepEqual(scheduled(), [job().due])
  world.run('job m1')
  assert.equal(job().attempts, 1)
  assert.ok(job().due > world.now)
  assert.deepEqual(scheduled(), [job().due])
  world.run('accept m1')
  assert.equal(job().kind, 'issuerConfirm')
  assert.deepEqual(scheduled(), [job().due])
  world.run('complete m1')
  assert.deepEqual(scheduled(), [])
})

test('a started job is not started again before its next attempt is due', () => {
  const { world } = withJob()
  world.run('job m1')
  assert.equal(world.run('job m1'), '')
  world.run('wait 121')
  assert.equal(world.run('job m1'), 'jobStarted')
})

test('a failed job is retried after a pause, and stores its error', () => {
  const { world, job } = withJob()
  world.run('job m1')
  assert.equal(world.run('fail m1'), 'jobFailed')
  assert.equal(job().problem, 'nobody answers')
  assert.ok(job().due >= world.now + SECOND - 1n && job().due < world.now + 2n * SECOND)
  world.run('wait 2')
  assert.equal(world.run('job m1'), 'jobStarted')
  assert.equal(job().attempts, 2)
  assert.equal(world.run('accept m1'), 'mintAccepted mintTransferred')
})

test('reporting a rejection to an issuer is given up after a day', () => {
  const { world, job } = withJob()
  for (const line of ['job m1', 'forbid m1']) world.run(line)
  assert.equal(job().kind, 'issuerReject')
  const retry = () => {
    world.run('wait 400')
    return `${world.run('job m1')} ${world.run('fail m1')}`
  }
  let calls = 0
  for (; retry() === 'jobStarted jobFailed'; calls++) assert.ok(calls < 300)
  assert.equal(calls, 215)
  assert.equal(world.state.jobs.size, 0)
  const id = world.requests.get('m1')!
  assert.ok(world.state.closedRequests.has(id), 'the request is closed')
  assert.equal(world.run('acknowledge m1'), '')
})

for (const [attempts, hex, then] of [
  [1, '0000', SECOND],
  [1, '8000', SECOND + SECOND / 8n],
  [2, '0000', 2n * SECOND],
  [5, '0000', 16n * SECOND],
  [9, '0000', 256n * SECOND],
  [10, '0000', 5n * MINUTE],
  [1000, '0000', 5n * MINUTE],
] as const)
  test(`the pause after ${attempts} attempts with id ${hex}… is ${then} ns`, () => {
    assert.equal(pauseAfter(attempts, `${hex}0000-0000`), then as Instant)
  })
