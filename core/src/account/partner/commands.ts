import type { Money, Quantity } from '../../amount.ts'
import type { AccountId, PartnerId, Ticker } from '../../ids.ts'
import type { BlockKind, Review } from '../account.ts'
import type { NewPosition } from '../commands.ts'
import type { Keyed } from './movements.ts'

/** Operations of partners and operators on existing accounts. */
export type PartnerCommand =
  | UpdateAccount
  | BlockAccount
  | UnblockAccount
  | CloseAccount
  | ResetAccount
  | TransferMoney
  | JournalBetween

/**
 * An account and the partner that sends the command. Another partner's account returns "not found"; operators
 * name no partner.
 */
type AccountCommandBase = { readonly accountId: AccountId; readonly partnerId?: PartnerId }

/**
 * `patch` is a JSON object. Its fields replace the stored ones, null deletes a field, and nested objects are
 * merged.
 */
export type UpdateAccount = AccountCommandBase & {
  readonly kind: 'updateAccount'
  readonly patch: string
  /** Null: approved. Absent: unchanged. */
  readonly review?: Review | null
}

/** Blocks an account, with a reason for the record. Open orders stay open. */
export type BlockAccount = AccountCommandBase & {
  readonly kind: 'blockAccount'
  readonly blocks: readonly BlockKind[]
  readonly reason?: string
}

export type UnblockAccount = Omit<BlockAccount, 'kind'> & { readonly kind: 'unblockAccount' }

/**
 * `empty`: cancel open orders and withdraw shares and money. Otherwise the account must have neither orders
 * nor positions.
 */
export type CloseAccount = AccountCommandBase & { readonly kind: 'closeAccount'; readonly empty: boolean }

/** Starts again with this cash and these positions; open orders are canceled. */
export type ResetAccount = AccountCommandBase & {
  readonly kind: 'resetAccount'
  readonly cash: Money
  readonly positions: readonly NewPosition[]
}

export type TransferMoney = AccountCommandBase &
  Keyed & {
    readonly kind: 'transferMoney'
    readonly direction: 'in' | 'out'
    readonly method: 'ach' | 'wire'
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
