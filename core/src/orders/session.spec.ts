import assert from 'node:assert/strict'
import test from 'node:test'
import type { Ticker } from '../ids.ts'
import { must } from '../testing/script-lines.ts'
import { plainWorld } from '../testing/world.ts'
import { formatInstant, parseInstant } from '../time.ts'
import type { TimeInForce } from './kinds.ts'
import { arrival, expiryOf, sessionEntry, tradesAt } from './session.ts'

const nyse = { ...plainWorld, hours: 'nyse', latencyNs: 0n } as const
const always = { ...nyse, hours: 'always' } as const
const terms = (symbol: string, timeInForce: TimeInForce, extendedHours = false) => ({
  symbol: symbol as Ticker,
  timeInForce,
  extendedHours,
})
const at = (text: string) => must(parseInstant(text))

/** 2 November 2026 is a Monday in New York's winter time; the session of 27 November ends at 13:00. */
for (const [settings, order, placed, status, due, expiry] of [
  // During the session, before it, after it, and on a weekend.
  [
    nyse,
    terms('AAPL', 'day'),
    '2026-11-02T15:00:00Z',
    'pendingNew',
    '2026-11-02T15:00:00Z',
    '2026-11-02T21:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'day'),
    '2026-11-02T10:00:00Z',
    'pendingNew',
    '2026-11-02T10:00:00Z',
    '2026-11-02T21:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'day'),
    '2026-11-02T08:00:00Z',
    'accepted',
    '2026-11-02T09:00:00Z',
    '2026-11-02T21:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'day'),
    '2026-11-02T21:00:00Z',
    'accepted',
    '2026-11-03T09:00:00Z',
    '2026-11-03T21:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'day'),
    '2026-11-07T15:00:00Z',
    'accepted',
    '2026-11-09T09:00:00Z',
    '2026-11-09T21:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'day'),
    '2026-11-27T17:59:59Z',
    'pendingNew',
    '2026-11-27T17:59:59Z',
    '2026-11-27T18:00:00Z',
  ],
  // Extended hours, until 8 p.m.
  [
    nyse,
    terms('AAPL', 'day', true),
    '2026-11-02T22:00:00Z',
    'pendingNew',
    '2026-11-02T22:00:00Z',
    '2026-11-03T01:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'day', true),
    '2026-11-03T01:00:00Z',
    'accepted',
    '2026-11-03T09:00:00Z',
    '2026-11-04T01:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'gtc', true),
    '2026-11-02T22:00:00Z',
    'pendingNew',
    '2026-11-02T22:00:00Z',
    '2027-01-31T21:15:00Z',
  ],
  // GTC, canceled by age at 4:15 p.m., also across the change to daylight saving time.
  [
    nyse,
    terms('AAPL', 'gtc'),
    '2026-11-02T15:00:00Z',
    'pendingNew',
    '2026-11-02T15:00:00Z',
    '2027-01-31T21:15:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'gtc'),
    '2027-01-04T15:00:00Z',
    'pendingNew',
    '2027-01-04T15:00:00Z',
    '2027-04-04T20:15:00Z',
  ],
  // Auctions: an order placed after an auction waits for the next one.
  [
    nyse,
    terms('AAPL', 'opg'),
    '2026-11-02T14:00:00Z',
    'pendingNew',
    '2026-11-02T14:00:00Z',
    '2026-11-02T14:31:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'opg'),
    '2026-11-03T00:30:00Z',
    'accepted',
    '2026-11-03T09:00:00Z',
    '2026-11-03T14:31:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'opg'),
    '2026-11-07T15:00:00Z',
    'accepted',
    '2026-11-09T09:00:00Z',
    '2026-11-09T14:31:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'cls'),
    '2026-11-02T15:00:00Z',
    'pendingNew',
    '2026-11-02T15:00:00Z',
    '2026-11-02T21:01:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'cls'),
    '2026-11-27T15:00:00Z',
    'pendingNew',
    '2026-11-27T15:00:00Z',
    '2026-11-27T18:01:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'cls'),
    '2026-11-03T00:30:00Z',
    'accepted',
    '2026-11-03T09:00:00Z',
    '2026-11-03T21:01:00Z',
  ],
  [
    always,
    terms('AAPL', 'opg'),
    '2026-11-02T15:00:00Z',
    'pendingNew',
    '2026-11-02T15:00:00Z',
    '2026-11-03T14:31:00Z',
  ],
  [
    always,
    terms('AAPL', 'cls'),
    '2026-11-02T21:30:00Z',
    'pendingNew',
    '2026-11-02T21:30:00Z',
    '2026-11-03T21:01:00Z',
  ],
  // Immediate orders arrive when the session opens.
  [
    nyse,
    terms('AAPL', 'ioc'),
    '2026-11-02T10:00:00Z',
    'pendingNew',
    '2026-11-02T14:30:00Z',
    '2026-11-02T21:00:00Z',
  ],
  [
    nyse,
    terms('AAPL', 'fok'),
    '2026-11-02T22:00:00Z',
    'accepted',
    '2026-11-03T09:00:00Z',
    '2026-11-03T21:00:00Z',
  ],
  [
    always,
    terms('AAPL', 'ioc'),
    '2026-11-02T10:00:00Z',
    'pendingNew',
    '2026-11-02T10:00:00Z',
    '2026-11-02T21:00:00Z',
  ],
  // Crypto pairs trade at any hour.
  [
    nyse,
    terms('BTC/USD', 'gtc'),
    '2026-11-07T15:00:00Z',
    'pendingNew',
    '2026-11-07T15:00:00Z',
    '2027-02-05T21:15:00Z',
  ],
  [
    nyse,
    terms('BTC/USD', 'ioc'),
    '2026-11-07T15:00:00Z',
    'pendingNew',
    '2026-11-07T15:00:00Z',
    '2027-02-05T21:15:00Z',
  ],
  // In `always` hours only the expiry follows New York.
  [
    always,
    terms('AAPL', 'day'),
    '2026-11-07T15:00:00Z',
    'pendingNew',
    '2026-11-07T15:00:00Z',
    '2026-11-09T21:00:00Z',
  ],
  [
    always,
    terms('AAPL', 'day', true),
    '2026-11-02T15:00:00Z',
    'pendingNew',
    '2026-11-02T15:00:00Z',
    '2026-11-02T21:00:00Z',
  ],
] as const)
  test(`${settings.hours}, ${JSON.stringify(order)} at ${placed}: ${status} until ${due}, expires ${expiry}`, () => {
    const entry = sessionEntry(settings, order, at(placed), settings.latencyNs)
    assert.deepEqual([entry.status, formatInstant(entry.due)], [status, due])
    assert.equal(formatInstant(expiryOf(settings, order, at(placed))), expiry)
  })

