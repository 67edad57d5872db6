import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dateOf, dayOf, formatInstant, parseInstant, weekdayOf } from '../time.ts'
import {
  isMarketOpen,
  isTradingDay,
  nextCloseAfter,
  nextOpenAfter,
  nextSession,
  previousSession,
  session,
  sessionsBetween,
  settlementDate,
  tradingDayAt,
  tradingDayIndex,
} from './calendar.ts'

const date = (text: string): CivilDate => text as CivilDate

/** Weekdays without a session, and days that end early, of a year. */
function oddDays(year: string): { closed: string; early: string } {
  const closed: string[] = []
  const early: string[] = []
  for (let day = dayOf(date(`${year}-01-01`)); dateOf(day).startsWith(year); day++) {
    const short = dateOf(day).slice(5)
    if (weekdayOf(day) % 6 !== 0 && !isTradingDay(day)) closed.push(short)
    if (session(dateOf(day))?.isEarly) early.push(short)
  }
  return { closed: closed.join(' '), early: early.join(' ') }
}

for (const [year, closed, early] of [
  ['1970', '01-01 02-23 03-27 07-03 09-07 11-26 12-25', ''],
  ['1972', '02-21 03-31 05-29 07-04 09-04 11-07 11-23 12-25 12-28', ''],
  ['1980', '01-01 02-18 04-04 05-26 07-04 09-01 11-04 11-27 12-25', ''],
  ['1985', '01-01 02-18 04-05 05-27 07-04 09-02 09-27 11-28 12-25', ''],
  [
    '2001',
    '01-01 01-15 02-19 04-13 05-28 07-04 09-03 09-11 09-12 09-13 09-14 11-22 12-25',
    '07-03 11-23 12-24',
  ],
  ['2002', '01-01 01-21 02-18 03-29 05-27 07-04 09-02 11-28 12-25', '07-05 11-29 12-24'],
  ['2004', '01-01 01-19 02-16 04-09 05-31 06-11 07-05 09-06 11-25 12-24', '11-26'],
  ['2012', '01-02 01-16 02-20 04-06 05-28 07-04 09-03 10-29 10-30 11-22 12-25', '07-03 11-23 12-24'],
  ['2021', '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', '11-26'],
  ['2022', '01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26', '11-25'],
  ['2023', '01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25', '07-03 11-24'],
  ['2024', '01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25', '07-03 11-29 12-24'],
  ['2025', '01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25', '07-03 11-28 12-24'],
  ['2026', '01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25', '11-27 12-24'],
  ['2027', '01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24', '11-26'],
] as const) {
  test(`${year}: closed ${closed}`, () => assert.equal(oddDays(year).closed, closed))
  test(`${year}: early ${early || 'never'}`, () => assert.equal(oddDays(year).early, early))
}

for (const [day, then] of [
  ['2026-11-13', '2026-11-13T09:00:00Z 2026-11-13T14:30:00Z 2026-11-13T21:00:00Z 2026-11-14T01:00:00Z'],
  ['2026-11-27', '2026-11-27T09:00:00Z 2026-11-27T14:30:00Z 2026-11-27T18:00:00Z 2026-11-27T22:00:00Z'],
  ['2026-07-02', '2026-07-02T08:00:00Z 2026-07-02T13:30:00Z 2026-07-02T20:00:00Z 2026-07-03T00:00:00Z'],
  ['2026-11-14', 'none'],
  ['2026-11-26', 'none'],
  ['1969-12-31', 'none'],
] as const)
  test(`the session of ${day} is ${then}`, () => {
    const found = session(date(day))
    const moments = found ? [found.preOpen, found.open, found.close, found.postClose] : []
    assert.equal(moments.map(formatInstant).join(' ') || 'none', then)
  })

for (const [day, before, after] of [
  ['2026-11-14', '2026-11-13', '2026-11-16'],
  ['2026-11-26', '2026-11-25', '2026-11-27'],
  ['2026-12-31', '2026-12-30', '2027-01-04'],
  ['2001-09-10', '2001-09-07', '2001-09-17'],
] as const)
  test(`around ${day}: ${before} and ${after}`, () => {
    assert.equal(previousSession(date(day))?.date, before)
    assert.equal(nextSession(date(day)).date, after)
    assert.equal(settlementDate(date(day)), after)
  })

for (const [now, open, opens, closes] of [
  ['2026-11-13T14:29:59.999999999Z', false, '2026-11-13T14:30:00Z', '2026-11-13T21:00:00Z'],
  ['2026-11-13T14:30:00Z', true, '2026-11-16T14:30:00Z', '2026-11-13T21:00:00Z'],
  ['2026-11-13T21:00:00Z', false, '2026-11-16T14:30:00Z', '2026-11-16T21:00:00Z'],
  ['2026-11-27T18:00:00Z', false, '2026-11-30T14:30:00Z', '2026-11-30T21:00:00Z'],
] as const)
  test(`at ${now} the market is ${open ? 'open' : 'closed'}`, () => {
    const parsed = parseInstant(now)
    assert.ok(parsed.ok)
    assert.equal(isMarketOpen(parsed.value), open)
    assert.equal(formatInstant(nextOpenAfter(parsed.value)), opens)
    assert.equal(formatInstant(nextCloseAfter(parsed.value)), closes)
  })

test('the index of trading days is dense and starts with 2 January 1970', () => {
  assert.equal(tradingDayIndex(date('1970-01-02')), 0)
  const all = sessionsBetween(date('1970-01-01'), date('2050-12-31'))
  all.forEach((one, index) => {
    assert.equal(tradingDayIndex(one.date), index)
    assert.equal(tradingDayAt(index), dayOf(one.date))
  })
  assert.equal(previousSession(date('1970-01-02')), undefined)
  assert.equal(tradingDayIndex(date('2026-11-14')), undefined)
})
