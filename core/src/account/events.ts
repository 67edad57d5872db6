import type { Money, Price } from '../amount.ts'
import { idempotencyKeySchema } from '../idempotency.ts'
import type { AccountId, Digest, KeyId, PartnerId, Ticker, UserId } from '../ids.ts'
import { postingSchema } from '../ledger/posting.ts'
import { marginTermsSchema } from '../market/asset.ts'
import {
  amount,
  date,
  event,
  hex,
  id,
  instant,
  list,
  map,
  oneOf,
  optional,
  record,
  text,
  type ValueOf,
} from '../schema.ts'
import type { CivilDate, Instant } from '../time.ts'
import { worldSettingsSchema } from '../world.ts'
import { flavourSchema, keyOwnerSchema, positionSchema, reviewSchema } from './account.ts'
import { accountConfigSchema } from './config.ts'
import { regulatoryFeesSchema } from './fees.ts'

/** The first event of every journal. */
const worldOpened = event('worldOpened', { at: instant<Instant>(), settings: worldSettingsSchema })
export type WorldOpened = ValueOf<typeof worldOpened>

const partnerAdded = event('partnerAdded', {
  at: instant<Instant>(),
  partnerId: id<PartnerId>(),
  name: text(),
})
export type PartnerAdded = ValueOf<typeof partnerAdded>

const ofAccount = { at: instant<Instant>(), accountId: id<AccountId>() }

const accountOpened = event('accountOpened', {
  ...ofAccount,
  number: text(),
  flavour: flavourSchema,
  userId: optional(id<UserId>()),
  partnerId: id<PartnerId>(),
  cash: amount<Money>(),
  date: date<CivilDate>(),
  /** Starting positions, and equity with them; absent if the account starts with cash only. */
  positions: optional(list(positionSchema)),
  equity: optional(amount<Money>()),
  client: optional(record({ id: id(), bodyHash: hex() })),
  idempotency: optional(idempotencyKeySchema),
  details: optional(text()),
  review: optional(reviewSchema),
  posting: postingSchema,
})
export type AccountOpened = ValueOf<typeof accountOpened>

/** Absent account: the key of a partner. */
const ofKey = { at: instant<Instant>(), accountId: optional(id<AccountId>()) }

const keyIssued = event('keyIssued', {
  ...ofKey,
  owner: keyOwnerSchema,
  publicKey: optional(text()),
  expiresAt: optional(instant<Instant>()),
  sealed: record({ keyId: id<KeyId>(), digest: hex<Digest>(), chosen: optional(oneOf(true)) }),
})
export type KeyIssued = ValueOf<typeof keyIssued>

const keyRevoked = event('keyRevoked', {
  ...ofKey,
  /** The key expired; absent if somebody revoked it. */
  expired: optional(oneOf(true)),
  sealed: record({ keyId: id<KeyId>() }),
})
export type KeyRevoked = ValueOf<typeof keyRevoked>

const keyLimited = event('keyLimited', {
  ...ofKey,
  expiresAt: instant<Instant>(),
  sealed: record({ keyId: id<KeyId>() }),
})
export type KeyLimited = ValueOf<typeof keyLimited>

const configChanged = event('configChanged', {
  ...ofAccount,
  /** The complete settings after the change. */
  config: accountConfigSchema,
})
export type ConfigChanged = ValueOf<typeof configChanged>

/** A regular close, with the prices that mark every position. */
const dayClosed = event('dayClosed', {
  at: instant<Instant>(),
  date: date<CivilDate>(),
  marks: map(id<Ticker>(), amount<Price>()),
  /** Margin terms of the symbols that differ from the built-in list. */
  terms: optional(map(id<Ticker>(), marginTermsSchema)),
})
export type DayClosed = ValueOf<typeof dayClosed>

/** Regulatory fees since the previous close, each sum rounded up to whole cents. */
const feesBooked = event('feesBooked', {
  ...ofAccount,
  date: date<CivilDate>(),
  fees: regulatoryFeesSchema,
  posting: postingSchema,
})
export type FeesBooked = ValueOf<typeof feesBooked>

/** One posting per account and day: the day's unsettled amounts become settled. */
const accountSettled = event('accountSettled', {
  ...ofAccount,
  date: date<CivilDate>(),
  posting: postingSchema,
})
export type AccountSettled = ValueOf<typeof accountSettled>

export const accountEvents = [
  worldOpened,
  partnerAdded,
  accountOpened,
  keyIssued,
  keyRevoked,
  keyLimited,
  configChanged,
  dayClosed,
  feesBooked,
  accountSettled,
] as const
export type AccountEvent = ValueOf<(typeof accountEvents)[number]>
