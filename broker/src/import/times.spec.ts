import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatInstant } from '@quipu/core'
import fc from 'fast-check'
import { instantAt, makeRows } from '../market/store/index.ts'
import { putIsoTime, putWholeEpoch } from './csv-time.ts'
import { DATE_ONLY, putImportTime } from './times.ts'
import { ImportZone } from './zone.ts'

function read(text: string, zone?: string): string {
  const rows = makeRows('bars', 1)
  const fault = putImportTime(rows, 0, text, zone === undefined ? undefined : new ImportZone(zone))
  if (fault) return fault
  if (rows.nanos[0] === DATE_ONLY)
    return `date ${new Date(rows.micros[0]! / 1000).toISOString().slice(0, 10)}`
  return formatInstant(instantAt(rows, 0))
}

/** Reads with the fast parser; undefined if it does not accept the text. */
function readFast(text: string, zone?: string): string | undefined {
  const rows = makeRows('bars', 1)
  const bytes = Buffer.from(`${text}\n`)
  const asZone = zone === undefined ? undefined : new ImportZone(zone)
  let end = putWholeEpoch(bytes, 0, rows, 0)
  if (end < 0) end = putIsoTime(bytes, 0, rows, 0, asZone)
  if (end !== text.length) return undefined
  if (rows.nanos[0] === DATE_ONLY)
    return `date ${new Date(rows.micros[0]! / 1000).toISOString().slice(0, 10)}`
  return formatInstant(instantAt(rows, 0))
}

for (const [text, zone, then] of [
  ['2024-01-02T14:30:00Z', undefined, '2024-01-02T14:30:00Z'],
  ['2024-01-02 14:30:00+00:00', undefined, '2024-01-02T14:30:00Z'],
  ['2024-01-02 09:30:00-05:00', undefined, '2024-01-02T14:30:00Z'],
  ['2024-01-02T14:30:00.123456789Z', undefined, '2024-01-02T14:30:00.123456789Z'],
  ['2024-01-02T14:30Z', undefined, '2024-01-02T14:30:00Z'],
  ['2024-01-02 14:30:00 UTC', undefined, '2024-01-02T14:30:00Z'],
  ['2024-01-02 09:30:00-0500', undefined, '2024-01-02T14:30:00Z'],
  ['2024-01-02', undefined, 'date 2024-01-02'],
  ['20240102', undefined, 'date 2024-01-02'],
  ['2024-02-30', undefined, 'notATime'],
  ['2024-01-02 25:00:00Z', undefined, 'notATime'],
  ['1704205800', undefined, '2024-01-02T14:30:00Z'],
  ['1704205800.25', undefined, '2024-01-02T14:30:00.25Z'],
  ['1704205800001', undefined, '2024-01-02T14:30:00.001Z'],
  ['1704205800000001', undefined, '2024-01-02T14:30:00.000001Z'],
  ['1704205800000000001', undefined, '2024-01-02T14:30:00.000000001Z'],
  ['86400', undefined, '1970-01-02T00:00:00Z'],
  ['999999999000000001', undefined, '2001-09-09T01:46:39.000000001Z'],
  ['yesterday', undefined, 'notATime'],
  ['', undefined, 'notATime'],
  ['2024-01-02 09:30:00', undefined, 'noZone'],
  ['2024-01-02 09:30:00', 'America/New_York', '2024-01-02T14:30:00Z'],
  ['2024-07-02 09:30:00', 'America/New_York', '2024-07-02T13:30:00Z'],
  ['2024-07-02 15:30:00.5', 'Europe/Warsaw', '2024-07-02T13:30:00.5Z'],
  ['2024-01-02 20:00:00', 'Asia/Kolkata', '2024-01-02T14:30:00Z'],
  // The clock change skips 02:00 to 03:00.
  ['2024-03-10 02:30:00', 'America/New_York', '2024-03-10T07:30:00Z'],
  // This local time occurs twice; the first one is used.
  ['2024-11-03 01:30:00', 'America/New_York', '2024-11-03T05:30:00Z'],
] as const)
  test(`${text}${zone ? ` in ${zone}` : ''} is ${then}`, () => {
    assert.equal(read(text, zone), then)
    assert.equal(readFast(text, zone) ?? then, then)
  })

test('a repeated hour of a clock change follows the previous row', () => {
  const zone = new ImportZone('America/New_York')
  const local = (hour: number, minute: number): number => Date.UTC(2024, 10, 3, hour, minute) / 1000
  const shown = [
    [0, 59],
    [1, 0],
    [1, 59],
    [1, 0],
    [1, 59],
    [2, 0],
  ].map(([hour, minute]) => new Date(zone.toUtc(local(hour!, minute!)) * 1000).toISOString().slice(11, 16))
  assert.deepEqual(shown, ['04:59', '05:00', '05:59', '06:00', '06:59', '07:00'])
})

test('both parsers give the same result', () => {
  const parts = fc.record({
    seconds: fc.integer({ min: 0, max: 4_000_000_000 }),
    nanos: fc.integer({ min: 0, max: 999_999_999 }),
    places: fc.integer({ min: 0, max: 9 }),
    end: fc.constantFrom('Z', '+00:00', '-05:00', '+05:30'),
    between: fc.constantFrom('T', ' '),
  })
  fc.assert(
    fc.property(parts, ({ seconds, nanos, places, end, between }) => {
      const fraction = places === 0 ? '' : `.${String(nanos).padStart(9, '0').slice(0, places)}`
      const text = new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', between) + fraction + end
      assert.equal(readFast(text), read(text))
    }),
  )
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 9_000_000_000_000_000_000n }), (value) => {
      const text = String(value)
      assert.equal(readFast(text) ?? read(text), read(text))
    }),
  )
})
