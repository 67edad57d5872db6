import { toMoney } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { FeeRates } from './fee-rates.ts'

type Row = readonly [
  from: string,
  secPerMillion: number,
  tafPerShare: number,
  tafMax: number,
  catPerShare: number,
]

/**
 * Fee rates from a day on: dollars per million sold (SEC); billionths of a dollar per share sold, and the maximum
 * per fill in cents (FINRA's TAF, which pauses for a quarter at the end of 2026); billionths of a dollar per share
 * bought or sold (CAT). Crypto: 25 basis points throughout.
 */
// biome-ignore format: one row per change, in columns.
const ROWS: readonly Row[] = [
  ['2020-01-01', 20.7, 119_000, 595, 0],
  ['2020-02-18', 22.1, 119_000, 595, 0],
  ['2021-02-25',  5.1, 119_000, 595, 0],
  ['2022-01-01',  5.1, 130_000, 649, 0],
  ['2022-05-14', 22.9, 130_000, 649, 0],
  ['2023-01-01', 22.9, 145_000, 727, 0],
  ['2023-02-27',  8,   145_000, 727, 0],
  ['2024-01-01',  8,   166_000, 830, 0],
  ['2024-05-22', 27.8, 166_000, 830, 0],
  ['2024-09-01', 27.8, 166_000, 830, 35_000],
  ['2025-01-01', 27.8, 166_000, 830, 22_000],
  ['2025-05-14',  0,   166_000, 830, 22_000],
  ['2026-01-01',  0,   195_000, 979, 3_000],
  ['2026-04-04', 20.6, 195_000, 979, 3_000],
  ['2026-10-01', 20.6,       0,   0, 3_000],
  ['2027-01-01', 20.6, 195_000, 979, 3_000],
]

export const US_FEES: readonly FeeRates[] = ROWS.map(([from, sec, taf, tafMax, cat]) => ({
  from: from as CivilDate,
  secPerMillion: toMoney(BigInt(Math.round(sec * 10)) * 100_000_000n),
  tafPerShare: toMoney(BigInt(taf)),
  tafMax: toMoney(BigInt(tafMax) * 10_000_000n),
  catPerShare: toMoney(BigInt(cat)),
  coinBasisPoints: 25,
}))
