import assert from 'node:assert/strict'
import test from 'node:test'
import type { BrokerEvent } from '@quipu/core'
import { eventToWire, legsToWire, plainEvent } from './event-wire.ts'

const at = 1_793_631_600_000_000_000n

const rows: readonly (readonly [string, unknown, unknown])[] = [
  ['an amount is a decimal', { cash: 562_500_000_000n }, { cash: '562.5' }],
  ['an instant is a timestamp', { at, dueAt: at, due: at, from: at, to: at }, byName('at dueAt due from to')],
  [
    'the value of fills is in dollars',
    { filledValue: 562_500_000_000n * 1_000_000_000n },
    { filledValue: '562.5' },
  ],
  ['nanoseconds are integers', { latencyNs: 5n }, { latencyNs: '5' }],
  [
    'the numbers of a chain are integers',
    { block: 7n, chainId: 1n, dust: 3n, nonce: 0n, units: 10n },
    { block: '7', chainId: '1', dust: '3', nonce: '0', units: '10' },
  ],
  ['a map is a record', { marks: new Map([['AAPL', 1_000_000_000n]]) }, { marks: { AAPL: '1' } }],
  ['a set is a list', { scopes: new Set(['data']) }, { scopes: ['data'] }],
  ['lists are lists', [{ price: 1_000_000_000n }, null, true, 'x'], [{ price: '1' }, null, true, 'x']],
]

function byName(names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, '2026-11-02T15:00:00Z']))
}

for (const [name, value, wire] of rows)
  test(name, () => {
    assert.deepEqual(plainEvent(value), wire)
  })

const transfer = {
  kind: 'transferBooked',
  at,
  accountId: 'ada',
  posting: [
    { account: 'bank', asset: 'USD', amount: -5_000_000_000n },
    { account: 'customer:ada:settled', asset: 'USD', amount: 5_000_000_000n },
  ],
} as unknown as BrokerEvent

test('a leg names its customer account and the request', () => {
  const legs = legsToWire({ seq: 7, event: transfer, cause: 'r1' })
  assert.deepEqual(
    legs.map(({ leg, amount, account_id, request_id }) => [leg, amount, account_id, request_id]),
    [
      [0, '-5', undefined, 'r1'],
      [1, '5', 'ada', 'r1'],
    ],
  )
})

test('an event without a request has no request_id', () => {
  assert.doesNotMatch(JSON.stringify(eventToWire({ seq: 7, event: transfer })), /request_id/)
})
