import type { Money } from '../amount.ts'
import type { CivilDate } from '../time.ts'

/** What is taken of fills from a day on, until a later row takes over. */
export type FeeRates = {
  readonly from: CivilDate
  /** Of every million dollars sold. */
  readonly secPerMillion: Money
  /** Of every share sold, and the most of one fill if there is one. */
  readonly tafPerShare: Money
  readonly tafMax?: Money
  /** Of every share bought or sold. */
  readonly catPerShare: Money
  /** Of what a trade in coins brings: coins of a buy, dollars of a sale. */
  readonly coinBasisPoints: number
}

/** `us`: as in the United States, by date. Else rows of one's own, in order; before the first nothing is taken. */
export type FeeSetting = 'us' | 'none' | readonly FeeRates[]
