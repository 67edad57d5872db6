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
import type { Instant } from '../time.ts'
import type { App, AppSettings, AppStatus, Grant, Token, UsedAssertion } from './app.ts'

export type OAuthEvent = AppEvent | GrantEvent | MachineEvent

export type AppEvent =
  | AppRegistered
  | AppStatusChanged
  | AppChanged
  | AppSecretAdded
  | AppSecretRemoved
  | AppDeleted
  | FailedAttemptLimitReached

export type GrantEvent =
  | CodeIssued
  | ConsentRefused
  | ConsentWithdrawn
  | TokenIssued
  | CodeExchanged
  | CodeReplayed
  | TokenRefreshed
  | RefreshReplayed
  | TokenRevoked
  | TokenExpired
  | GrantRevoked
  | GrantUsed

export type MachineEvent = MachineTokenIssued | MachineTokenRevoked

export type AppRegistered = {
  readonly kind: 'appRegistered'
  readonly at: Instant
  readonly app: Omit<App, 'clientId' | 'secrets'>
  readonly sealed: { readonly clientId: ClientId; readonly secret?: Digest }
}

type OfApp = { readonly at: Instant; readonly appId: AppId }

export type AppStatusChanged = OfApp & { readonly kind: 'appStatusChanged'; readonly status: AppStatus }

export type AppChanged = OfApp & {
  readonly kind: 'appChanged'
  readonly change: Partial<Omit<App, 'id' | 'clientId' | 'owner' | 'status' | 'secrets' | 'createdAt'>>
  readonly cleared?: readonly (keyof AppSettings)[]
}

export type AppSecretAdded = OfApp & {
  readonly kind: 'appSecretAdded'
  readonly secretId: SecretId
  /** End of validity of the other secrets. */
  readonly othersUntil?: Instant
  readonly sealed: { readonly secret: Digest }
}

export type AppSecretRemoved = OfApp & { readonly kind: 'appSecretRemoved'; readonly secretId: SecretId }

export type AppDeleted = OfApp & {
  readonly kind: 'appDeleted'
  readonly grants: readonly GrantId[]
  readonly revoked: readonly TokenId[]
  readonly sealed: { readonly clientId: ClientId }
}

export type FailedAttemptLimitReached = {
  readonly kind: 'failedAttemptLimitReached'
  readonly at: Instant
  readonly where: 'signIn' | 'app' | 'machine'
  readonly personId?: UserId
  readonly appId?: AppId
}

export type CodeIssued = {
  readonly kind: 'codeIssued'
  readonly at: Instant
  readonly accountId: AccountId
  readonly grant: Grant
  readonly redirectUri: string
  readonly expiresAt: Instant
  readonly challenge?: string
  readonly sealed: { readonly code: Digest }
}

export type ConsentRefused = {
  readonly kind: 'consentRefused'
  readonly at: Instant
  readonly personId: UserId
  readonly appId: AppId
}

export type ConsentWithdrawn = {
  readonly kind: 'consentWithdrawn'
  readonly at: Instant
  readonly personId: UserId
  readonly appId: AppId
  readonly grants: readonly GrantId[]
  readonly revoked: readonly TokenId[]
}

/** Issued directly, without a code. */
export type TokenIssued = {
  readonly kind: 'tokenIssued'
  readonly at: Instant
  readonly accountId: AccountId
  readonly grant: Grant
  readonly tokenId: TokenId
  readonly expiresAt?: Instant
  readonly sealed: { readonly token: Digest }
}

type OfGrant = { readonly at: Instant; readonly accountId: AccountId; readonly grantId: GrantId }

/** Expiry of the token, and its refresh token; absent if the token does not expire. */
type TokenExpiry = {
  readonly expiresAt?: Instant
  readonly refreshId?: TokenId
  readonly refreshExpiresAt?: Instant
}

export type CodeExchanged = OfGrant &
  TokenExpiry & {
    readonly kind: 'codeExchanged'
    readonly tokenId: TokenId
    readonly sealed: { readonly code: Digest; readonly token: Digest; readonly refresh?: Digest }
  }

/** Reuse of a used code: it may have been stolen, so its tokens are revoked. */
export type CodeReplayed = OfGrant & { readonly kind: 'codeReplayed'; readonly revoked: readonly TokenId[] }

export type TokenRefreshed = OfGrant &
  TokenExpiry & {
    readonly kind: 'tokenRefreshed'
    /** The refresh token that was used. */
    readonly usedId: TokenId
    /** The token had been used before, within the grace period. */
    readonly repeated?: true
    readonly tokenId: TokenId
    readonly narrowed?: NonNullable<Token['narrowed']>
    /** The grant's oldest tokens, if it has too many. */
    readonly dropped?: readonly TokenId[]
    readonly sealed: { readonly token: Digest; readonly refresh?: Digest }
  }

/** Reuse of a spent refresh token revokes every token of the grant (possible theft). */
export type RefreshReplayed = OfGrant & {
  readonly kind: 'refreshReplayed'
  readonly revoked: readonly TokenId[]
}

export type TokenRevoked = OfGrant & { readonly kind: 'tokenRevoked'; readonly tokenId: TokenId }

export type TokenExpired = OfGrant & { readonly kind: 'tokenExpired'; readonly tokenId: TokenId }

export type GrantRevoked = OfGrant & { readonly kind: 'grantRevoked'; readonly revoked: readonly TokenId[] }

/** Recorded on first use, then at most once an hour. */
export type GrantUsed = OfGrant & { readonly kind: 'grantUsed' }

export type MachineTokenIssued = {
  readonly kind: 'machineTokenIssued'
  readonly at: Instant
  readonly partnerId: PartnerId
  readonly expiresAt: Instant
  readonly sealed: {
    readonly keyId: KeyId
    readonly token: Digest
    readonly assertion?: UsedAssertion
  }
}

export type MachineTokenRevoked = {
  readonly kind: 'machineTokenRevoked'
  readonly at: Instant
  readonly partnerId: PartnerId
  readonly sealed: { readonly token: Digest }
}
