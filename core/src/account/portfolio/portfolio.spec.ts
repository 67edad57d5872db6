import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Money, type Price, type Quantity } from '../../amount.ts'
import { definedFields } from '../../defined-fields.ts'
import type { Ticker } from '../../ids.ts'
import { formatInstant, type Instant, parseInstant } from '../../time.ts'
import { type Close, decodeClose, encodeClose } from '../positions/holdings.ts'
import { equitiesAt, type Marks, type PortfolioStep, stepsOfCloses } from './portfolio.ts'
import {
  daysOf,
  type HistoryFrame,
  type Period,
  periodEnd,
  periodStart,
  type Reporting,
  windowsOf,
} from './portfolio-windows.ts'

const at = (text: string): Instant => {
  const parsed = parseInstant(text)
  if (!parsed.ok) throw new Error(text)
  return parsed.value
}
const units = (count: number): bigint => BigInt(Math.round(count * 1e9))
const short = (instant: Instant): string => formatInstant(instant).slice(5, 16)

/** Number of windows; label and end of the first two and of the last. */
function windowsText(from: string, to: string, frame: HistoryFrame, reporting: Reporting, now = to): string {
  const all = windowsOf({ from: at(from), to: at(to), now: at(now), frame, reporting })
  const [first, second] = all
  const parts = [first, second, all.at(-1)].map((one) =>
    one ? `${short(one.label)}>${short(one.end)}` : '-',
  )
  return `${all.length}: ${parts.join(' ')}`
}

// Monday 2 to Friday 6 November 2026; New York is five hours behind UTC. 27 November has an early close.
for (const [from, to, frame, reporting, then] of [
  [
    '2026-11-02T05:00:00Z',
    '2026-11-03T04:59:59Z',
    1,
    'regular',
    '390: 11-02T14:30>11-02T14:31 11-02T14:31>11-02T14:32 11-02T20:59>11-02T21:00',
  ],
  [
    '2026-11-02T05:00:00Z',
    '2026-11-03T04:59:59Z',
    60,
    'regular',
    '7: 11-02T14:30>11-02T15:30 11-02T15:30>11-02T16:30 11-02T20:30>11-02T21:00',
  ],
  [
    '2026-11-02T05:00:00Z',
    '2026-11-03T04:59:59Z',
    15,
    'extended',
    '64: 11-02T09:00>11-02T09:15 11-02T09:15>11-02T09:30 11-03T00:45>11-03T01:00',
  ],
  [
    '2026-11-27T05:00:00Z',
    '2026-11-28T04:59:59Z',
    60,
    'regular',
    '4: 11-27T14:30>11-27T15:30 11-27T15:30>11-27T16:30 11-27T17:30>11-27T18:00',
  ],
  ['2026-11-07T05:00:00Z', '2026-11-08T20:00:00Z', 60, 'regular', '0: - - -'],
  [
    '2026-11-07T05:07:00Z',
    '2026-11-07T07:00:00Z',
    60,
    'continuous',
    '3: 11-07T05:00>11-07T06:00 11-07T06:00>11-07T07:00 11-07T07:00>11-07T08:00',
  ],
  [
    '2026-11-02T15:07:30Z',
    '2026-11-02T15:20:00Z',
    5,
    'regular',
    '4: 11-02T15:05>11-02T15:10 11-02T15:10>11-02T15:15 11-02T15:20>11-02T15:25',
  ],
  [
    '2026-11-02T15:00:00Z',
    '2026-11-09T15:00:00Z',
    'day',
    'regular',
    '6: 11-03T01:00>11-02T21:00 11-04T01:00>11-03T21:00 11-10T01:00>11-09T21:00',
  ],
] as const)
  test(`${from} to ${to} in frames of ${frame}, ${reporting}: ${then}`, () =>
    assert.equal(windowsText(from, to, frame, reporting), then))

test('windows and days that have not started are omitted', () => {
  const [from, to] = ['2026-11-02T05:00:00Z', '2026-11-04T05:00:00Z']
  assert.equal(
    windowsText(from, to, 60, 'regular', '2026-11-02T15:45:00Z'),
    '2: 11-02T14:30>11-02T15:30 11-02T15:30>11-02T16:30 11-02T15:30>11-02T16:30',
  )
  assert.equal(windowsText(from, to, 'day', 'regular', '2026-11-03T14:29:59Z').slice(0, 2), '1:')
  assert.equal(windowsText(from, to, 'day', 'regular', '2026-11-03T14:30:00Z').slice(0, 2), '2:')
})

for (const [end, count, unit, reporting, then] of [
  // Tuesday, 10:00 in New York.
  ['2026-11-03T15:00:00Z', 1, 'day', 'regular', '2026-11-03T14:30:00Z'],
  ['2026-11-03T15:00:00Z', 2, 'day', 'regular', '2026-11-02T14:30:00Z'],
  ['2026-11-03T15:00:00Z', 3, 'day', 'extended', '2026-10-30T08:00:00Z'],
  ['2026-11-03T15:00:00Z', 1, 'day', 'continuous', '2026-11-02T15:00:00Z'],
  // Before the open and on a Sunday, the last trading day is the previous one.
  ['2026-11-03T14:00:00Z', 1, 'day', 'regular', '2026-11-02T14:30:00Z'],
  ['2026-11-08T15:00:00Z', 1, 'day', 'regular', '2026-11-06T14:30:00Z'],
  ['2026-11-03T15:00:00Z', 1, 'week', 'regular', '2026-10-27T14:00:00Z'],
  ['2026-11-03T15:00:00Z', 1, 'month', 'regular', '2026-10-03T14:00:00Z'],
  ['2026-03-31T15:00:00Z', 1, 'month', 'regular', '2026-02-28T16:00:00Z'],
  ['2026-11-03T15:00:00Z', 2, 'year', 'regular', '2024-11-03T15:00:00Z'],
  ['2026-11-03T15:00:00Z', 9999, 'year', 'regular', '1970-01-03T15:00:00Z'],
] as const)
  test(`${count} ${unit} before ${end}, ${reporting}, is ${then}`, () =>
    assert.equal(formatInstant(periodStart(at(end), { count, unit }, reporting)), then))

