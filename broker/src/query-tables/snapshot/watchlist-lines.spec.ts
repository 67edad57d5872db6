import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountId,
  apply,
  type BrokerEvent,
  emptyState,
  encode,
  type Instant,
  listsOf,
  type Money,
  type WatchlistId,
} from '@quipu/core'
import { stateLines } from './state-lines.ts'
import { StateReader } from './state-reader.ts'

const accountId = 'someone' as AccountId
const at = 1_793_631_600_000_000_000n as Instant
const settings = {
  seed: 'lines',
  hours: 'always',
  fillSize: 'unlimited',
  latencyNs: 0n,
  startingCash: 0n as Money,
} as const

const of = (id: string, name: string, ...symbols: string[]) =>
  ({ at, accountId, watchlistId: id as WatchlistId, name, symbols: symbols as never }) as const

const events: readonly BrokerEvent[] = [
  { kind: 'worldOpened', at, settings },
  { kind: 'partnerAdded', at, partnerId: 'partner' as never, name: 'partner' },
  {
    kind: 'accountOpened',
    at,
    accountId,
    number: 'PA1',
    flavour: 'paper',
    partnerId: 'partner' as never,
    cash: 0n as Money,
    date: '2026-10-30' as never,
    posting: [],
  },
  { kind: 'watchlistCreated', ...of('b', 'Second letter', 'KO', 'BTC/USD') },
  { kind: 'watchlistCreated', ...of('a', 'First letter') },
  { kind: 'watchlistChanged', ...of('b', '~ renamed', 'F', 'KO') },
]

test('a snapshot keeps watchlists unchanged and in order', () => {
  const state = emptyState()
  for (const event of events) apply(state, event)
  const reader = new StateReader()
  for (const line of stateLines(state)) reader.take(line)
  assert.equal(encode(reader.state), encode(state))
  assert.deepEqual(
    listsOf(reader.state!, accountId).map(({ name, symbols }) => `${name}: ${symbols.join(' ')}`),
    ['~ renamed: F KO', 'First letter: '],
  )
})
