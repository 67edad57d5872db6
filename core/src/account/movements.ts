import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, JournalId, PartnerId, Ticker, TransferId } from '../ids.ts'
import type { Instant } from '../time.ts'

/** Money from outside or to there. It is there at once: no bank is asked. */
export type Transfer = {
  readonly id: TransferId
  readonly accountId: AccountId
  readonly partnerId: PartnerId
  readonly direction: 'in' | 'out'
  readonly means: 'ach' | 'wire'
  readonly amount: Money
  readonly note?: string
  readonly createdAt: Instant
}

/** Money or shares from one account of a partner to another. */
export type Journal = {
  readonly id: JournalId
  readonly partnerId: PartnerId
  readonly from: AccountId
  readonly to: AccountId
  readonly what: JournaledCash | JournaledShares
  readonly description?: string
  readonly createdAt: Instant
}

export type JournaledCash = { readonly kind: 'cash'; readonly amount: Money }

/** Shares take their part of what was paid for them along; `price` is what one was worth, if anyone knew. */
export type JournaledShares = {
  readonly kind: 'shares'
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly cost: Money
  readonly price?: Price
}
