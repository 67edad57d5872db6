import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from './command.ts'
import { namedSettings } from './values.ts'

for (const [text, expected] of [
  ['reject_share=0.05', { reject_share: '0.05' }],
  ['latency=50ms..2s', { latency: { min: '50ms', max: '2s' } }],
  ['latency=0.5s..2s:long_tail', { latency: { min: '0.5s', max: '2s', shape: 'long_tail' } }],
  ['fill_pieces=2..5,participation=0.1', { fill_pieces: { min: 2, max: 5 }, participation: '0.1' }],
  ['interest_rate=0.065,call_sessions=2', { interest_rate: '0.065', call_sessions: 2 }],
] as const)
  test(`--venue ${text}`, () => assert.deepEqual(namedSettings(text, 'venue'), expected))

for (const text of ['', 'latency', 'latency=', '=1', 'reject_share=0.1,', 'latency=1s..', 'a b=1'])
  test(`--venue ${JSON.stringify(text)} is a usage error`, () =>
    assert.throws(
      () => namedSettings(text, 'venue'),
      (error: unknown) =>
        error instanceof UsageError && error.message.startsWith('--venue: expected name=value'),
    ))
