import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ActionId, Ticker } from '../ids.ts'
import { postingSchema } from '../ledger/posting.ts'
import {
  amount,
  boolean,
  date,
  event,
  id,
  instant,
  list,
  oneOf,
  optional,
  tuple,
  type ValueOf,
} from '../schema.ts'
import type { CivilDate, Instant } from '../time.ts'
import { type ActionTerms, corporateActionSchema } from './action.ts'

export type ActionCommand = ScheduleAction | CancelAction

export type ScheduleAction = {
  readonly kind: 'scheduleAction'
  readonly symbol: Ticker
  readonly exDate: CivilDate
  readonly terms: ActionTerms
}
/** Only an action that has not been applied can be canceled. */
export type CancelAction = { readonly kind: 'cancelAction'; readonly actionId: ActionId }

const ofAction = { at: instant<Instant>(), actionId: id<ActionId>() }
const ofHolder = { at: instant<Instant>(), accountId: id<AccountId>(), actionId: id<ActionId>() }

const actionScheduled = event('actionScheduled', { at: instant<Instant>(), action: corporateActionSchema })
export type ActionScheduled = ValueOf<typeof actionScheduled>

const actionCanceled = event('actionCanceled', ofAction)
export type ActionCanceled = ValueOf<typeof actionCanceled>

/** The action takes effect; its consequences follow in the same decision. */
const actionApplied = event('actionApplied', ofAction)
export type ActionApplied = ValueOf<typeof actionApplied>

/** The effect of a split, symbol change or delisting on one account. */
const sharesChanged = event('sharesChanged', {
  ...ofHolder,
  why: oneOf('split', 'symbolChange', 'delisting'),
  symbol: id<Ticker>(),
  /** The symbol from now on, if it changes. */
  newSymbol: optional(id<Ticker>()),
  before: amount<Quantity>(),
  after: amount<Quantity>(),
  costBasis: amount<Money>(),
  /** Unsettled quantity that remains for each settlement date. */
  unsettled: list(tuple(date<CivilDate>(), amount<Quantity>())),
  /** Paid for removed shares, a fraction or all; negative if a short pays. */
  cash: amount<Money>(),
  /** Price per share of that payment. */
  price: optional(amount<Price>()),
  posting: postingSchema,
})
export type SharesChanged = ValueOf<typeof sharesChanged>

/** Holders at the start of the ex-date are owed the dividend; shorts owe it. */
const dividendEarned = event('dividendEarned', {
  ...ofHolder,
  quantity: amount<Quantity>(),
  amount: amount<Money>(),
})
export type DividendEarned = ValueOf<typeof dividendEarned>

const dividendPaid = event('dividendPaid', {
  ...ofHolder,
  symbol: id<Ticker>(),
  quantity: amount<Quantity>(),
  rate: amount<Price>(),
  special: boolean(),
  amount: amount<Money>(),
  posting: postingSchema,
})
export type DividendPaid = ValueOf<typeof dividendPaid>

/** All accounts have been paid. */
const dividendsPaid = event('dividendsPaid', ofAction)
export type DividendsPaid = ValueOf<typeof dividendsPaid>

export const actionEvents = [
  actionScheduled,
  actionCanceled,
  actionApplied,
  sharesChanged,
  dividendEarned,
  dividendPaid,
  dividendsPaid,
] as const
export type ActionEvent = ValueOf<(typeof actionEvents)[number]>
