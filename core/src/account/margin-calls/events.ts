import type { Money } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { AccountId, OrderId, Ticker } from '../../ids.ts'
import { postingSchema } from '../../ledger/ledger.ts'
import { amount, date, events, id, instant, integer, optional, text, type ValueOf } from '../../schema.ts'
import type { Instant } from '../../time.ts'

const ofAccount = { accountId: id<AccountId>() }
const values = { equity: amount<Money>(), maintenanceMargin: amount<Money>() }

/** Events that occur only in a world with margin settings. */
export const marginEvents = events({
  /** Interest on the settled debit at a regular close, for the days until the next session. */
  interestAccrued: {
    ...ofAccount,
    date: date<CivilDate>(),
    debit: amount<Money>(),
    rate: integer(),
    days: integer(),
    amount: amount<Money>(),
  },
  /** The interest of a month, in whole cents, at its last regular close. */
  interestPosted: { ...ofAccount, date: date<CivilDate>(), amount: amount<Money>(), posting: postingSchema },
  /** At a regular close the equity is below the maintenance margin, by this amount. */
  marginCallIssued: {
    ...ofAccount,
    date: date<CivilDate>(),
    ...values,
    amount: amount<Money>(),
    dueAt: instant<Instant>(),
  },
  /** The equity covers the maintenance margin again. */
  marginCallMet: { ...ofAccount, ...values },
  /** The call was not met in time: the broker cancels all orders and closes positions. */
  marginCallEnforced: { ...ofAccount, ...values },
  /** The broker placed an order that closes a position, or could not place it for this reason. */
  positionLiquidated: {
    ...ofAccount,
    symbol: id<Ticker>(),
    value: amount<Money>(),
    ...values,
    closingOrderId: optional(id<OrderId>()),
    refused: optional(text()),
  },
  /** Every position that must be closed has an order. */
  marginCallClosed: ofAccount,
})
export type InterestPosted = ValueOf<typeof marginEvents.interestPosted>
export type InterestAccrued = ValueOf<typeof marginEvents.interestAccrued>

/** An open margin call. */
export type MarginCall = {
  readonly issuedAt: Instant
  /** The time of its next step: the due time, and then the time of the last closed position. */
  readonly dueAt: Instant
  readonly amount: Money
  /** The symbols whose positions the broker has closed; absent before the due time. */
  readonly liquidated?: readonly Ticker[]
}
