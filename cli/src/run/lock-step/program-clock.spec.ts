import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ProgramClock } from './program-clock.ts'

test('actions that come while the time is read share the next read, and keep their order', async (t) => {
  const clock = new ProgramClock(mkdtempSync(join(tmpdir(), 'quipu-')))
  t.after(() => clock.close())
  let [reads, readNow] = [0, 0]
  const responses: (() => void)[] = []
  clock.follow(() => {
    reads += 1
    readNow += 1000
    const now = readNow
    return new Promise((resolve) => responses.push(() => resolve(now)))
  })
  const done: string[] = []
  const act = (name: string) => clock.atTime(() => void done.push(`${name} ${clock.now}`))
  const first = act('a')
  await new Promise((resolve) => setImmediate(resolve))
  const others = Array.from({ length: 100 }, (_, index) => act(String(index)))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(reads, 1)
  responses[0]!()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(reads, 2)
  responses[1]!()
  await Promise.all(others)
  assert.deepEqual(done, ['a 1000', ...Array.from({ length: 100 }, (_, index) => `${index} 2000`)])
})
