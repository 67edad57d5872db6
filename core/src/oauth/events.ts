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
import { event, hex, id, instant, list, oneOf, optional, record, text, type ValueOf } from '../schema.ts'
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

const appRegistered = event('appRegistered', {
  at: instant<Instant>(),
  app: registeredAppSchema,
  sealed: record({ clientId: hex<ClientId>(), secret: optional(hex<Digest>()) }),
})
export type AppRegistered = ValueOf<typeof appRegistered>

const ofApp = { at: instant<Instant>(), appId: id<AppId>() }

const appStatusChanged = event('appStatusChanged', { ...ofApp, status: appStatusSchema })
export type AppStatusChanged = ValueOf<typeof appStatusChanged>

const appChanged = event('appChanged', {
  ...ofApp,
  change: appChangeSchema,
  cleared: optional(list(appSettingNameSchema)),
})
export type AppChanged = ValueOf<typeof appChanged>

const appSecretAdded = event('appSecretAdded', {
  ...ofApp,
  secretId: id<SecretId>(),
  /** End of validity of the other secrets. */
  othersUntil: optional(instant<Instant>()),
  sealed: record({ secret: hex<Digest>() }),
})
export type AppSecretAdded = ValueOf<typeof appSecretAdded>

const appSecretRemoved = event('appSecretRemoved', { ...ofApp, secretId: id<SecretId>() })
export type AppSecretRemoved = ValueOf<typeof appSecretRemoved>

const appDeleted = event('appDeleted', {
  ...ofApp,
  grants: list(id<GrantId>()),
  revoked: list(id<TokenId>()),
  sealed: record({ clientId: hex<ClientId>() }),
})
export type AppDeleted = ValueOf<typeof appDeleted>

const failedAttemptLimitReached = event('failedAttemptLimitReached', {
  at: instant<Instant>(),
  where: oneOf('signIn', 'app', 'machine'),
  userId: optional(id<UserId>()),
  appId: optional(id<AppId>()),
})
export type FailedAttemptLimitReached = ValueOf<typeof failedAttemptLimitReached>

export const appEvents = [
  appRegistered,
  appStatusChanged,
  appChanged,
  appSecretAdded,
  appSecretRemoved,
  appDeleted,
  failedAttemptLimitReached,
] as const
export type AppEvent = ValueOf<(typeof appEvents)[number]>

const codeIssued = event('codeIssued', {
  at: instant<Instant>(),
  accountId: id<AccountId>(),
  grant: grantSchema,
  redirectUri: text(),
  expiresAt: instant<Instant>(),
  challenge: optional(text()),
  sealed: record({ code: hex<Digest>() }),
})
export type CodeIssued = ValueOf<typeof codeIssued>

const consentRefused = event('consentRefused', {
  at: instant<Instant>(),
  userId: id<UserId>(),
  appId: id<AppId>(),
})
export type ConsentRefused = ValueOf<typeof consentRefused>

const consentWithdrawn = event('consentWithdrawn', {
  at: instant<Instant>(),
  userId: id<UserId>(),
  appId: id<AppId>(),
  grants: list(id<GrantId>()),
  revoked: list(id<TokenId>()),
})
export type ConsentWithdrawn = ValueOf<typeof consentWithdrawn>

/** Issued directly, without a code. */
const tokenIssued = event('tokenIssued', {
  at: instant<Instant>(),
  accountId: id<AccountId>(),
  grant: grantSchema,
  tokenId: id<TokenId>(),
  expiresAt: optional(instant<Instant>()),
  sealed: record({ token: hex<Digest>() }),
})
export type TokenIssued = ValueOf<typeof tokenIssued>

const ofGrant = { at: instant<Instant>(), accountId: id<AccountId>(), grantId: id<GrantId>() }

/** Expiry of the token, and its refresh token; absent if the token does not expire. */
const tokenExpiry = {
  expiresAt: optional(instant<Instant>()),
  refreshId: optional(id<TokenId>()),
  refreshExpiresAt: optional(instant<Instant>()),
}

const codeExchanged = event('codeExchanged', {
  ...ofGrant,
  ...tokenExpiry,
  tokenId: id<TokenId>(),
  sealed: record({ code: hex<Digest>(), token: hex<Digest>(), refresh: optional(hex<Digest>()) }),
})
export type CodeExchanged = ValueOf<typeof codeExchanged>

/** Reuse of a used code: it may have been stolen, so its tokens are revoked. */
const codeReplayed = event('codeReplayed', { ...ofGrant, revoked: list(id<TokenId>()) })
export type CodeReplayed = ValueOf<typeof codeReplayed>

const tokenRefreshed = event('tokenRefreshed', {
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
})
export type TokenRefreshed = ValueOf<typeof tokenRefreshed>

/** Reuse of a spent refresh token revokes every token of the grant (possible theft). */
const refreshReplayed = event('refreshReplayed', { ...ofGrant, revoked: list(id<TokenId>()) })
export type RefreshReplayed = ValueOf<typeof refreshReplayed>

const tokenRevoked = event('tokenRevoked', { ...ofGrant, tokenId: id<TokenId>() })
export type TokenRevoked = ValueOf<typeof tokenRevoked>

const tokenExpired = event('tokenExpired', { ...ofGrant, tokenId: id<TokenId>() })
export type TokenExpired = ValueOf<typeof tokenExpired>

const grantRevoked = event('grantRevoked', { ...ofGrant, revoked: list(id<TokenId>()) })
export type GrantRevoked = ValueOf<typeof grantRevoked>

/** Recorded on first use, then at most once an hour. */
const grantUsed = event('grantUsed', ofGrant)
export type GrantUsed = ValueOf<typeof grantUsed>

export const grantEvents = [
  codeIssued,
  consentRefused,
  consentWithdrawn,
  tokenIssued,
  codeExchanged,
  codeReplayed,
  tokenRefreshed,
  refreshReplayed,
  tokenRevoked,
  tokenExpired,
  grantRevoked,
  grantUsed,
] as const
export type GrantEvent = ValueOf<(typeof grantEvents)[number]>

const machineTokenIssued = event('machineTokenIssued', {
  at: instant<Instant>(),
  partnerId: id<PartnerId>(),
  expiresAt: instant<Instant>(),
  sealed: record({
    keyId: id<KeyId>(),
    token: hex<Digest>(),
    assertion: optional(usedAssertionSchema),
  }),
})
export type MachineTokenIssued = ValueOf<typeof machineTokenIssued>

const machineTokenRevoked = event('machineTokenRevoked', {
  at: instant<Instant>(),
  partnerId: id<PartnerId>(),
  sealed: record({ token: hex<Digest>() }),
})
export type MachineTokenRevoked = ValueOf<typeof machineTokenRevoked>

export const machineEvents = [machineTokenIssued, machineTokenRevoked] as const
export type MachineEvent = ValueOf<(typeof machineEvents)[number]>

export type OAuthEvent = AppEvent | GrantEvent | MachineEvent
