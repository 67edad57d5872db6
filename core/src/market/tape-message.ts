import type { Price, Quantity } from '../amount.ts'
import type { Instant } from '../time.ts'
import type { Bar, TapeLetter, Trade } from './tape.ts'

/** Events of a symbol beside trades and quotes, each at its time. */
export type TapeMessage = {
  /** Time of publication. */
  readonly at: Instant
  /** Unique per symbol; orders events of one instant. */
  readonly id: number
} & (TradingStatus | PriceBands | Imbalance | LateTrade | TradeCorrection | TradeCancel | UpdatedBar)

/** Trading halts or resumes. Codes and texts are those of the tape. */
export type TradingStatus = {
  readonly kind: 'status'
  readonly code: string
  readonly message: string
  readonly reason: string
  readonly reasonMessage: string
  readonly tape: TapeLetter
}

/** Limit up, limit down: the allowed price band. */
export type PriceBands = {
  readonly kind: 'luld'
  readonly up: Price
  readonly down: Price
  readonly indicator: string
  readonly tape: TapeLetter
}

/** Before an auction: its indicative price. */
export type Imbalance = { readonly kind: 'imbalance'; readonly price: Price; readonly tape: TapeLetter }

/** A trade reported long after it was made, with its original time. */
export type LateTrade = { readonly kind: 'lateTrade'; readonly trade: Trade }

/** The trade before and after a correction. */
export type CorrectedTrade = {
  readonly id: number
  readonly price: Price
  readonly size: Quantity
  readonly conditions: readonly string[]
}
export type TradeCorrection = {
  readonly kind: 'correction'
  readonly exchange: string
  readonly tape: TapeLetter
  readonly original: CorrectedTrade
  readonly corrected: CorrectedTrade
}

/** A canceled trade: canceled, or an error. */
export type TradeCancel = { readonly kind: 'cancel'; readonly trade: Trade; readonly action: 'C' | 'E' }

/** A minute bar that was published before and has changed. */
export type UpdatedBar = { readonly kind: 'updatedBar'; readonly bar: Bar }