test('the end of a period that starts at an instant', () => {
  const end = (count: number, unit: Period['unit']) =>
    formatInstant(periodEnd(at('2026-01-31T15:00:00Z'), { count, unit }))
  assert.deepEqual(
    [end(1, 'day'), end(1, 'week'), end(1, 'month'), end(1, 'year')],
    ['2026-02-01T15:00:00Z', '2026-02-07T15:00:00Z', '2026-02-28T15:00:00Z', '2027-01-31T15:00:00Z'],
  )
  assert.deepEqual(
    (['day', 'week', 'month', 'year'] as const).map((unit) => daysOf({ count: 2, unit })),
    [2, 14, 60, 730],
  )
})

const A = 'A' as Ticker
const B = 'B' as Ticker
const step = (time: number, cash: number, symbol?: Ticker, quantity = 0, price?: number): PortfolioStep => ({
  at: BigInt(time) as Instant,
  cash: units(cash) as Money,
  ...definedFields({
    symbol,
    quantity: symbol && (units(quantity) as Quantity),
    price: price === undefined ? undefined : (units(price) as Price),
  }),
})
const marks = (...rows: readonly (readonly [number, number])[]): Marks => ({
  from: rows.map(([time]) => BigInt(time) as Instant),
  prices: rows.map(([, price]) => units(price) as Price),
})
const NOTHING = { cash: 0n as Money, shares: new Map<Ticker, Quantity>() }

/** The equity of an account just before 10, 20, 30 and 40, calculated by hand. */
for (const [what, steps, prices, then] of [
  ['cash alone', [step(5, 1000)], new Map(), '1000 1000 1000 1000'],
  ['no cash before the deposit', [step(25, 1000)], new Map(), '0 0 1000 1000'],
  [
    'a buy, exact to the cent',
    [step(5, 1000), step(12, -300.01, A, 3)],
    new Map([[A, marks([0, 100], [20, 110])]]),
    '1000 999.99 1029.99 1029.99',
  ],
  [
    'a buy and a sale',
    [step(5, 1000), step(12, -300, A, 3), step(22, 220, A, -2)],
    new Map([[A, marks([0, 100], [20, 110])]]),
    '1000 1000 1030 1030',
  ],
  [
    'a short gains as the price falls',
    [step(5, 1000), step(12, 300, A, -3)],
    new Map([[A, marks([0, 100], [20, 90], [30, 120])]]),
    '1000 1000 1030 940',
  ],
  ['a deposit shows in the equity', [step(5, 1000), step(22, 500)], new Map(), '1000 1000 1500 1500'],
  [
    'a crypto purchase with a fee',
    [step(5, 1000), step(12, -500, B, 0.5), step(12, 0, B, -0.00125)],
    new Map([[B, marks([0, 1000], [30, 1100])]]),
    '1000 998.75 998.75 1048.625',
  ],
  [
    'a split of two for one',
    [step(5, 1000), step(12, -300, A, 3), step(25, 0, A, 3)],
    new Map([[A, marks([0, 100], [25, 50])]]),
    '1000 1000 1000 1000',
  ],
  [
    'no price except the price of the fill',
    [step(5, 1000), step(12, -300, A, 3, 100)],
    new Map(),
    '1000 1000 1000 1000',
  ],
  [
    'a step at the instant itself does not count yet',
    [step(5, 1000), step(20, 500)],
    new Map(),
    '1000 1000 1500 1500',
  ],
] as const)
  test(`${what}: ${then}`, () => {
    const instants = [10n, 20n, 30n, 40n] as Instant[]
    const equities = equitiesAt(instants, NOTHING, steps, prices as ReadonlyMap<Ticker, Marks>)
    assert.equal(equities.map(format).join(' '), then)
  })

test('closes are encoded and decoded, and their differences are steps', () => {
  const close = (date: string, cash: number, shares: readonly (readonly [Ticker, number])[]): Close => ({
    date: date as never,
    at: at(`${date}T21:00:00Z`),
    seq: 7,
    cash: units(cash) as Money,
    shares: new Map(shares.map(([symbol, count]) => [symbol, units(count) as Quantity])),
  })
  const closes = [
    close('2026-11-02', 1000, []),
    close('2026-11-03', 700, [[A, 3]]),
    close('2026-11-05', 900, [[B, -1]]),
  ]
  for (const one of closes) assert.deepEqual(decodeClose(encodeClose(one)), one)
  const steps = stepsOfCloses(closes, (close) => close.at)
  const days = ['02', '03', '04', '05', '06'].map((day) => at(`2026-11-${day}T21:00:00Z`))
  const prices = new Map([
    [A, marks([0, 100])],
    [B, marks([0, 200])],
  ])
  assert.equal(equitiesAt(days, NOTHING, steps, prices).map(format).join(' '), '1000 1000 1000 700 700')
})
