import assert from 'node:assert/strict'
import test from 'node:test'
import type { CivilDate } from '../civil-date.ts'
import { settlementDate } from './settlement.ts'

for (const [day, settles] of [
  ['2026-11-13', '2026-11-16'],
  ['2026-11-25', '2026-11-27'],
  ['2026-12-31', '2027-01-04'],
  ['2001-09-10', '2001-09-17'],
  // Columbus Day, the second Monday of October: exchanges trade, nothing settles.
  ['2026-10-09', '2026-10-13'],
  ['2026-10-12', '2026-10-13'],
  ['2026-10-16', '2026-10-19'],
  ['2025-10-10', '2025-10-14'],
  // Veterans Day.
  ['2026-11-10', '2026-11-12'],
  ['2026-11-11', '2026-11-12'],
  // A Sunday holiday is observed on Monday, a Saturday holiday is not observed.
  ['2018-11-09', '2018-11-13'],
  ['2023-11-09', '2023-11-10'],
  ['2023-11-10', '2023-11-13'],
  // For some years it was the fourth Monday of October.
  ['1974-10-25', '1974-10-29'],
  ['1974-11-08', '1974-11-11'],
  ['1978-10-20', '1978-10-23'],
] as const)
  test(`a trade of ${day} settles on ${settles}`, () =>
    assert.equal(settlementDate(day as CivilDate), settles))
