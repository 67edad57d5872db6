import type { Money } from '../amount.ts'
import type { CivilDate } from '../time.ts'

/** Fee rates from one day until the next row starts. */
export type FeeRates = {
  readonly from: CivilDate
  /** Per million dollars sold. */
  readonly secPerMillion: Money
  /** Per share sold, and the maximum per fill, if any. */
  readonly tafPerShare: Money
  readonly tafMax?: Money
  /** Per share bought or sold. */
  readonly catPerShare: Money
  /** Basis points of the proceeds of a crypto trade: coins for a buy, dollars for a sell. */
  readonly coinBasisPoints: number
}

/**
 * `us`: the United States rates by date. Otherwise custom rows in order of date; before the first row there
 * are no fees.
 */
export type FeeSetting = 'us' | 'none' | readonly FeeRates[]