test('the latency starts when an order leaves for the market', () => {
  const latencyNs = 2_000_000_000n
  const day = terms('AAPL', 'day')
  assert.equal(
    formatInstant(arrival(nyse, day, at('2026-11-02T15:00:00Z'), latencyNs)),
    '2026-11-02T15:00:02Z',
  )
  const ioc = terms('AAPL', 'ioc')
  assert.equal(
    formatInstant(arrival(nyse, ioc, at('2026-11-02T10:00:00Z'), latencyNs)),
    '2026-11-02T14:30:00Z',
  )
})

for (const [kind, time, trades] of [
  ['regular', '2026-11-02T14:29:59Z', false],
  ['regular', '2026-11-02T14:30:00Z', true],
  ['regular', '2026-11-02T21:00:00Z', false],
  ['regular', '2026-11-27T18:00:00Z', false],
  ['extended', '2026-11-02T09:00:00Z', true],
  ['extended', '2026-11-03T00:59:59Z', true],
  ['extended', '2026-11-03T01:00:00Z', false],
  ['extended', '2026-11-07T15:00:00Z', false],
  ['pair', '2026-11-07T15:00:00Z', true],
] as const)
  test(`${kind} orders ${trades ? 'trade' : 'do not trade'} at ${time}`, () => {
    assert.equal(tradesAt(nyse, kind, at(time)), trades)
    assert.equal(tradesAt(always, kind, at(time)), true)
  })
