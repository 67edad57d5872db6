import { divide, type Price, type Quantity, UNIT } from '../amount.ts'
import type { ActionId, Ticker } from '../ids.ts'
import { type CivilDate, fromNewYork, type Instant } from '../time.ts'

/**
 * What an issuer does to its shares. Each happens as New York's day of its ex-date begins, so that every day lies
 * whole before it or after it:
 *
 *   split         every `oldRate` shares become `newRate`
 *   dividend      whoever holds a share then is owed `rate` dollars, and is paid on the pay date; who is short, pays
 *   symbolChange  the same shares under another name
 *   delisting     the shares are gone, for a price or for nothing
 */
export type CorporateAction = {
  readonly id: ActionId
  readonly symbol: Ticker
  readonly exDate: CivilDate
  readonly createdAt: Instant
  /** When it happened; absent while it lies ahead. */
  readonly appliedAt?: Instant
} & ActionTerms

export type ActionTerms = Split | Dividend | SymbolChange | Delisting

export type Split = { readonly kind: 'split'; readonly newRate: bigint; readonly oldRate: bigint }
export type Dividend = {
  readonly kind: 'dividend'
  /** Dollars a share. */
  readonly rate: Price
  readonly recordDate: CivilDate
  readonly payDate: CivilDate
  readonly special: boolean
}
export type SymbolChange = { readonly kind: 'symbolChange'; readonly newSymbol: Ticker }
export type Delisting = { readonly kind: 'delisting'; readonly price?: Price }

/** The instant from which on all is as the action leaves it. */
export const momentOf = ({ exDate }: Pick<CorporateAction, 'exDate'>): Instant => fromNewYork(exDate, 0)

/** A dividend is paid as New York's day of its pay date begins. */
export const payMomentOf = ({ payDate }: Dividend): Instant => fromNewYork(payDate, 0)

/** After a symbol change or a delisting nothing happens under the old name any more. */
export const isLast = ({ kind }: Pick<ActionTerms, 'kind'>): boolean =>
  kind === 'symbolChange' || kind === 'delisting'

export const isReverse = ({ newRate, oldRate }: Split): boolean => newRate < oldRate

/** What becomes of shares; nine places are kept, the rest is dropped. */
export const sharesAfter = ({ newRate, oldRate }: Split, quantity: Quantity): Quantity =>
  divide(quantity * newRate, oldRate, 'down') as Quantity

/** What becomes of a price. */
export const priceAfter = ({ newRate, oldRate }: Split, price: Price, rounding: 'up' | 'down'): Price =>
  divide(price * oldRate, newRate, rounding) as Price

export const wholeOf = (quantity: Quantity): Quantity => (quantity - (quantity % UNIT)) as Quantity
