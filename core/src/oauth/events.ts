import type {
  AccountId,
  AppId,
  ClientId,
  Digest,
  GrantId,
  KeyId,
  PartnerId,
  SecretId,
  TokenId,
  UserId,
} from '../ids.ts'
import {
  type EventIn,
  events,
  hex,
  id,
  instant,
  list,
  oneOf,
  optional,
  record,
  text,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'
import {
  appChangeSchema,
  appSettingNameSchema,
  appStatusSchema,
  grantSchema,
  narrowedSchema,
  registeredAppSchema,
  usedAssertionSchema,
} from './app.ts'

const ofApp = { appId: id<AppId>() }

export const appEvents = events({
  appRegistered: {
    app: registeredAppSchema,
    sealed: record({ clientId: hex<ClientId>(), secret: optional(hex<Digest>()) }),
  },
  appStatusChanged: { ...ofApp, status: appStatusSchema },
  appChanged: {
    ...ofApp,
    change: appChangeSchema,
    cleared: optional(list(appSettingNameSchema)),
  },
  appSecretAdded: {
    ...ofApp,
    secretId: id<SecretId>(),
    /** Until when the other secrets are valid. */
    othersUntil: optional(instant<Instant>()),
    sealed: record({ secret: hex<Digest>() }),
  },
  appSecretRemoved: { ...ofApp, secretId: id<SecretId>() },
  appDeleted: {
    ...ofApp,
    grants: list(id<GrantId>()),
    revoked: list(id<TokenId>()),
    sealed: record({ clientId: hex<ClientId>() }),
  },
  failedAttemptLimitReached: {
    where: oneOf('signIn', 'app', 'machine'),
    userId: optional(id<UserId>()),
    appId: optional(id<AppId>()),
  },
})
export type AppStatusChanged = ValueOf<typeof appEvents.appStatusChanged>
export type AppChanged = ValueOf<typeof appEvents.appChanged>
export type AppSecretRemoved = ValueOf<typeof appEvents.appSecretRemoved>

const ofGrant = { accountId: id<AccountId>(), grantId: id<GrantId>() }

/** Expiry of the token, and its refresh token; absent if the token does not expire. */
const tokenExpiry = {
  expiresAt: optional(instant<Instant>()),
  refreshId: optional(id<TokenId>()),
  refreshExpiresAt: optional(instant<Instant>()),
}

export const grantEvents = events({
  codeIssued: {
    accountId: id<AccountId>(),
    grant: grantSchema,
    redirectUri: text(),
    expiresAt: instant<Instant>(),
    challenge: optional(text()),
    sealed: record({ code: hex<Digest>() }),
  },
  consentRefused: { userId: id<UserId>(), appId: id<AppId>() },
  consentWithdrawn: {
    userId: id<UserId>(),
    appId: id<AppId>(),
    grants: list(id<GrantId>()),
    revoked: list(id<TokenId>()),
  },
  /** Issued directly, without a code. */
  tokenIssued: {
    accountId: id<AccountId>(),
    grant: grantSchema,
    tokenId: id<TokenId>(),
    expiresAt: optional(instant<Instant>()),
    sealed: record({ token: hex<Digest>() }),
  },
  codeExchanged: {
    ...ofGrant,
    ...tokenExpiry,
    tokenId: id<TokenId>(),
    sealed: record({ code: hex<Digest>(), token: hex<Digest>(), refresh: optional(hex<Digest>()) }),
  },
  /** Reuse of a used code: it may have been stolen, so its tokens are revoked. */
  codeReplayed: { ...ofGrant, revoked: list(id<TokenId>()) },
  tokenRefreshed: {
    ...ofGrant,
    ...tokenExpiry,
    /** The refresh token that was used. */
    usedId: id<TokenId>(),
    /** The token had been used before, within the grace period. */
    repeated: optional(oneOf(true)),
    tokenId: id<TokenId>(),
    narrowed: optional(narrowedSchema),
    /** The grant's oldest tokens, if it has too many. */
    dropped: optional(list(id<TokenId>())),
    sealed: record({ token: hex<Digest>(), refresh: optional(hex<Digest>()) }),
  },
  /** Reuse of a spent refresh token revokes every token of the grant (possible theft). */
  refreshReplayed: { ...ofGrant, revoked: list(id<TokenId>()) },
  tokenRevoked: { ...ofGrant, tokenId: id<TokenId>() },
  tokenExpired: { ...ofGrant, tokenId: id<TokenId>() },
  grantRevoked: { ...ofGrant, revoked: list(id<TokenId>()) },
  /** Recorded on first use, then at most once an hour. */
  grantUsed: ofGrant,
})
export type CodeIssued = ValueOf<typeof grantEvents.codeIssued>
export type CodeExchanged = ValueOf<typeof grantEvents.codeExchanged>
export type TokenRefreshed = ValueOf<typeof grantEvents.tokenRefreshed>
export type TokenRevoked = ValueOf<typeof grantEvents.tokenRevoked>
export type GrantRevoked = ValueOf<typeof grantEvents.grantRevoked>

export const machineEvents = events({
  machineTokenIssued: {
    partnerId: id<PartnerId>(),
    expiresAt: instant<Instant>(),
    sealed: record({
      keyId: id<KeyId>(),
      token: hex<Digest>(),
      assertion: optional(usedAssertionSchema),
    }),
  },
  machineTokenRevoked: { partnerId: id<PartnerId>(), sealed: record({ token: hex<Digest>() }) },
})

export type OAuthEvent = EventIn<typeof appEvents & typeof grantEvents & typeof machineEvents>
