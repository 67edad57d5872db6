import type { Money, Price } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import { idempotencyKeySchema } from '../earlier-keys.ts'
import type { AccountId, Digest, KeyId, PartnerId, Ticker, UserId } from '../ids.ts'
import { postingSchema } from '../ledger/ledger.ts'
import { marginTermsSchema } from '../market/assets/asset.ts'
import {
  amount,
  date,
  events,
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
import type { Instant } from '../time.ts'
import { worldSettingsSchema } from '../world.ts'
import { flavourSchema, keyOwnerSchema, positionSchema, reviewSchema } from './account.ts'
import { accountConfigSchema } from './config.ts'
import { regulatoryFeesSchema } from './fees/fees.ts'

const ofAccount = { accountId: id<AccountId>() }

/** Absent account: the key of a partner. */
const ofKey = { accountId: optional(id<AccountId>()) }

export const accountEvents = events({
  /** The first event of every journal. */
  worldOpened: { settings: worldSettingsSchema },
  partnerAdded: { partnerId: id<PartnerId>(), name: text() },
  accountOpened: {
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
    /** Stored by earlier versions. */
    idempotency: optional(idempotencyKeySchema),
    details: optional(text()),
    review: optional(reviewSchema),
    posting: postingSchema,
  },
  keyIssued: {
    ...ofKey,
    owner: keyOwnerSchema,
    publicKey: optional(text()),
    expiresAt: optional(instant<Instant>()),
    sealed: record({ keyId: id<KeyId>(), digest: hex<Digest>(), chosen: optional(oneOf(true)) }),
  },
  keyRevoked: {
    ...ofKey,
    /** The key expired; absent if somebody revoked it. */
    expired: optional(oneOf(true)),
    sealed: record({ keyId: id<KeyId>() }),
  },
  keyLimited: {
    ...ofKey,
    expiresAt: instant<Instant>(),
    sealed: record({ keyId: id<KeyId>() }),
  },
  configChanged: {
    ...ofAccount,
    /** The complete settings after the change. */
    config: accountConfigSchema,
  },
  /** A regular close, with the prices that mark every position. */
  dayClosed: {
    date: date<CivilDate>(),
    marks: map(id<Ticker>(), amount<Price>()),
    /** Margin terms of the symbols that differ from the built-in list. */
    terms: optional(map(id<Ticker>(), marginTermsSchema)),
  },
  /** Regulatory fees since the previous close, each sum rounded up to whole cents. */
  feesBooked: {
    ...ofAccount,
    date: date<CivilDate>(),
    fees: regulatoryFeesSchema,
    posting: postingSchema,
  },
  /** One posting per account and day: the day's unsettled amounts become settled. */
  accountSettled: {
    ...ofAccount,
    date: date<CivilDate>(),
    posting: postingSchema,
  },
})
export type AccountOpened = ValueOf<typeof accountEvents.accountOpened>
export type KeyRevoked = ValueOf<typeof accountEvents.keyRevoked>
export type DayClosed = ValueOf<typeof accountEvents.dayClosed>
export type FeesBooked = ValueOf<typeof accountEvents.feesBooked>
export type AccountSettled = ValueOf<typeof accountEvents.accountSettled>
