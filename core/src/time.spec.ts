import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { addDays, type CivilDate, dateOf, dayOf, parseDate } from './civil-date.ts'
import {
  formatInstant,
  formatNewYork,
  fromNewYork,
  type Instant,
  newYork,
  newYorkDay,
  parseInstant,
} from './time.ts'

const at = (text: string): Instant => {
  const parsed = parseInstant(text)
  assert.ok(parsed.ok, text)
  return parsed.value
}

for (const [text, then] of [
  ['2026-11-02T14:30:00Z', '2026-11-02T14:30:00Z'],
  ['2026-11-02T14:30:00.000Z', '2026-11-02T14:30:00Z'],
  ['2026-11-02T14:30:00.120300Z', '2026-11-02T14:30:00.1203Z'],
  ['2026-11-02T14:30:00.000000001Z', '2026-11-02T14:30:00.000000001Z'],
  ['2026-11-02T09:30:00-05:00', '2026-11-02T14:30:00Z'],
  ['2026-11-02t20:00:00+05:30', '2026-11-02T14:30:00Z'],
  ['1969-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.999999999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
] as const)
  test(`${text} is ${then}`, () => assert.equal(formatInstant(at(text)), then))

for (const text of [
  '',
  '2026-11-02',
  '2026-11-02T14:30:00',
  '2026-11-02T14:30Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-02T24:00:00Z',
  '2026-11-02T14:60:00Z',
  '2026-11-02T14:30:00.1234567890Z',
  '2026-11-02T14:30:00+24:00',
  '2026-11-02T14:30:00Zx',
])
  test(`"${text}" is not an instant`, () => assert.equal(parseInstant(text).ok, false))

for (const [text, isDate] of [
  ['2024-02-29', true],
  ['2023-02-29', false],
  ['2026-00-10', false],
  ['2026-1-1', false],
  ['2026-11-31', false],
  ['1970-01-01', true],
] as const)
  test(`"${text}" ${isDate ? 'is' : 'is not'} a date`, () => assert.equal(parseDate(text).ok, isDate))

// New York local time before and after the changes to and from daylight saving time.
for (const [utc, local] of [
  ['1970-04-26T06:59:59Z', '1970-04-26T01:59:59-05:00'],
  ['1970-04-26T07:00:00Z', '1970-04-26T03:00:00-04:00'],
  ['1970-10-25T05:59:59Z', '1970-10-25T01:59:59-04:00'],
  ['1970-10-25T06:00:00Z', '1970-10-25T01:00:00-05:00'],
  ['1974-01-06T06:59:59Z', '1974-01-06T01:59:59-05:00'],
  ['1974-01-06T07:00:00Z', '1974-01-06T03:00:00-04:00'],
  ['1975-02-23T07:00:00Z', '1975-02-23T03:00:00-04:00'],
  ['1976-04-25T07:00:00Z', '1976-04-25T03:00:00-04:00'],
  ['1986-04-27T07:00:00Z', '1986-04-27T03:00:00-04:00'],
  ['1987-04-05T07:00:00Z', '1987-04-05T03:00:00-04:00'],
  ['2006-04-02T07:00:00Z', '2006-04-02T03:00:00-04:00'],
  ['2006-10-29T06:00:00Z', '2006-10-29T01:00:00-05:00'],
  ['2007-03-11T07:00:00Z', '2007-03-11T03:00:00-04:00'],
  ['2007-11-04T06:00:00Z', '2007-11-04T01:00:00-05:00'],
  ['2026-03-08T06:59:59.5Z', '2026-03-08T01:59:59.5-05:00'],
  ['2026-03-08T07:00:00Z', '2026-03-08T03:00:00-04:00'],
  ['2026-11-01T05:59:59Z', '2026-11-01T01:59:59-04:00'],
  ['2026-11-01T06:00:00Z', '2026-11-01T01:00:00-05:00'],
  ['2027-01-01T04:59:59Z', '2026-12-31T23:59:59-05:00'],
] as const)
  test(`${utc} is ${local} in New York`, () => assert.equal(formatNewYork(at(utc)), local))

for (const [date, minute, then] of [
  ['2026-11-02', 570, '2026-11-02T14:30:00Z'],
  ['2026-07-02', 570, '2026-07-02T13:30:00Z'],
  ['2026-03-08', 0, '2026-03-08T05:00:00Z'],
  ['2026-03-08', 119, '2026-03-08T06:59:00Z'],
  ['2026-03-08', 150, '2026-03-08T07:30:00Z'],
  ['2026-03-08', 180, '2026-03-08T07:00:00Z'],
  ['2026-03-08', 240, '2026-03-08T08:00:00Z'],
  ['2026-11-01', 0, '2026-11-01T04:00:00Z'],
  ['2026-11-01', 90, '2026-11-01T05:30:00Z'],
  ['2026-11-01', 150, '2026-11-01T07:30:00Z'],
  ['2026-11-01', 1440, '2026-11-02T05:00:00Z'],
] as const)
  test(`minute ${minute} of ${date} in New York is ${then}`, () =>
    assert.equal(formatInstant(fromNewYork(date as CivilDate, minute)), then))

test('dates and day numbers convert both ways for 1600–2400, and the next day is the next date', () =>
  fc.assert(
    fc.property(fc.integer({ min: -135_140, max: 157_054 }), (day) => {
      assert.equal(dayOf(dateOf(day)), day)
      assert.equal(addDays(dateOf(day), 1), dateOf(day + 1))
    }),
  ))

test('an instant formatted in UTC or New York time parses to the same instant', () =>
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2_556_100_800_000_000_000n }), (nanos) => {
      assert.equal(at(formatInstant(nanos as Instant)), nanos)
      assert.equal(at(formatNewYork(nanos as Instant)), nanos)
    }),
  ))

test('New York local time converts back to the instant, except in the repeated hour', () =>
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2_556_100_800n }), (seconds) => {
      const instant = (seconds * 1_000_000_000n) as Instant
      const local = newYork(instant)
      const back = fromNewYork(local.date, local.minuteOfDay) + BigInt(local.nanosOfMinute)
      assert.ok(back === instant || back === instant - 3_600_000_000_000n)
      assert.equal(newYorkDay(instant), local.day)
    }),
  ))
