import assert from 'node:assert/strict'
import test from 'node:test'
import type { RunId } from '../ids.ts'
import { TestWorld } from '../testing/world.ts'

const limits = { runs: 3, bytes: 100 }
const store = (id: string, bytes: number, isRunning = false) =>
  ({
    kind: 'storeRun',
    runId: id as RunId,
    owner: 'ada',
    bytes,
    file: `file of ${id}`,
    record: '{}',
    isRunning,
    limits,
  }) as const

function codes(world: TestWorld): string {
  return [...world.state.runs.values()]
    .map(({ id, number, isPinned }) => `${id}${number}${isPinned ? '*' : ''}`)
    .join(' ')
}

test('the oldest run that is not pinned is deleted first, by count and by bytes', () => {
  const world = new TestWorld()
  const reason = (decision: ReturnType<TestWorld['submit']>) => (decision.ok ? 'ok' : decision.reason.code)
  for (const id of ['a', 'b', 'c']) assert.equal(reason(world.submit(store(id, 10))), 'ok')
  world.submit({ kind: 'pinRun', runId: 'a' as RunId, isPinned: true })
  assert.equal(reason(world.submit(store('d', 10))), 'ok')
  assert.equal(codes(world), 'a1* c3 d4')
  assert.equal(reason(world.submit(store('e', 75))), 'ok')
  assert.equal(codes(world), 'a1* d4 e5')
  assert.equal(reason(world.submit(store('f', 95))), 'runLimitReached')
  assert.equal(codes(world), 'a1* d4 e5')
  assert.equal(reason(world.submit(store('e', 1))), 'runExists')
  assert.equal(reason(world.submit({ kind: 'deleteRun', runId: 'e' as RunId })), 'ok')
  assert.equal(reason(world.submit({ kind: 'deleteRun', runId: 'e' as RunId })), 'runNotFound')
  assert.equal(reason(world.submit(store('g', 1))), 'ok')
  assert.equal(codes(world), 'a1* d4 g6')
})

test('a running run is replaced once, under its number', () => {
  const world = new TestWorld()
  world.submit(store('a', 10, true))
  assert.equal(world.submit(store('a', 20)).ok, true)
  assert.equal(codes(world), 'a1')
  assert.equal(world.submit(store('a', 30)).ok, false)
})
