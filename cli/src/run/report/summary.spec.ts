import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunSummary } from './measure.ts'
import { summaryLines } from './summary.ts'

const replay = {
  mode: 'exact',
  finished: true,
  steps: 2,
  waits: 3,
  elapsed_ms: 1,
  client_ms: 1,
  inexact: [],
  slept_steps: 0,
}
const empty = {
  profit_loss: 0,
  equity_at_start: 0,
  equity_at_end: 0,
  max_drawdown: 0,
  requests: 0,
  fills: [],
  orders: {},
  refusals: [],
  unfilled: [],
  symbols: { listed: [], unknown: [] },
}

const line = (from: string, to: string): string | undefined =>
  summaryLines({ ...empty, replay, started_at: from, ended_at: to } as unknown as RunSummary).find((one) =>
    one.includes('replay'),
  )

for (const [title, from, to, expected] of [
  [
    'a year to the end of its last day',
    '2025-01-02T05:00:00Z',
    '2026-01-01T05:00:00Z',
    '2025-01-02 to 2025-12-31',
  ],
  ['a part of a day', '2026-01-05T14:35:00Z', '2026-01-05T14:50:00Z', '2026-01-05 to 2026-01-05'],
  ['an evening in New York', '2026-01-06T01:00:00Z', '2026-01-06T02:00:00Z', '2026-01-05 to 2026-01-05'],
] as const)
  test(`a replay names days of New York: ${title}`, () => assert.match(line(from, to)!, new RegExp(expected)))
