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
/** Only an action that has not been applied can be canceled. */
export type CancelAction = { readonly kind: 'cancelAction'; readonly actionId: ActionId }

export type ActionEvent =
  | ActionScheduled
  | ActionCanceled
  | ActionApplied
  | SharesChanged
  | DividendEarned
  | DividendPaid
  | DividendsPaid

type ActionEventBase = { readonly at: Instant; readonly actionId: ActionId }

export type ActionScheduled = {
  readonly kind: 'actionScheduled'
  readonly at: Instant
  readonly action: CorporateAction
}
export type ActionCanceled = ActionEventBase & { readonly kind: 'actionCanceled' }

/** The action takes effect; its consequences follow in the same decision. */
export type ActionApplied = ActionEventBase & { readonly kind: 'actionApplied' }

/** The effect of a split, symbol change or delisting on one account. */
export type SharesChanged = ActionEventBase & {
  readonly kind: 'sharesChanged'
  readonly accountId: AccountId
  readonly why: 'split' | 'symbolChange' | 'delisting'
  readonly symbol: Ticker
  /** The symbol from now on, if it changes. */
  readonly newSymbol?: Ticker
  readonly before: Quantity
  readonly after: Quantity
  readonly costBasis: Money
  /** Unsettled quantity that remains for each settlement date. */
  readonly unsettled: readonly (readonly [CivilDate, Quantity])[]
  /** Paid for removed shares, a fraction or all; negative if a short pays. */
  readonly cash: Money
  /** Price per share of that payment. */
  readonly price?: Price
  readonly posting: Posting
}

/** Holders at the start of the ex-date are owed the dividend; shorts owe it. */
export type DividendEarned = ActionEventBase & {
  readonly kind: 'dividendEarned'
  readonly accountId: AccountId
  readonly quantity: Quantity
  readonly amount: Money
}
export type DividendPaid = ActionEventBase & {
  readonly kind: 'dividendPaid'
  readonly accountId: AccountId
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly rate: Price
  readonly special: boolean
  readonly amount: Money
  readonly posting: Posting
}
/** All accounts have been paid. */
export type DividendsPaid = ActionEventBase & { readonly kind: 'dividendsPaid' }
