import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runTicks } from '../../web/src/screens/runs/run-ticks.ts'

/** A point each minute of some hours. */
const points = (from: string, hours: number) =>
  Array.from({ length: hours * 60 + 1 }, (_, minute) => ({
    at: new Date(Date.parse(from) + minute * 60_000).toISOString(),
  }))

test('the chart of a day has full times, that of several days has days', () => {
  assert.deepEqual(
    runTicks(points('2026-01-05T14:30:00Z', 3)).map(({ label }) => label),
    ['10:00', '10:30', '11:00', '11:30', '12:00'],
  )
  assert.deepEqual(
    runTicks(points('2026-01-05T14:30:00Z', 72)).map(({ label }) => label),
    ['5 Jan', '6 Jan', '7 Jan', '8 Jan'],
  )
  assert.deepEqual(runTicks([]), [])
})

test('ticks are far enough from each other and from the end, and an evening before the first day has none', () => {
  const ticks = runTicks(points('2026-01-04T23:00:00Z', 24 * 40))
  assert.equal(ticks[0]!.label, '5 Jan')
  for (const [at, { share }] of ticks.entries()) {
    assert.ok(share <= 0.95)
    if (at > 0) assert.ok(share - ticks[at - 1]!.share > 0.149)
  }
})
