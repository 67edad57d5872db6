import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type RefusedCommand, RefusedOrders } from './refused-orders.ts'

const refusal = (cause: string): RefusedCommand =>
  ({ cause, at: 7n, command: { kind: 'cancelOrder' }, reason: { code: 'x', limit: 3n } }) as never

const causes = (refused: readonly RefusedCommand[]) => refused.map(({ cause }) => cause)

test('refusals are read again by the next process: the latest of each world, and none of a deleted one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-refused-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'refused-orders.jsonl')
  const first = new RefusedOrders(file, 3)
  first.add('deleted', refusal('a'))
  first.drop('deleted')
  first.add('main', refusal('b'))
  await first.close()
  for (const cause of ['c', 'd', 'e']) first.add('main', refusal(cause))
  await first.close()
  // A crash cut off the last line.
  appendFileSync(file, '{"world":"main","ref')
  const second = new RefusedOrders(file, 3)
  assert.deepEqual(second.take('main'), ['c', 'd', 'e'].map(refusal))
  assert.deepEqual(second.take('main'), [])
  assert.deepEqual(second.take('deleted'), [])
})

test('two files are the most, and each has about as many lines as allowed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-refused-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'refused-orders.jsonl')
  const store = new RefusedOrders(file, 10)
  for (let number = 0; number < 100; number++) {
    store.add('main', refusal(`r${number}`))
    if (number % 4 === 3) await store.close()
  }
  await store.close()
  const lines = [file, `${file}.older`].map((path) => readFileSync(path, 'utf8').split('\n').length - 1)
  assert(Math.max(...lines) <= 14, `${lines}`)
  assert.equal(statSync(file).mode & 0o077, 0)
  assert.deepEqual(causes(new RefusedOrders(file, 10).take('main')).at(-1), 'r99')
  // A flood between two writes keeps the latest.
  for (let number = 0; number < 1_000; number++) store.add('main', refusal(`flood${number}`))
  await store.close()
  assert.deepEqual(
    causes(new RefusedOrders(file, 10).take('main')),
    Array.from({ length: 10 }, (_, index) => `flood${990 + index}`),
  )
})
