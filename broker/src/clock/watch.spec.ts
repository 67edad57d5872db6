import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import { ClockWatch, clockBehindSeconds, clockWarning } from './watch.ts'

const SECOND = 1_000_000_000n
const START_MS = Date.parse('2026-01-05T15:00:00Z')

/** A world whose last event is at 0 s and whose clock shows these seconds. */
const worldAt = (clock: { seconds: bigint }, isUp = true) => ({
  id: 'main',
  status: { isUp },
  clock: { now: () => (clock.seconds * SECOND) as Instant },
  get view() {
    if (!isUp) throw new Error('the world is being rebuilt')
    return { lastAt: 0n as Instant }
  },
})

test('a clock is behind when the last event is more than a minute ahead of it', () => {
  for (const [seconds, behind] of [
    [3_600n, 0],
    [0n, 0],
    [-60n, 0],
    [-61n, 61],
    [-86_400n, 86_400],
  ] as const)
    assert.equal(clockBehindSeconds(worldAt({ seconds })), behind)
  assert.equal(clockBehindSeconds(worldAt({ seconds: -100n }, false)), 0, 'a world that is down is not read')
  assert.equal(clockWarning(worldAt({ seconds: 0n })), undefined)
  assert.match(
    clockWarning(worldAt({ seconds: -61n }))!,
    /^the wall clock is 61 s behind the last event of main;/,
  )
})

test('each minute behind and each step of more than a minute is logged', (t) => {
  const lines: string[] = []
  const clock = { seconds: 0n }
  const watch = new ClockWatch(worldAt(clock), (message, { seconds = '' }) => {
    lines.push(`${message.slice(0, 22)}${seconds && ` by ${seconds}`}`)
  })
  t.after(() => watch.close())
  let stepMs = 0
  const at = (second: number) => {
    watch.check(START_MS + second * 1_000 + stepMs, second * 1_000)
    return lines.splice(0)
  }
  at(0)
  stepMs = 60_000
  assert.deepEqual(at(1), [], 'a correction')
  stepMs += 3_600_000
  assert.deepEqual(at(2), ['the wall clock stepped by 3600'])
  assert.deepEqual(at(3), [])
  stepMs -= 3_600_000
  clock.seconds = -3_600n
  assert.deepEqual(at(4), ['the wall clock stepped by -3600', 'the wall clock is 3600'])
  assert.deepEqual(at(5), [])
  assert.deepEqual(at(63), [])
  assert.deepEqual(at(64), ['the wall clock is 3600'])
  clock.seconds = 0n
  assert.deepEqual(at(124), [])
})
