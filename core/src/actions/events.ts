import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ActionId, Ticker } from '../ids.ts'
import type { Posting } from '../ledger/posting.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { ActionTerms, CorporateAction } from './action.ts'

export type ActionCommand = ScheduleAction | CancelAction

export type ScheduleAction = {
  readonly kind: 'scheduleAction'
  readonly symbol: Ticker
  readonly exDate: CivilDate
  readonly terms: ActionTerms
}
/** Only what lies ahead can be taken back. */
export type CancelAction = { readonly kind: 'cancelAction'; readonly actionId: ActionId }

export type ActionEvent =
  | ActionScheduled
  | ActionCanceled
  | ActionApplied
  | SharesChanged
  | DividendEarned
  | DividendPaid
  | DividendsPaid

type OfAction = { readonly at: Instant; readonly actionId: ActionId }

export type ActionScheduled = {
  readonly kind: 'actionScheduled'
  readonly at: Instant
  readonly action: CorporateAction
}
export type ActionCanceled = OfAction & { readonly kind: 'actionCanceled' }

/** Its moment has come; what it means for whom follows in the same decision. */
export type ActionApplied = OfAction & { readonly kind: 'actionApplied' }

/** What a split, a symbol change or a delisting makes of the shares of one account. */
export type SharesChanged = OfAction & {
  readonly kind: 'sharesChanged'
  readonly accountId: AccountId
  readonly why: 'split' | 'symbolChange' | 'delisting'
  readonly symbol: Ticker
  /** Another name they have from now on. */
  readonly newSymbol?: Ticker
  readonly before: Quantity
  readonly after: Quantity
  readonly costBasis: Money
  /** Of what is to settle, how much is left for each day. */
  readonly unsettled: readonly (readonly [CivilDate, Quantity])[]
  /** Paid for what is no longer there, a fraction or all of it; negative where a short pays. */
  readonly cash: Money
  /** Dollars a share that it was paid at. */
  readonly price?: Price
  readonly posting: Posting
}

/** Whoever holds shares as a dividend's ex-date begins is owed it; who is short of them owes it. */
export type DividendEarned = OfAction & {
  readonly kind: 'dividendEarned'
  readonly accountId: AccountId
  readonly quantity: Quantity
  readonly amount: Money
}
export type DividendPaid = OfAction & {
  readonly kind: 'dividendPaid'
  readonly accountId: AccountId
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly rate: Price
  readonly special: boolean
  readonly amount: Money
  readonly posting: Posting
}
/** Everyone has been paid. */
export type DividendsPaid = OfAction & { readonly kind: 'dividendsPaid' }
