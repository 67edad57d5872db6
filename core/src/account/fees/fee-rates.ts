import type { Money } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import { amount, date, integer, list, oneOfOr, optional, record, type ValueOf } from '../../schema.ts'

/** Fee rates from one day until the next row starts. */
const feeRatesSchema = record({
  from: date<CivilDate>(),
  /** Per million dollars sold. */
  secPerMillion: amount<Money>(),
  /** Per share sold, and the maximum per fill, if any. */
  tafPerShare: amount<Money>(),
  tafMax: optional(amount<Money>()),
  /** Per share bought or sold. */
  catPerShare: amount<Money>(),
  /** Basis points of the proceeds of a crypto trade: coins for a buy, dollars for a sell. */
  coinBasisPoints: integer(),
})
export type FeeRates = ValueOf<typeof feeRatesSchema>

/**
 * `us`: the United States rates by date. Otherwise custom rows in order of date; before the first row there
 * are no fees.
 */
export const feeSettingSchema = oneOfOr(['us', 'none'], list(feeRatesSchema))
export type FeeSetting = ValueOf<typeof feeSettingSchema>
