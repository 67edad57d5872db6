import type { Money, Quantity } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import { idempotencyKeySchema } from '../../earlier-keys.ts'
import type { AccountId, LedgerId, TransitId } from '../../ids.ts'
import { jobSchema } from '../../jobs/job.ts'
import { postingSchema } from '../../ledger/ledger.ts'
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
import { blockKindSchema, positionSchema, reviewSchema } from '../account.ts'
import { bookTransferSchema, transferSchema } from './movements.ts'

const ofAccount = { accountId: id<AccountId>() }

const ofBlocks = { ...ofAccount, blocks: list(blockKindSchema), reason: optional(text()) }

/** The withdrawable amount, or the available shares, at the decision. */
const bookTransferDecidedWith = record({
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
  /** An event of the giving account; the book transfer names the receiving one. */
  bookTransferMade: {
    ...ofAccount,
    bookTransfer: bookTransferSchema,
    /** Stored by earlier versions. */
    idempotency: optional(idempotencyKeySchema),
    decidedWith: bookTransferDecidedWith,
    posting: postingSchema,
  },
  /** A book transfer to another world: its money or shares are in the account `transit:…`, and the job asks that world. */
  bookTransferSent: {
    ...ofAccount,
    bookTransfer: bookTransferSchema,
    /** Stored by earlier versions. */
    idempotency: optional(idempotencyKeySchema),
    decidedWith: bookTransferDecidedWith,
    posting: postingSchema,
    job: jobSchema,
  },
  /** A book transfer from another world, in this ledger. An event of the receiving account. */
  bookTransferReceived: {
    ...ofAccount,
    bookTransfer: bookTransferSchema,
    ledgerId: id<LedgerId>(),
    posting: postingSchema,
  },
  /** This world refuses a book transfer of another one. A later request with the same id gets the same response. */
  bookTransferRefused: { transitId: id<TransitId>(), reason: text() },
  /** The other world has received the book transfer, in this ledger. */
  bookTransferSettled: {
    ...ofAccount,
    bookTransfer: bookTransferSchema,
    ledgerId: id<LedgerId>(),
    posting: postingSchema,
  },
  /** The other world has refused the book transfer: money or shares return to the sender. */
  bookTransferReturned: { ...ofAccount, bookTransfer: bookTransferSchema, posting: postingSchema },
})
export type AccountBlocked = ValueOf<typeof partnerEvents.accountBlocked>
export type AccountUnblocked = ValueOf<typeof partnerEvents.accountUnblocked>
export type AccountClosed = ValueOf<typeof partnerEvents.accountClosed>
export type AccountReset = ValueOf<typeof partnerEvents.accountReset>
export type TransferBooked = ValueOf<typeof partnerEvents.transferBooked>
export type BookTransferMade = ValueOf<typeof partnerEvents.bookTransferMade>
export type BookTransferSent = ValueOf<typeof partnerEvents.bookTransferSent>
export type BookTransferReceived = ValueOf<typeof partnerEvents.bookTransferReceived>
export type BookTransferRefused = ValueOf<typeof partnerEvents.bookTransferRefused>
export type BookTransferSettled = ValueOf<typeof partnerEvents.bookTransferSettled>
export type BookTransferReturned = ValueOf<typeof partnerEvents.bookTransferReturned>
