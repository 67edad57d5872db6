import type { Money, Quantity } from '../../amount.ts'
import { idempotencyKeySchema } from '../../idempotency.ts'
import type { AccountId } from '../../ids.ts'
import { postingSchema } from '../../ledger/posting.ts'
import {
  amount,
  date,
  event,
  id,
  instant,
  list,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
} from '../../schema.ts'
import type { CivilDate, Instant } from '../../time.ts'
import { blockKindSchema, positionSchema, reviewSchema } from '../account.ts'
import { journalSchema, transferSchema } from './movements.ts'

const ofAccount = { at: instant<Instant>(), accountId: id<AccountId>() }

const accountUpdated = event('accountUpdated', {
  ...ofAccount,
  details: text(),
  /** Null: approved. Absent: unchanged. */
  review: optional(nullable(reviewSchema)),
})
export type AccountUpdated = ValueOf<typeof accountUpdated>

const ofBlocks = { ...ofAccount, blocks: list(blockKindSchema), reason: optional(text()) }

/** Only blocks that are new or have a new reason. */
const accountBlocked = event('accountBlocked', ofBlocks)
export type AccountBlocked = ValueOf<typeof accountBlocked>

const accountUnblocked = event('accountUnblocked', ofBlocks)
export type AccountUnblocked = ValueOf<typeof accountUnblocked>

/** All assets were moved to the bank. */
const accountClosed = event('accountClosed', { ...ofAccount, posting: postingSchema })
export type AccountClosed = ValueOf<typeof accountClosed>

/** The account now holds exactly this, all settled; the bank account balanced the difference. */
const accountReset = event('accountReset', {
  ...ofAccount,
  cash: amount<Money>(),
  positions: list(positionSchema),
  /** Equity now, used as the equity of the last close. */
  equity: amount<Money>(),
  date: date<CivilDate>(),
  posting: postingSchema,
})
export type AccountReset = ValueOf<typeof accountReset>

const transferBooked = event('transferBooked', {
  ...ofAccount,
  transfer: transferSchema,
  idempotency: optional(idempotencyKeySchema),
  /** The withdrawable amount at the decision. */
  decidedWith: optional(record({ withdrawable: amount<Money>() })),
  posting: postingSchema,
})
export type TransferBooked = ValueOf<typeof transferBooked>

/** An event of the giving account; the journal names the receiving one. */
const journalBooked = event('journalBooked', {
  ...ofAccount,
  journal: journalSchema,
  idempotency: optional(idempotencyKeySchema),
  /** The withdrawable amount, or the available shares, at the decision. */
  decidedWith: record({
    withdrawable: optional(amount<Money>()),
    available: optional(amount<Quantity>()),
  }),
  posting: postingSchema,
})
export type JournalBooked = ValueOf<typeof journalBooked>

export const partnerEvents = [
  accountUpdated,
  accountBlocked,
  accountUnblocked,
  accountClosed,
  accountReset,
  transferBooked,
  journalBooked,
] as const
export type PartnerEvent = ValueOf<(typeof partnerEvents)[number]>
