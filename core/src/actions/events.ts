import type { Money, Price, Quantity } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { AccountId, ActionId, Ticker } from '../ids.ts'
import type { ByKind, OfKind } from '../kinds.ts'
import { postingSchema } from '../ledger/ledger.ts'
import {
  amount,
  boolean,
  date,
  type EventIn,
  events,
  id,
  list,
  oneOf,
  optional,
  tuple,
  type ValueOf,
} from '../schema.ts'
import { type ActionTerms, corporateActionSchema } from './action.ts'

export type ActionCommand = ByKind<{
  scheduleAction: { readonly symbol: Ticker; readonly exDate: CivilDate; readonly terms: ActionTerms }
  /** Only an action that has not been applied can be canceled. */
  cancelAction: { readonly actionId: ActionId }
}>
export type ScheduleAction = OfKind<ActionCommand, 'scheduleAction'>

const ofAction = { actionId: id<ActionId>() }
const ofHolder = { accountId: id<AccountId>(), actionId: id<ActionId>() }

export const actionEvents = events({
  actionScheduled: { action: corporateActionSchema },
  actionCanceled: ofAction,
  /** The action takes effect; its consequences follow in the same decision. */
  actionApplied: ofAction,
  /** The effect of a split, symbol change or delisting on one account. */
  sharesChanged: {
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
  },
  /** Holders at the start of the ex-date are owed the dividend; shorts owe it. */
  dividendEarned: {
    ...ofHolder,
    quantity: amount<Quantity>(),
    amount: amount<Money>(),
  },
  dividendPaid: {
    ...ofHolder,
    symbol: id<Ticker>(),
    quantity: amount<Quantity>(),
    rate: amount<Price>(),
    special: boolean(),
    amount: amount<Money>(),
    posting: postingSchema,
  },
  /** All accounts have been paid. */
  dividendsPaid: ofAction,
})
export type ActionEvent = EventIn<typeof actionEvents>
export type SharesChanged = ValueOf<typeof actionEvents.sharesChanged>
export type DividendEarned = ValueOf<typeof actionEvents.dividendEarned>
export type DividendPaid = ValueOf<typeof actionEvents.dividendPaid>
