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

type OfAccount = { readonly at: Instant; readonly accountId: AccountId }

export type AccountUpdated = OfAccount & {
  readonly kind: 'accountUpdated'
  readonly details: string
  /** Null: it is open for business from here on. Absent: as before. */
  readonly review?: Review | null
}

/** Only what was not so before, or for another reason. */
export type AccountBlocked = OfAccount & {
  readonly kind: 'accountBlocked'
  readonly blocks: readonly BlockKind[]
  readonly reason?: string
}

export type AccountUnblocked = Omit<AccountBlocked, 'kind'> & { readonly kind: 'accountUnblocked' }

/** Whatever was in it has left for the bank. */
export type AccountClosed = OfAccount & { readonly kind: 'accountClosed'; readonly posting: Posting }

/** It holds this and nothing else from here on, all of it settled; the bank took what was there and gave this. */
export type AccountReset = OfAccount & {
  readonly kind: 'accountReset'
  readonly cash: Money
  readonly positions: readonly Position[]
  /** What it is worth, which stands for the close before. */
  readonly equity: Money
  readonly date: CivilDate
  readonly posting: Posting
}

export type TransferBooked = OfAccount & {
  readonly kind: 'transferBooked'
  readonly transfer: Transfer
  readonly idempotency?: IdempotencyKey
  /** What could have been taken out. */
  readonly decidedWith?: { readonly withdrawable: Money }
  readonly posting: Posting
}

/** An event of the account that gives; the one that receives is named in the journal. */
export type JournalBooked = OfAccount & {
  readonly kind: 'journalBooked'
  readonly journal: Journal
  readonly idempotency?: IdempotencyKey
  readonly decidedWith: { readonly withdrawable: Money } | { readonly available: Quantity }
  readonly posting: Posting
}
