import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import { WallClock, wallNow } from './wall.ts'

const MS = 1_000_000n

test('timers of the wall clock fire in order and not before their time', async () => {
  const clock = new WallClock((error) => assert.fail(String(error)))
  const start = clock.now()
  const fired: { name: string; early: boolean }[] = []
  await new Promise<void>((done) => {
    const set = (name: string, ms: bigint, last = false) => {
      const due = (start + ms * MS) as Instant
      clock.timer(due, 'agenda', () => {
        fired.push({ name, early: clock.now() < due })
        if (last) done()
      })
    }
    set('late', 30n, true)
    set('early', 5n)
    set('overdue', -1000n)
    const cancel = clock.timer((start + 6n * MS) as Instant, 'agenda', () => {
      fired.push({ name: 'canceled', early: false })
    })
    cancel()
    const alive = setInterval(() => fired.length === 3 && clearInterval(alive), 5)
  })
  clock.close()
  assert.deepEqual(fired, [
    { name: 'overdue', early: false },
    { name: 'early', early: false },
    { name: 'late', early: false },
  ])
})

test('a failing timer is reported, and the next one still fires', async () => {
  const errors: unknown[] = []
  const clock = new WallClock((error) => errors.push(error))
  const alive = setInterval(() => undefined, 5)
  clock.timer(wallNow(), 'agenda', () => {
    throw new Error('first')
  })
  clock.timer(wallNow(), 'agenda', async () => {
    throw new Error('second')
  })
  await new Promise<void>((done) => clock.timer((wallNow() + 10n * MS) as Instant, 'agenda', done))
  clearInterval(alive)
  clock.close()
  assert.deepEqual(errors.map(String), ['Error: first', 'Error: second'])
})

test('the wall clock never goes back and follows the system clock', () => {
  let last = wallNow()
  for (let n = 0; n < 10_000; n++) {
    const now = wallNow()
    assert.ok(now >= last)
    last = now
  }
  const before = BigInt(Date.now()) * MS
  const now = wallNow()
  const after = BigInt(Date.now()) * MS
  assert.ok(now > before - 3n * MS && now < after + 4n * MS)
})
