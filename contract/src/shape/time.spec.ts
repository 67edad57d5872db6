import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentOf } from './time.ts'

const instant = (ms: number, nanos = 0n) => BigInt(ms) * 1_000_000n + nanos

const rows: readonly [text: string, nanos: bigint | undefined][] = [
  ['2026-01-01T00:00:00Z', instant(Date.UTC(2026, 0, 1))],
  ['2026-01-01T00:00:00.000Z', instant(Date.UTC(2026, 0, 1))],
  ['2026-01-01t00:00:00z', instant(Date.UTC(2026, 0, 1))],
  ['2026-01-01T00:00:00+00:00', instant(Date.UTC(2026, 0, 1))],
  // The '+' of a query that was not escaped.
  ['2026-01-01T00:00:00 00:00', instant(Date.UTC(2026, 0, 1))],
  ['2026-01-01T00:00:00 02:00', instant(Date.UTC(2025, 11, 31, 22))],
  ['2026-01-01T00:00:00-05:00', instant(Date.UTC(2026, 0, 1, 5))],
  ['2026-01-01T00:00:00+0530', instant(Date.UTC(2025, 11, 31, 18, 30))],
  ['2026-01-01T09:30Z', instant(Date.UTC(2026, 0, 1, 9, 30))],
  ['2026-01-01 09:30:00Z', instant(Date.UTC(2026, 0, 1, 9, 30))],
  ['2026-01-01T00:00:00.123456789Z', instant(Date.UTC(2026, 0, 1), 123_456_789n)],
  ['2026-01-01T00:00:00.5Z', instant(Date.UTC(2026, 0, 1), 500_000_000n)],
  ['1969-12-31T23:59:59.5Z', -500_000_000n],
  // The broker's own Postman collection sends one digit.
  ['2026-01-01T0:00:00Z', instant(Date.UTC(2026, 0, 1))],
  ['2026-01-01T9:30:00-05:00', instant(Date.UTC(2026, 0, 1, 14, 30))],
  ['2026-01-01T9:3:00Z', undefined],
  ['2026-01-01T:30:00Z', undefined],
  ['2024-02-29', instant(Date.UTC(2024, 1, 29))],
  ['2026-02-29', undefined],
  ['2026-13-01', undefined],
  ['2026-01-01T24:00:00Z', undefined],
  ['2026-01-01T00:60:00Z', undefined],
  ['2026-01-01T00:00:00', undefined],
  ['2026-01-01T00:00:00+99:00', undefined],
  ['yesterday', undefined],
  ['1767225600', undefined],
  ['', undefined],
]

for (const [text, nanos] of rows) {
  test(`${JSON.stringify(text)} is ${nanos ?? 'no moment'}`, () => assert.equal(momentOf(text)?.nanos, nanos))
}

test('a date without a time keeps its date', () => {
  assert.equal(momentOf('2026-01-31')?.date, '2026-01-31')
  assert.equal(momentOf('2026-01-31T00:00:00Z')?.date, undefined)
})
