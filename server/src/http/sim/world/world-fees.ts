import type { InputOf, OutputOf } from '@quipu/contract'
import { definedFields, type FeeRates, type FeeSetting, format, type Money, toMoney } from '@quipu/core'
import { amountOf } from '../../../wire/amounts.ts'
import { refuse } from '../../../wire/refusal.ts'

type FeesInput = InputOf<'createWorld'>['body']['fees']
type FeesRecord = OutputOf<'getWorld'>['fees']

/** Sorts the rows by date; two rows of one date are refused. */
export function feesFrom(input: FeesInput): FeeSetting {
  if (typeof input === 'string') return input
  const rows = input.map(rowFrom).sort((a, b) => (a.from < b.from ? -1 : 1))
  const duplicate = rows.find(({ from }, index) => from === rows[index + 1]?.from)
  if (duplicate)
    throw refuse({ code: 'invalidParameter', problem: `fees: ${duplicate.from} is listed twice` })
  return rows
}

function rowFrom(row: Exclude<FeesInput, string>[number]): FeeRates {
  return {
    from: row.from,
    secPerMillion: moneyOf(row.sec_per_million),
    tafPerShare: moneyOf(row.taf_per_share),
    ...definedFields({ tafMax: row.taf_max === undefined ? undefined : moneyOf(row.taf_max) }),
    catPerShare: moneyOf(row.cat_per_share),
    coinBasisPoints: row.crypto_basis_points,
  }
}

const moneyOf = (decimal: string): Money => toMoney(amountOf(decimal))

export function feesToWire(setting: FeeSetting = 'us'): FeesRecord {
  if (typeof setting === 'string') return setting
  return setting.map((row) => ({
    from: row.from,
    sec_per_million: format(row.secPerMillion),
    taf_per_share: format(row.tafPerShare),
    taf_max: row.tafMax === undefined ? undefined : format(row.tafMax),
    cat_per_share: format(row.catPerShare),
    crypto_basis_points: row.coinBasisPoints,
  }))
}
