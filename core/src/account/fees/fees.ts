import { add, CENT, divide, type Money, min, NO_MONEY, type Quantity, toMoney, UNIT } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { customer, FEES, type LedgerAsset, shares, USD } from '../../ledger/chart.ts'
import { move, type Posting } from '../../ledger/ledger.ts'
import { isPair } from '../../market/assets/asset.ts'
import type { Side } from '../../orders/order.ts'
import { amount, id, optional, record, type ValueOf } from '../../schema.ts'
import type { FeeRates, FeeSetting } from './fee-rates.ts'
import { US_FEES } from './fees.table.ts'

/**
 * Regulatory fees of one fill, to the billionth. Booked at the end of the day, each sum rounded up to whole
 * cents.
 */
export const regulatoryFeesSchema = record({
  sec: optional(amount<Money>()),
  taf: optional(amount<Money>()),
  cat: optional(amount<Money>()),
})
export type RegulatoryFees = ValueOf<typeof regulatoryFeesSchema>

/** Fee of a crypto trade, taken in the fill itself. */
export const coinFeeSchema = record({ asset: id<LedgerAsset>(), amount: amount() })
export type CoinFee = ValueOf<typeof coinFeeSchema>

export type FilledTerms = {
  readonly symbol: Ticker
  readonly side: Side
  readonly quantity: Quantity
  /** Cash that the fill moves, in whole cents. */
  readonly cash: Money
  /** New York date. */
  readonly date: CivilDate
}

/** Fees of a fill: regulatory fees for stocks, a percentage for crypto. */
export function feeOfFill(
  setting: FeeSetting | undefined,
  fill: FilledTerms,
): { readonly fees?: RegulatoryFees; readonly coinFee?: CoinFee } {
  const rates = ratesOn(setting ?? 'us', fill.date)
  if (!rates) return {}
  if (!isPair(fill.symbol)) return regulatory(rates, fill)
  const coinFee = coinFeeOf(rates, fill)
  return coinFee.amount === 0n ? {} : { coinFee }
}

function regulatory(rates: FeeRates, { side, quantity, cash }: FilledTerms): { fees?: RegulatoryFees } {
  const cat = perShare(rates.catPerShare, quantity)
  if (side === 'buy') return cat === NO_MONEY ? {} : { fees: { cat } }
  const sec = toMoney(divide(cash * rates.secPerMillion, MILLION, 'up'))
  const uncapped = perShare(rates.tafPerShare, quantity)
  const taf = rates.tafMax === undefined ? uncapped : min(uncapped, rates.tafMax)
  const fees = {
    ...(sec === NO_MONEY ? {} : { sec }),
    ...(taf === NO_MONEY ? {} : { taf }),
    ...(cat === NO_MONEY ? {} : { cat }),
  }
  return sec === NO_MONEY && taf === NO_MONEY && cat === NO_MONEY ? {} : { fees }
}

const MILLION = 1_000_000n * UNIT
const perShare = (rate: Money, quantity: Quantity): Money => toMoney(divide(rate * quantity, UNIT, 'up'))

function coinFeeOf({ coinBasisPoints }: FeeRates, { symbol, side, quantity, cash }: FilledTerms): CoinFee {
  const points = BigInt(coinBasisPoints)
  if (side === 'buy') return { asset: shares(symbol), amount: divide(quantity * points, BASE, 'up') }
  return { asset: USD, amount: min(centsUp(toMoney(divide(cash * points, BASE, 'up'))), cash) }
}

const BASE = 10_000n

/** The ledger legs of a crypto fee. Crypto settles immediately. */
export const coinFeeLegs = (accountId: AccountId, { asset, amount }: CoinFee): Posting =>
  move(asset, amount, { from: customer(accountId, 'settled'), to: FEES })

/** The last row that has started. Cached, because every fill calls it, nearly always for the same day. */
function ratesOn(setting: FeeSetting, date: CivilDate): FeeRates | undefined {
  if (setting === latest.setting && date === latest.date) return latest.rates
  const rows = setting === 'us' ? US_FEES : setting === 'none' ? [] : setting
  latest = { setting, date, rates: rows.findLast(({ from }) => from <= date) }
  return latest.rates
}

let latest: { setting?: FeeSetting; date?: CivilDate; rates: FeeRates | undefined } = { rates: undefined }

/** Fees of one account since the last close, updated in place. */
export type Accrued = { sec: Money; taf: Money; cat: Money }

export function accrue(sums: Map<AccountId, Accrued>, accountId: AccountId, fees: RegulatoryFees): void {
  let sum = sums.get(accountId)
  if (!sum) sums.set(accountId, (sum = { sec: NO_MONEY, taf: NO_MONEY, cat: NO_MONEY }))
  if (fees.sec !== undefined) sum.sec = add(sum.sec, fees.sec)
  if (fees.taf !== undefined) sum.taf = add(sum.taf, fees.taf)
  if (fees.cat !== undefined) sum.cat = add(sum.cat, fees.cat)
}

/** Rounds each sum up to whole cents. */
export const inCents = ({ sec, taf, cat }: Readonly<Accrued>): Readonly<Accrued> => ({
  sec: centsUp(sec),
  taf: centsUp(taf),
  cat: centsUp(cat),
})

export const totalOf = ({ sec, taf, cat }: Readonly<Accrued>): Money => toMoney(sec + taf + cat)

const centsUp = (money: Money): Money => toMoney(divide(money, CENT, 'up') * CENT)
