import { divide, type Price, type Quantity, UNIT } from '../amount.ts'
import type { ActionId, Ticker } from '../ids.ts'
import { type CivilDate, fromNewYork, type Instant } from '../time.ts'

/**
 * Corporate actions. Each takes effect at the start of its ex-date in New York, so every day is entirely
 * before or after it:
 *
 *   split         every `oldRate` shares become `newRate`
 *   dividend      holders are owed `rate` dollars a share, paid on the pay date; shorts pay it
 *   symbolChange  the same shares under another symbol
 *   delisting     the shares are removed, for a price or for nothing
 */
export type CorporateAction = {
  readonly id: ActionId
  readonly symbol: Ticker
  readonly exDate: CivilDate
  readonly createdAt: Instant
  /** Absent until the action has been applied. */
  readonly appliedAt?: Instant
} & ActionTerms

export type ActionTerms = Split | Dividend | SymbolChange | Delisting

export type Split = { readonly kind: 'split'; readonly newRate: bigint; readonly oldRate: bigint }
export type Dividend = {
  readonly kind: 'dividend'
  /** Dollars per share. */
  readonly rate: Price
  readonly recordDate: CivilDate
  readonly payDate: CivilDate
  readonly special: boolean
}
export type SymbolChange = { readonly kind: 'symbolChange'; readonly newSymbol: Ticker }
export type Delisting = { readonly kind: 'delisting'; readonly price?: Price }

/** The instant the action takes effect. */
export const effectiveAt = ({ exDate }: Pick<CorporateAction, 'exDate'>): Instant => fromNewYork(exDate, 0)

/** Dividends are paid at the start of the pay date in New York. */
export const paidAt = ({ payDate }: Dividend): Instant => fromNewYork(payDate, 0)

/** After a symbol change or a delisting, no further action is possible under the old symbol. */
export const endsSymbol = ({ kind }: Pick<ActionTerms, 'kind'>): boolean =>
  kind === 'symbolChange' || kind === 'delisting'

export const isReverse = ({ newRate, oldRate }: Split): boolean => newRate < oldRate

/** Share count after a split; nine decimals are kept, the rest is dropped. */
export const sharesAfter = ({ newRate, oldRate }: Split, quantity: Quantity): Quantity =>
  divide(quantity * newRate, oldRate, 'down') as Quantity

export const priceAfter = ({ newRate, oldRate }: Split, price: Price, rounding: 'up' | 'down'): Price =>
  divide(price * oldRate, newRate, rounding) as Price

export const wholeOf = (quantity: Quantity): Quantity => (quantity - (quantity % UNIT)) as Quantity
