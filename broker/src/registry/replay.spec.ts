import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, formatInstant, HOUR, type Instant, MINUTE, parseInstant } from '@quipu/core'
import { stepsOf } from './replay.ts'

const instant = (text: string): Instant => {
  const parsed = parseInstant(text)
  if (!parsed.ok) throw new Error(text)
  return parsed.value
}

function stops(from: string, stepNs: bigint | undefined, count: number, allHours = false): readonly string[] {
  const stepAfter = stepsOf({ to: instant('2026-12-31T00:00:00Z'), stepNs, allHours })
  const found: string[] = []
  let now = instant(from)
  for (let n = 0; n < count; n++) {
    now = stepAfter(now)
    found.push(formatInstant(now).slice(5, 16))
  }
  return found
}

test('steps within a day are those of the regular session, from the open to the close', () => {
  // Friday, 2026-01-30; the next session is on Monday.
  assert.deepEqual(stops('2026-01-30T19:59:30Z', HOUR, 4), [
    '01-30T20:30',
    '01-30T21:00',
    '02-02T14:30',
    '02-02T15:30',
  ])
  assert.deepEqual(stops('2026-01-30T14:30:00Z', MINUTE, 2), ['01-30T14:31', '01-30T14:32'])
  // An early close: 2026-11-27, 13:00 in New York.
  assert.deepEqual(stops('2026-11-27T17:45:00Z', HOUR, 2), ['11-27T18:00', '11-30T14:30'])
})

test('steps of whole days end at the close of every day, or of every second day', () => {
  assert.deepEqual(stops('2026-01-29T00:00:00Z', DAY, 3), ['01-29T21:00', '01-30T21:00', '02-02T21:00'])
  assert.deepEqual(stops('2026-01-29T00:00:00Z', 2n * DAY, 2), ['01-30T21:00', '02-03T21:00'])
})

test('steps at all hours have the same length, and without a step the first stop is the end', () => {
  assert.deepEqual(stops('2026-01-30T20:30:00Z', HOUR, 2, true), ['01-30T21:30', '01-30T22:30'])
  assert.deepEqual(stops('2026-01-30T20:30:00Z', undefined, 1), ['12-31T00:00'])
})
