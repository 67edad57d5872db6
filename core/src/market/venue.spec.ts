import assert from 'node:assert/strict'
import test from 'node:test'
import { must } from '../testing/script-lines.ts'
import { formatNewYork, parseInstant } from '../time.ts'
import { phasesOf, type VenueKind, venueAt } from './venue.ts'

const shown = (at: Parameters<typeof formatNewYork>[0]): string => formatNewYork(at).slice(5, 16)

const clocks: readonly [VenueKind, string, string, boolean][] = [
  // kind, at, then: phase, its end, next open, next close; whether it is a market day
  ['equities', '2026-11-02T08:59:59Z', 'closed 11-02T04:00 11-02T09:30 11-02T16:00', true],
  ['equities', '2026-11-02T09:00:00Z', 'pre 11-02T09:30 11-02T09:30 11-02T16:00', true],
  ['equities', '2026-11-02T14:30:00Z', 'core 11-02T16:00 11-03T09:30 11-02T16:00', true],
  ['equities', '2026-11-02T21:00:00Z', 'post 11-02T20:00 11-03T09:30 11-03T16:00', true],
  ['equities', '2026-11-03T01:00:00Z', 'closed 11-03T04:00 11-03T09:30 11-03T16:00', true],
  // A weekend, a holiday, and the day after it, which ends at 13:00.
  ['equities', '2026-11-07T15:00:00Z', 'closed 11-09T04:00 11-09T09:30 11-09T16:00', false],
  ['equities', '2026-11-26T15:00:00Z', 'closed 11-27T04:00 11-27T09:30 11-27T13:00', false],
  ['equities', '2026-11-27T17:59:59Z', 'core 11-27T13:00 11-30T09:30 11-27T13:00', true],
  ['equities', '2026-11-27T18:00:00Z', 'post 11-27T17:00 11-30T09:30 11-30T16:00', true],
  ['equities', '2026-11-27T22:00:00Z', 'closed 11-30T04:00 11-30T09:30 11-30T16:00', true],
  ['options', '2026-11-02T14:29:59Z', 'closed 11-02T09:30 11-02T09:30 11-02T16:00', true],
  ['options', '2026-11-02T14:30:00Z', 'core 11-02T16:00 11-03T09:30 11-02T16:00', true],
  ['options', '2026-11-02T21:00:00Z', 'closed 11-03T09:30 11-03T09:30 11-03T16:00', true],
  ['overnight', '2026-11-02T15:00:00Z', 'closed 11-02T20:00 11-02T20:00 11-03T04:00', true],
  ['overnight', '2026-11-03T01:00:00Z', 'core 11-03T04:00 11-03T20:00 11-03T04:00', true],
  ['overnight', '2026-11-03T08:59:59Z', 'core 11-03T04:00 11-03T20:00 11-03T04:00', true],
  ['overnight', '2026-11-03T09:00:00Z', 'closed 11-03T20:00 11-03T20:00 11-04T04:00', true],
  // Closed from Friday evening until Sunday evening.
  ['overnight', '2026-11-07T01:00:00Z', 'closed 11-08T20:00 11-08T20:00 11-09T04:00', true],
  ['overnight', '2026-11-09T02:00:00Z', 'core 11-09T04:00 11-09T20:00 11-09T04:00', false],
]

for (const [kind, at, expected, isMarketDay] of clocks)
  test(`${kind} at ${at}: ${expected}`, () => {
    const clock = venueAt(kind, must(parseInstant(at)))
    const { phase, until, nextOpen, nextClose } = clock
    assert.equal([phase, shown(until), shown(nextOpen), shown(nextClose)].join(' '), expected)
    assert.equal(clock.isMarketDay, isMarketDay)
  })

const days: readonly [VenueKind, string, string][] = [
  ['equities', '2026-11-27', 'pre 04:00-09:30, core 09:30-13:00, post 13:00-17:00'],
  ['options', '2026-11-27', 'core 09:30-13:00'],
  ['overnight', '2026-11-27', 'core 20:00-04:00'],
  ['equities', '2026-11-26', ''],
  ['overnight', '2026-11-26', ''],
]

for (const [kind, date, expected] of days)
  test(`${kind} on ${date}: ${expected || 'closed'}`, () => {
    const spans = phasesOf(kind, date as never).map(
      ({ phase, from, to }) => `${phase} ${shown(from).slice(6)}-${shown(to).slice(6)}`,
    )
    assert.equal(spans.join(', '), expected)
  })
