import assert from 'node:assert/strict'
import test from 'node:test'
import type { CivilDate } from '../civil-date.ts'
import type { Ticker } from '../ids.ts'
import { formatInstant, fromNewYork, type Instant } from '../time.ts'
import { CLOCK_END } from './calendar.ts'
import { checkMarketEvent, type MarketEvent, marketEventBegins, marketEventStatus } from './market-event.ts'

const instantIn = (text: string): Instant => (BigInt(Date.parse(text)) * 1_000_000n) as Instant
const KO = 'KO' as Ticker
const PAIR = 'BTC/USD' as Ticker
const DATE = '2026-11-13' as CivilDate
const SATURDAY = '2026-11-14' as CivilDate
const [noon, one, night] = [fromNewYork(DATE, 720), fromNewYork(DATE, 780), fromNewYork(DATE, 60)]

const rows: readonly (readonly [MarketEvent, string, string])[] = [
  [{ kind: 'halt', symbol: KO, from: noon, to: one, reason: 'newsPending' }, 'ok', '2026-11-13T17:00:00Z'],
  [{ kind: 'halt', symbol: KO, from: one, to: noon, reason: 'newsPending' }, 'to', '2026-11-13T18:00:00Z'],
  [
    { kind: 'pause', symbol: KO, at: noon, minutes: 5, limit: 'up', percent: 5 },
    'ok',
    '2026-11-13T17:00:00Z',
  ],
  [
    { kind: 'pause', symbol: KO, at: noon, minutes: 0, limit: 'up', percent: 5 },
    'minutes',
    '2026-11-13T17:00:00Z',
  ],
  [
    { kind: 'pause', symbol: KO, at: noon, minutes: 5, limit: 'up', percent: 60 },
    'percent',
    '2026-11-13T17:00:00Z',
  ],
  [{ kind: 'crash', at: noon, depth: 0.2, minutes: 10, recovers: true }, 'ok', '2026-11-13T17:00:00Z'],
  [{ kind: 'crash', at: noon, depth: 1, minutes: 10, recovers: true }, 'depth', '2026-11-13T17:00:00Z'],
  [{ kind: 'crash', at: night, depth: 0.2, minutes: 10, recovers: true }, 'at', '2026-11-13T06:00:00Z'],
  [
    { kind: 'crash', symbol: PAIR, at: night, depth: 0.2, minutes: 10, recovers: true },
    'ok',
    '2026-11-13T06:00:00Z',
  ],
  [{ kind: 'gap', on: DATE, percent: -20 }, 'ok', '2026-11-12T21:00:00Z'],
  [{ kind: 'gap', on: DATE, percent: -95 }, 'percent', '2026-11-12T21:00:00Z'],
  [{ kind: 'gap', on: SATURDAY, percent: 5 }, 'on', '2026-11-13T21:00:00Z'],
  [{ kind: 'gap', symbol: PAIR, on: SATURDAY, percent: 5 }, 'ok', '2026-11-14T00:00:00Z'],
  [{ kind: 'thin', times: 5 }, 'ok', '1970-01-01T00:00:00Z'],
  [{ kind: 'thin', times: 0.5 }, 'times', '1970-01-01T00:00:00Z'],
  [{ kind: 'missing', share: 0.1, from: noon }, 'ok', '2026-11-13T17:00:00Z'],
  [{ kind: 'late', share: 1 }, 'share', '1970-01-01T00:00:00Z'],
  [{ kind: 'mistakes', share: Number.NaN }, 'share', '1970-01-01T00:00:00Z'],
]

for (const [event, then, begins] of rows)
  test(`${event.kind} ${then}, from ${begins}`, () => {
    const checked = checkMarketEvent(event)
    assert.equal(checked.ok ? 'ok' : checked.reason.field, then)
    assert.equal(formatInstant(marketEventBegins(event)), begins)
  })

const spans: readonly (readonly [MarketEvent, ends: string | undefined])[] = [
  [{ kind: 'halt', symbol: KO, from: noon, to: one, reason: 'newsPending' }, '2026-11-13T18:00:00Z'],
  [{ kind: 'pause', symbol: KO, at: noon, minutes: 5, limit: 'up', percent: 5 }, '2026-11-13T17:05:00Z'],
  [{ kind: 'crash', at: noon, depth: 0.2, minutes: 10, recovers: false }, '2026-11-13T17:10:00Z'],
  [
    { kind: 'crash', at: fromNewYork(DATE, 955), depth: 0.2, minutes: 10, recovers: true },
    '2026-11-13T21:00:00Z',
  ],
  [
    { kind: 'crash', symbol: PAIR, at: fromNewYork(DATE, 955), depth: 0.2, minutes: 10, recovers: true },
    '2026-11-13T21:05:00Z',
  ],
  [{ kind: 'gap', on: DATE, percent: -20 }, '2026-11-13T14:30:00Z'],
  [{ kind: 'gap', symbol: PAIR, on: SATURDAY, percent: 5 }, '2026-11-14T00:00:00Z'],
  [{ kind: 'thin', times: 5 }, undefined],
  [{ kind: 'late', share: 0.1, from: noon, to: one }, '2026-11-13T18:00:00Z'],
]

for (const [event, ends] of spans)
  test(`${event.kind} ends ${ends ?? 'never'}`, () => {
    const begins = marketEventBegins(event)
    const end = ends === undefined ? undefined : instantIn(ends)
    if (begins > 0n) assert.equal(marketEventStatus(event, (begins - 1n) as Instant), 'pending')
    assert.equal(marketEventStatus(event, begins), begins === end ? 'done' : 'active')
    if (end === undefined) assert.equal(marketEventStatus(event, CLOCK_END), 'active')
    else {
      if (end > begins) assert.equal(marketEventStatus(event, (end - 1n) as Instant), 'active')
      assert.equal(marketEventStatus(event, end), 'done')
    }
  })
