import { divide, type Price, type Quantity, toPrice, toQuantity, UNIT } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { ActionId, Ticker } from '../ids.ts'
import { amount, boolean, date, id, instant, optional, union, type ValueOf } from '../schema.ts'
import { fromNewYork, type Instant } from '../time.ts'

const termFields = {
  split: { newRate: amount(), oldRate: amount() },
  dividend: {
    /** Dollars per share. */
    rate: amount<Price>(),
    recordDate: date<CivilDate>(),
    payDate: date<CivilDate>(),
    special: boolean(),
  },
  symbolChange: { newSymbol: id<Ticker>() },
  delisting: { price: optional(amount<Price>()) },
}

const commonFields = {
  id: id<ActionId>(),
  symbol: id<Ticker>(),
  exDate: date<CivilDate>(),
  createdAt: instant<Instant>(),
  /** Absent until the action has been applied. */
  appliedAt: optional(instant<Instant>()),
}

/**
 * Corporate actions. Each takes effect at the start of its ex-date in New York, so every day is entirely
 * before or after it:
 *
 *   split         every `oldRate` shares become `newRate`
 *   dividend      holders are owed `rate` dollars a share, paid on the pay date; shorts pay it
 *   symbolChange  the same shares under another symbol
 *   delisting     the shares are removed, for a price or for nothing
 */
export const corporateActionSchema = union('kind', {
  split: { ...commonFields, ...termFields.split },
  dividend: { ...commonFields, ...termFields.dividend },
  symbolChange: { ...commonFields, ...termFields.symbolChange },
  delisting: { ...commonFields, ...termFields.delisting },
})
export type CorporateAction = ValueOf<typeof corporateActionSchema>

const actionTermsSchema = union('kind', termFields)
export type ActionTerms = ValueOf<typeof actionTermsSchema>

export type Split = Extract<ActionTerms, { kind: 'split' }>
export type Dividend = Extract<ActionTerms, { kind: 'dividend' }>
export type SymbolChange = Extract<ActionTerms, { kind: 'symbolChange' }>

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
  toQuantity(divide(quantity * newRate, oldRate, 'down'))

export const priceAfter = ({ newRate, oldRate }: Split, price: Price, rounding: 'up' | 'down'): Price =>
  toPrice(divide(price * oldRate, newRate, rounding))

export const wholeOf = (quantity: Quantity): Quantity => toQuantity(quantity - (quantity % UNIT))
