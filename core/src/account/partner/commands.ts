import type { Money, Quantity } from '../../amount.ts'
import type { AccountId, PartnerId, Ticker } from '../../ids.ts'
import type { ByKind, OfKind } from '../../kinds.ts'
import type { BlockKind, Review } from '../account.ts'
import type { NewPosition } from '../commands.ts'
import type { Keyed } from './movements.ts'

/** Operations of partners and operators on existing accounts. */
export type PartnerCommand = ByKind<{
  /**
   * `patch` is a JSON object. Its fields replace the stored ones, null deletes a field, and nested objects are
   * merged.
   */
  updateAccount: OfAccount & {
    readonly patch: string
    /** Null: approved. Absent: unchanged. */
    readonly review?: Review | null
  }
  /** Blocks an account, with a reason for the record. Open orders stay open. */
  blockAccount: OfBlocks
  unblockAccount: OfBlocks
  /**
   * `empty`: cancel open orders and withdraw shares and money. Otherwise the account must have neither orders
   * nor positions.
   */
  closeAccount: OfAccount & { readonly empty: boolean }
  /** Starts again with this cash and these positions; open orders are canceled. */
  resetAccount: OfAccount & { readonly cash: Money; readonly positions: readonly NewPosition[] }
  transferMoney: OfAccount &
    Keyed & {
      readonly direction: 'in' | 'out'
      readonly method: 'ach' | 'wire'
      readonly amount: Money
      readonly note?: string
    }
  journalBetween: Keyed & {
    readonly partnerId?: PartnerId
    readonly from: AccountId
    readonly to: AccountId
    readonly what:
      | { readonly kind: 'cash'; readonly amount: Money }
      | { readonly kind: 'shares'; readonly symbol: Ticker; readonly quantity: Quantity }
    readonly description?: string
  }
}>
export type TransferMoney = OfKind<PartnerCommand, 'transferMoney'>
export type JournalBetween = OfKind<PartnerCommand, 'journalBetween'>

/**
 * An account and the partner that sends the command. Another partner's account returns "not found"; operators
 * name no partner.
 */
type OfAccount = { readonly accountId: AccountId; readonly partnerId?: PartnerId }
type OfBlocks = OfAccount & { readonly blocks: readonly BlockKind[]; readonly reason?: string }
