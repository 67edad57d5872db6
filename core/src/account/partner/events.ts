import type { Money, Quantity } from '../../amount.ts'
import type { IdempotencyKey } from '../../idempotency.ts'
import type { AccountId } from '../../ids.ts'
import type { Posting } from '../../ledger/posting.ts'
import type { CivilDate, Instant } from '../../time.ts'
import type { BlockKind, Position, Review } from '../account.ts'
import type { Journal, Transfer } from './movements.ts'

export type PartnerEvent =
  | AccountUpdated
  | AccountBlocked
  | AccountUnblocked
  | AccountClosed
  | AccountReset
  | TransferBooked
  | JournalBooked

type AccountEventBase = { readonly at: Instant; readonly accountId: AccountId }

export type AccountUpdated = AccountEventBase & {
  readonly kind: 'accountUpdated'
  readonly details: string
  /** Null: approved. Absent: unchanged. */
  readonly review?: Review | null
}

/** Only blocks that are new or have a new reason. */
export type AccountBlocked = AccountEventBase & {
  readonly kind: 'accountBlocked'
  readonly blocks: readonly BlockKind[]
  readonly reason?: string
}

export type AccountUnblocked = Omit<AccountBlocked, 'kind'> & { readonly kind: 'accountUnblocked' }

/** All assets were moved to the bank. */
export type AccountClosed = AccountEventBase & { readonly kind: 'accountClosed'; readonly posting: Posting }

/** The account now holds exactly this, all settled; the bank account balanced the difference. */
export type AccountReset = AccountEventBase & {
  readonly kind: 'accountReset'
  readonly cash: Money
  readonly positions: readonly Position[]
  /** Equity now, used as the equity of the last close. */
  readonly equity: Money
  readonly date: CivilDate
  readonly posting: Posting
}

export type TransferBooked = AccountEventBase & {
  readonly kind: 'transferBooked'
  readonly transfer: Transfer
  readonly idempotency?: IdempotencyKey
  /** The withdrawable amount at the decision. */
  readonly decidedWith?: { readonly withdrawable: Money }
  readonly posting: Posting
}

/** An event of the giving account; the journal names the receiving one. */
export type JournalBooked = AccountEventBase & {
  readonly kind: 'journalBooked'
  readonly journal: Journal
  readonly idempotency?: IdempotencyKey
  readonly decidedWith: { readonly withdrawable: Money } | { readonly available: Quantity }
  readonly posting: Posting
}
