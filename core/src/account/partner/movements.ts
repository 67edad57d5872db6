import type { Money, Price, Quantity } from '../../amount.ts'
import type { IdempotencyKey } from '../../idempotency.ts'
import type { AccountId, JournalId, PartnerId, Ticker, TransferId } from '../../ids.ts'
import type { Instant } from '../../time.ts'
import { type ActivityPosition, activityId } from '../activity.ts'

/** A deposit or withdrawal. It completes immediately; no real bank is involved. */
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

/** A movement of money or shares between two accounts of one partner. */
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

/** Shares move with their part of the cost basis. `price` is the market price, if known. */
export type JournaledShares = {
  readonly kind: 'shares'
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly cost: Money
  readonly price?: Price
}

/** The result of a call with an idempotency key. Repeating the call returns the same result. */
export type KeyedCall = {
  readonly bodyHash: string
  readonly led:
    | { readonly kind: 'transfer'; readonly transfer: Transfer }
    | { readonly kind: 'journal'; readonly journal: Journal }
    | { readonly kind: 'account'; readonly accountId: AccountId }
}

/** `earlier` is the result that the views found under the key, if memory has dropped it. */
export type Keyed = { readonly idempotency?: IdempotencyKey; readonly earlier?: KeyedCall }

/** A journal position as a UUID, so that a movement is found by its id without a look-up table. */
export const movementId = (position: ActivityPosition): string => activityId(position).slice(TIME_LENGTH)

/** Length of the New York time that precedes the UUID in an activity id. */
const TIME_LENGTH = 'yyyyMMddHHmmssSSS::'.length
const ID_PATTERN = /^([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** Parses a movement id; undefined if the id is malformed. */
export function parseMovementId(id: string): ActivityPosition | undefined {
  const digits = ID_PATTERN.exec(id)?.slice(1).join('')
  if (digits === undefined) return undefined
  const at = BigInt(`0x${digits.slice(0, 16)}`)
  const seq = Number.parseInt(digits.slice(16, 28), 16)
  if (at > AT_MAX || seq === 0) return undefined
  return { at: at as Instant, seq, n: Number.parseInt(digits.slice(28), 16) }
}

/** Databases store signed 64-bit integers. */
const AT_MAX = 9_223_372_036_854_775_807n
