import type { Money, Quantity } from '../../amount.ts'
import type { AccountId, BookTransferId, LedgerId, PartnerId, Ticker, TransitId, WorldId } from '../../ids.ts'
import type { ByKind, OfKind } from '../../kinds.ts'
import type { BlockKind, Review } from '../account.ts'
import type { NewPosition } from '../commands.ts'
import type { BookTransfer, BookTransferResponse, KeyedCall } from './movements.ts'

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
  transferMoney: OfAccount & {
    readonly direction: 'in' | 'out'
    readonly method: 'ach' | 'wire'
    readonly amount: Money
    readonly note?: string
  }
  makeBookTransfer: {
    readonly partnerId?: PartnerId
    readonly from: AccountId
    readonly to: AccountId
    readonly what: BookTransferTerms
    readonly description?: string
  }
  /** A book transfer to an account of another world. `ledgerId` is the ledger of this world. */
  sendBookTransfer: {
    readonly partnerId?: PartnerId
    readonly from: AccountId
    readonly to: AccountId
    readonly toWorld: WorldId
    readonly ledgerId: LedgerId
    readonly what: BookTransferTerms
    readonly description?: string
  }
  /**
   * The request of another world to receive a book transfer. Repeating the request changes nothing, and `responseTo` returns
   * the same response. `ledgerId` is the ledger of this world.
   */
  receiveBookTransfer: BookTransferRequest & {
    readonly partnerId?: PartnerId
    readonly ledgerId: LedgerId
    readonly earlier?: KeyedCall
  }
  /** The response of the other world to a book transfer that is pending. */
  answerBookTransfer: { readonly bookTransferId: BookTransferId; readonly response: BookTransferResponse }
}>

type BookTransferTerms =
  | { readonly kind: 'cash'; readonly amount: Money }
  | { readonly kind: 'shares'; readonly symbol: Ticker; readonly quantity: Quantity }

/** What a world needs to receive a book transfer of another one. */
export type BookTransferRequest = Pick<BookTransfer, 'from' | 'to' | 'what' | 'description'> & {
  readonly transitId: TransitId
  readonly fromWorld: WorldId
}
export type TransferMoney = OfKind<PartnerCommand, 'transferMoney'>
export type MakeBookTransfer = OfKind<PartnerCommand, 'makeBookTransfer'>
export type SendBookTransfer = OfKind<PartnerCommand, 'sendBookTransfer'>

/**
 * An account and the partner that sends the command. Another partner's account returns "not found"; operators
 * name no partner.
 */
type OfAccount = { readonly accountId: AccountId; readonly partnerId?: PartnerId }
type OfBlocks = OfAccount & { readonly blocks: readonly BlockKind[]; readonly reason?: string }
