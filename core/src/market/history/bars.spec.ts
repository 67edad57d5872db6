import assert from 'node:assert/strict'
import test from 'node:test'
import type { Price, Quantity } from '../../amount.ts'
import { formatInstant, type Instant, parseInstant } from '../../time.ts'
import { barStart, EXTENDED_HOURS, foldBars, foldTrades } from './bars.ts'
import { type BarFrame, parseFrame } from './frame.ts'
import type { Bar, Trade } from './tape.ts'

function at(text: string): Instant {
  const parsed = parseInstant(text)
  assert.ok(parsed.ok, text)
  return parsed.value
}

function frameOf(text: string): BarFrame {
  const parsed = parseFrame(text)
  assert.ok(parsed.ok, text)
  return parsed.value
}

for (const [text, unit, count] of [
  ['1Min', 'minute', 1],
  ['59T', 'minute', 59],
  ['1Hour', 'hour', 1],
  ['23H', 'hour', 23],
  ['1Day', 'day', 1],
  ['1D', 'day', 1],
  ['1Week', 'week', 1],
  ['12Month', 'month', 12],
  ['3M', 'month', 3],
] as const)
  test(`${text} is ${count} ${unit}`, () =>
    assert.deepEqual(parseFrame(text), { ok: true, value: { unit, count } }))

for (const text of [
  '',
  '0Min',
  '60Min',
  '1min',
  '24Hour',
  '2Day',
  '2W',
  '5Month',
  '1',
  'Min',
  ' 1Min',
  '01Min',
  '1Min ',
])
  test(`"${text}" is no frame`, () => assert.equal(parseFrame(text).ok, false))

for (const [frame, time, then] of [
  ['1Min', '2026-11-13T14:30:59.999999999Z', '2026-11-13T14:30:00Z'],
  ['5Min', '2026-11-13T14:34:00Z', '2026-11-13T14:30:00Z'],
  ['7Min', '2026-11-13T14:34:00Z', '2026-11-13T14:30:00Z'],
  ['7Min', '2026-11-13T14:37:00Z', '2026-11-13T14:37:00Z'],
  ['1Hour', '2026-11-13T14:34:00Z', '2026-11-13T14:00:00Z'],
  ['4Hour', '2026-11-13T14:34:00Z', '2026-11-13T13:00:00Z'],
  ['4Hour', '2026-07-13T14:34:00Z', '2026-07-13T12:00:00Z'],
  ['23Hour', '2026-11-13T04:30:00Z', '2026-11-13T04:00:00Z'],
  ['1Day', '2026-11-13T04:59:59Z', '2026-11-12T05:00:00Z'],
  ['1Day', '2026-07-13T04:00:00Z', '2026-07-13T04:00:00Z'],
  ['1Week', '2026-11-15T14:00:00Z', '2026-11-09T05:00:00Z'],
  ['1Week', '2026-11-16T14:00:00Z', '2026-11-16T05:00:00Z'],
  ['1Month', '2026-11-15T14:00:00Z', '2026-11-01T04:00:00Z'],
  ['3Month', '2026-11-15T14:00:00Z', '2026-10-01T04:00:00Z'],
  ['12Month', '2026-11-15T14:00:00Z', '2026-01-01T05:00:00Z'],
  // The hour from 1:00 to 2:00 happens twice in the autumn, and not from 2:00 to 3:00 in spring.
  ['1Hour', '2026-11-01T05:30:00Z', '2026-11-01T05:00:00Z'],
  ['1Hour', '2026-11-01T06:30:00Z', '2026-11-01T06:00:00Z'],
  ['1Hour', '2026-11-01T07:30:00Z', '2026-11-01T07:00:00Z'],
  ['1Hour', '2026-03-08T06:59:59Z', '2026-03-08T06:00:00Z'],
  ['1Hour', '2026-03-08T07:00:00Z', '2026-03-08T07:00:00Z'],
  ['2Hour', '2026-11-01T06:30:00Z', '2026-11-01T04:00:00Z'],
] as const)
  test(`${time} is in the ${frame} bar of ${then}`, () =>
    assert.equal(formatInstant(barStart(frameOf(frame), at(time))), then))

const trade = (time: string, price: number, size: number, ...conditions: string[]): Trade => ({
  at: at(time),
  price: (BigInt(Math.round(price * 10_000)) * 100_000n) as Price,
  size: (BigInt(size) * 1_000_000_000n) as Quantity,
  side: 'buy',
  id: 1,
  exchange: 'Q',
  tape: 'C',
  conditions: ['@', ...conditions],
})

const TRADES: readonly Trade[] = [
  trade('2026-11-13T14:29:30Z', 9, 50, EXTENDED_HOURS),
  trade('2026-11-13T14:30:00Z', 10.01, 100),
  trade('2026-11-13T14:30:59Z', 10.03, 300),
  trade('2026-11-13T14:31:00Z', 10, 1),
  trade('2026-11-13T21:00:00Z', 11, 40, EXTENDED_HOURS),
]

const row = ({ start, open, high, low, close, volume, trades, vwap }: Bar): string =>
  [formatInstant(start).slice(11, 16), open, high, low, close, volume, trades, vwap].join(' ')

test('a minute bar contains all trades, also those in extended hours', () =>
  assert.deepEqual(foldTrades(TRADES, { unit: 'minute', count: 1 }).map(row), [
    '14:29 9 9 9 9 50 1 9',
    '14:30 10.01 10.03 10.01 10.03 400 2 10.025',
    '14:31 10 10 10 10 1 1 10',
    '21:00 11 11 11 11 40 1 11',
  ]))

test('a day bar has the prices of its session and the volume of all its trades', () =>
  assert.deepEqual(foldTrades(TRADES, { unit: 'day', count: 1 }).map(row), [
    '05:00 10.01 10.03 10 10 491 5 10.024938',
  ]))

test('a day without a trade in its session has no bar', () =>
  assert.deepEqual(foldTrades([TRADES[0]!, TRADES[4]!], { unit: 'day', count: 1 }), []))

test('longer bars fold shorter ones, their averages by volume', () =>
  assert.deepEqual(foldBars(foldTrades(TRADES, { unit: 'minute', count: 1 }), frameOf('1Hour')).map(row), [
    '14:00 9 10.03 9 10 451 4 9.911308',
    '21:00 11 11 11 11 40 1 11',
  ]))
