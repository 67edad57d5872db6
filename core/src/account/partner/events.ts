import type { Money, Quantity } from '../../amount.ts'
import { idempotencyKeySchema } from '../../earlier-keys.ts'
import type { AccountId, LedgerId, TransitId } from '../../ids.ts'
import { jobSchema } from '../../jobs/job.ts'
import { postingSchema } from '../../ledger/posting.ts'
import {
  amount,
  date,
  events,
  id,
  list,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
} from '../../schema.ts'
import type { CivilDate } from '../../time.ts'
import { blockKindSchema, positionSchema, reviewSchema } from '../account.ts'
import { journalSchema, transferSchema } from './movements.ts'

const ofAccount = { accountId: id<AccountId>() }

const ofBlocks = { ...ofAccount, blocks: list(blockKindSchema), reason: optional(text()) }

/** The withdrawable amount, or the available shares, at the decision. */
const journalDecidedWith = record({
  withdrawable: optional(amount<Money>()),
  available: optional(amount<Quantity>()),
})

export const partnerEvents = events({
  accountUpdated: {
    ...ofAccount,
    details: text(),
    /** Null: approved. Absent: unchanged. */
    review: optional(nullable(reviewSchema)),
  },
  /** Only blocks that are new or have a new reason. */
  accountBlocked: ofBlocks,
  accountUnblocked: ofBlocks,
  /** All assets were moved to the bank. */
  accountClosed: { ...ofAccount, posting: postingSchema },
  /** The account now holds exactly this, all settled; the bank account balanced the difference. */
  accountReset: {
    ...ofAccount,
    cash: amount<Money>(),
    positions: list(positionSchema),
    /** Equity now, used as the equity of the last close. */
    equity: amount<Money>(),
    date: date<CivilDate>(),
    posting: postingSchema,
  },
  transferBooked: {
    ...ofAccount,
    transfer: transferSchema,
    /** Stored by earlier versions. */
    idempotency: optional(idempotencyKeySchema),
    /** The withdrawable amount at the decision. */
    decidedWith: optional(record({ withdrawable: amount<Money>() })),
    posting: postingSchema,
  },
  /** An event of the giving account; the journal names the receiving one. */
  journalBooked: {
    ...ofAccount,
    journal: journalSchema,
    /** Stored by earlier versions. */
    idempotency: optional(idempotencyKeySchema),
    decidedWith: journalDecidedWith,
    posting: postingSchema,
  },
  /** A journal to another world: its money or shares are in the account `transit:…`, and the job asks that world. */
  journalSent: {
    ...ofAccount,
    journal: journalSchema,
    /** Stored by earlier versions. */
    idempotency: optional(idempotencyKeySchema),
    decidedWith: journalDecidedWith,
    posting: postingSchema,
    job: jobSchema,
  },
  /** A journal from another world, in this ledger. An event of the receiving account. */
  journalReceived: { ...ofAccount, journal: journalSchema, ledgerId: id<LedgerId>(), posting: postingSchema },
  /** This world refuses a journal of another one. A later request with the same id gets the same answer. */
  journalRefused: { transitId: id<TransitId>(), reason: text() },
  /** The other world has received the journal, in this ledger. */
  journalSettled: { ...ofAccount, journal: journalSchema, ledgerId: id<LedgerId>(), posting: postingSchema },
  /** The other world has refused the journal: money or shares return to the sender. */
  journalReturned: { ...ofAccount, journal: journalSchema, posting: postingSchema },
})
export type AccountBlocked = ValueOf<typeof partnerEvents.accountBlocked>
export type AccountUnblocked = ValueOf<typeof partnerEvents.accountUnblocked>
export type AccountClosed = ValueOf<typeof partnerEvents.accountClosed>
export type AccountReset = ValueOf<typeof partnerEvents.accountReset>
export type TransferBooked = ValueOf<typeof partnerEvents.transferBooked>
export type JournalBooked = ValueOf<typeof partnerEvents.journalBooked>
export type JournalSent = ValueOf<typeof partnerEvents.journalSent>
export type JournalReceived = ValueOf<typeof partnerEvents.journalReceived>
export type JournalRefused = ValueOf<typeof partnerEvents.journalRefused>
export type JournalSettled = ValueOf<typeof partnerEvents.journalSettled>
export type JournalReturned = ValueOf<typeof partnerEvents.journalReturned>
