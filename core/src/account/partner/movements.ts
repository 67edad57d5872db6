import type { Money, Price, Quantity } from '../../amount.ts'
import {
  type AccountId,
  type BookTransferId,
  type LedgerId,
  type NewId,
  newIdOf,
  type PartnerId,
  type Ticker,
  type TransferId,
  type TransitId,
  type WorldId,
} from '../../ids.ts'
import { amount, id, instant, oneOf, optional, record, text, union, type ValueOf } from '../../schema.ts'
import { type Instant, instantOfNanos } from '../../time.ts'
import { type ActivityPosition, activityId } from '../activity.ts'

/** A deposit or withdrawal. It completes immediately; no real bank is involved. */
export const transferSchema = record({
  id: id<TransferId>(),
  accountId: id<AccountId>(),
  partnerId: id<PartnerId>(),
  direction: oneOf('in', 'out'),
  method: oneOf('ach', 'wire'),
  amount: amount<Money>(),
  note: optional(text()),
  createdAt: instant<Instant>(),
})
export type Transfer = ValueOf<typeof transferSchema>

/** Shares move with their part of the cost basis. `price` is the market price, if known. */
const movedSchema = union('kind', {
  cash: { amount: amount<Money>() },
  shares: {
    symbol: id<Ticker>(),
    quantity: amount<Quantity>(),
    cost: amount<Money>(),
    price: optional(amount<Price>()),
  },
})
export type MovedShares = Extract<ValueOf<typeof movedSchema>, { kind: 'shares' }>

/** A movement of money or shares between two accounts of one partner. They may be in two worlds. */
export const bookTransferSchema = record({
  id: id<BookTransferId>(),
  partnerId: id<PartnerId>(),
  from: id<AccountId>(),
  to: id<AccountId>(),
  what: movedSchema,
  description: optional(text()),
  createdAt: instant<Instant>(),
  /** The world of `from`, or of `to`, if it is another one. */
  fromWorld: optional(id<WorldId>()),
  toWorld: optional(id<WorldId>()),
  transitId: optional(id<TransitId>()),
  /** Absent: executed. */
  status: optional(oneOf('pending', 'rejected')),
  /** Why the other world rejected the book transfer. */
  reason: optional(text()),
})
export type BookTransfer = ValueOf<typeof bookTransferSchema>

/** What the world of the receiver has stored about a book transfer. The sender's world settles by this response. */
export type BookTransferResponse =
  | { readonly ok: true; readonly ledgerId: LedgerId }
  | { readonly ok: false; readonly reason: string }

/**
 * What is stored under a key: the response to a call with an idempotency key, or under the id of a book transfer between two
 * worlds its response or its result.
 */
export type KeyedCall = {
  readonly bodyHash: string
  readonly led:
    | {
        readonly kind: 'response'
        readonly ownerId: string
        readonly number: number
        readonly response: string
        readonly createdAt: Instant
      }
    | { readonly kind: 'bookTransfer'; readonly bookTransfer: BookTransfer }
    | { readonly kind: 'worldResponse'; readonly response: BookTransferResponse; readonly createdAt: Instant }
}

/** A journal position as a UUID, so that a movement is found by its id without a look-up table. */
export const movementId = (position: ActivityPosition): NewId =>
  newIdOf(activityId(position).slice(TIME_LENGTH))

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
  return { at: instantOfNanos(at), seq, n: Number.parseInt(digits.slice(28), 16) }
}

/** Databases store signed 64-bit integers. */
const AT_MAX = 9_223_372_036_854_775_807n
