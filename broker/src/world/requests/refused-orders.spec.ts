import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type RefusedCommand, RefusedOrders } from './refused-orders.ts'

const refusal = (cause: string): RefusedCommand =>
  ({ cause, at: 7n, command: { kind: 'cancelOrder' }, reason: { code: 'x', limit: 3n } }) as never

/** The refusals of these requests that the next process finds, by request. */
async function found(
  store: RefusedOrders,
  world: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const refusals = await Promise.all(ids.map((id) => store.find(world, id)))
  return refusals.flatMap((refused) => refused?.cause ?? [])
}

test('refusals are read again by the next process: the latest of each world, and none of a deleted one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-refused-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'refused-orders.jsonl')
  const first = new RefusedOrders(file, 3)
  first.add('deleted', refusal('a'))
  first.drop('deleted')
  first.add('main', refusal('b'))
  await first.written()
  for (const cause of ['c', 'd', 'e']) first.add('main', refusal(cause))
  await first.written()
  // A crash cut off the last line.
  appendFileSync(file, '{"world":"main","ref')
  const second = new RefusedOrders(file, 3)
  assert.deepEqual(await second.find('main', 'c'), refusal('c'))
  assert.deepEqual(await found(second, 'main', ['a', 'b', 'c', 'd', 'e']), ['c', 'd', 'e'])
  assert.deepEqual(await found(second, 'deleted', ['a']), [])
})

test('two files are the most, and each has about as many lines as allowed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-refused-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'refused-orders.jsonl')
  const store = new RefusedOrders(file, 10)
  for (let number = 0; number < 100; number++) {
    store.add('main', refusal(`r${number}`))
    if (number % 4 === 3) await store.written()
  }
  await store.written()
  const lines = [file, `${file}.older`].map((path) => readFileSync(path, 'utf8').split('\n').length - 1)
  assert(Math.max(...lines) <= 14, `${lines}`)
  assert.equal(statSync(file).mode & 0o077, 0)
  assert.deepEqual(await found(new RefusedOrders(file, 10), 'main', ['r99']), ['r99'])
  // A flood between two writes keeps the latest.
  for (let number = 0; number < 1_000; number++) store.add('main', refusal(`flood${number}`))
  await store.written()
  const flood = Array.from({ length: 1_000 }, (_, index) => `flood${index}`)
  assert.deepEqual(await found(new RefusedOrders(file, 10), 'main', flood), flood.slice(-10))
})
