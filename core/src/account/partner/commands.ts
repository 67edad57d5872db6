import type { Money, Quantity } from '../../amount.ts'
import type { AccountId, PartnerId, Ticker } from '../../ids.ts'
import type { BlockKind, Review } from '../account.ts'
import type { GivenPosition } from '../commands.ts'
import type { Keyed } from './movements.ts'

/** What partners and operators do with accounts they have opened. */
export type PartnerCommand =
  | UpdateAccount
  | BlockAccount
  | UnblockAccount
  | CloseAccount
  | ResetAccount
  | TransferMoney
  | JournalBetween

/** Names an account, and the partner that asks: to it another's account is as good as none. An operator is none. */
type OfAccount = { readonly accountId: AccountId; readonly partnerId?: PartnerId }

/** `patch` is JSON text of a record: its fields replace those known, null takes one away, records go field by field. */
export type UpdateAccount = OfAccount & {
  readonly kind: 'updateAccount'
  readonly patch: string
  /** Null: it is open for business from here on. Absent: as before. */
  readonly review?: Review | null
}

/** Forbids an account to do something, with a reason for whoever looks later. What is open stays open. */
export type BlockAccount = OfAccount & {
  readonly kind: 'blockAccount'
  readonly blocks: readonly BlockKind[]
  readonly reason?: string
}

export type UnblockAccount = Omit<BlockAccount, 'kind'> & { readonly kind: 'unblockAccount' }

/** `empty`: open orders are canceled, and shares leave as money does; else there must be neither. */
export type CloseAccount = OfAccount & { readonly kind: 'closeAccount'; readonly empty: boolean }

/** Begins again with this cash and these positions; whatever is open is canceled. */
export type ResetAccount = OfAccount & {
  readonly kind: 'resetAccount'
  readonly cash: Money
  readonly positions: readonly GivenPosition[]
}

export type TransferMoney = OfAccount &
  Keyed & {
    readonly kind: 'transferMoney'
    readonly direction: 'in' | 'out'
    readonly means: 'ach' | 'wire'
    readonly amount: Money
    readonly note?: string
  }

export type JournalBetween = Keyed & {
  readonly kind: 'journalBetween'
  readonly partnerId?: PartnerId
  readonly from: AccountId
  readonly to: AccountId
  readonly what:
    | { readonly kind: 'cash'; readonly amount: Money }
    | { readonly kind: 'shares'; readonly symbol: Ticker; readonly quantity: Quantity }
  readonly description?: string
}
