import type { Money, Price, Quantity } from '../../amount.ts'
import type { IdempotencyKey } from '../../idempotency.ts'
import type { AccountId, JournalId, PartnerId, Ticker, TransferId } from '../../ids.ts'
import type { Instant } from '../../time.ts'
import { type ActivityPlace, activityId } from '../activity.ts'

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

/** What a partner's call under an idempotency key led to: the same call again is answered with it. */
export type KeyedCall = {
  readonly bodyHash: string
  readonly led:
    | { readonly kind: 'transfer'; readonly transfer: Transfer }
    | { readonly kind: 'journal'; readonly journal: Journal }
    | { readonly kind: 'account'; readonly accountId: AccountId }
}

/** `earlier` is what the views knew under the key, where memory has let it go. */
export type Keyed = { readonly idempotency?: IdempotencyKey; readonly earlier?: KeyedCall }

/** A place in the form of a UUID: whoever knows the id of a movement finds it in the past without a look-up table. */
export const movementId = (place: ActivityPlace): string => activityId(place).slice(CLOCK)

/** In front of it an activity's id tells the time in New York. */
const CLOCK = 'yyyyMMddHHmmssSSS::'.length
const FORM = /^([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** The place an id tells of; nothing where it is none of ours. */
export function placeOfMovement(id: string): ActivityPlace | undefined {
  const digits = FORM.exec(id)?.slice(1).join('')
  if (digits === undefined) return undefined
  const at = BigInt(`0x${digits.slice(0, 16)}`)
  const seq = Number.parseInt(digits.slice(16, 28), 16)
  if (at > AT_MAX || seq === 0) return undefined
  return { at: at as Instant, seq, n: Number.parseInt(digits.slice(28), 16) }
}

/** Databases count with 64 bits, and one of them is the sign. */
const AT_MAX = 9_223_372_036_854_775_807n
