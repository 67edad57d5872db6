import type { Price, Quantity } from '../amount.ts'
import type { Instant } from '../time.ts'
import type { Bar, TapeLetter, Trade } from './tape.ts'

/** What is told of a symbol beside trades and quotes, each at its moment. */
export type TapeMessage = {
  /** When it is told. */
  readonly at: Instant
  /** Unique per symbol; events of one instant are ordered by it. */
  readonly id: number
} & (TradingStatus | PriceBands | Imbalance | LateTrade | TradeCorrection | TradeCancel | UpdatedBar)

/** Trading stops or goes on. Codes and words are those of the tape. */
export type TradingStatus = {
  readonly kind: 'status'
  readonly code: string
  readonly message: string
  readonly reason: string
  readonly reasonMessage: string
  readonly tape: TapeLetter
}

/** Limit up, limit down: the band that prices may not leave. */
export type PriceBands = {
  readonly kind: 'luld'
  readonly up: Price
  readonly down: Price
  readonly indicator: string
  readonly tape: TapeLetter
}

/** Before an auction: the price at which it would be held now. */
export type Imbalance = { readonly kind: 'imbalance'; readonly price: Price; readonly tape: TapeLetter }

/** A trade that is reported long after it was made: it is told now, with its own time. */
export type LateTrade = { readonly kind: 'lateTrade'; readonly trade: Trade }

/** What a correction says of a trade: before and after. */
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

/** A trade that is taken back: canceled, or an error. */
export type TradeCancel = { readonly kind: 'cancel'; readonly trade: Trade; readonly action: 'C' | 'E' }

/** A minute that was told before and is another now. */
export type UpdatedBar = { readonly kind: 'updatedBar'; readonly bar: Bar }
