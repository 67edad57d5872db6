import type {
  AccountId,
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
import type { AppSettings, AppStatus, UsedAssertion } from './app.ts'
import type { Scope } from './scopes.ts'

export type OAuthCommand =
  | RegisterApp
  | ChangeAppStatus
  | ChangeApp
  | AddAppSecret
  | RemoveAppSecret
  | DeleteApp
  | AuthorizeApp
  | IssueToken
  | Consent
  | RefuseConsent
  | WithdrawConsent
  | ExchangeCode
  | RefreshToken
  | RevokeToken
  | RevokeAppToken
  | RevokeGrant
  | NoteGrantUse
  | RecordFailedAttemptLimit
  | IssueMachineToken
  | RevokeMachineToken

/** An app's description and permissions. */
export type AppDetails = {
  /** Other partners that may use it. */
  readonly shared?: readonly PartnerId[]
  readonly name: string
  readonly description: string
  readonly url: string
  readonly termsOfUse: string
  readonly privacyPolicy: string
  readonly redirectUris: readonly string[]
  readonly scopes: readonly Scope[]
  readonly liveTradingApproved: boolean
  readonly settings?: AppSettings
}

/**
 * The caller creates the client id: it is random, like the secret, and it selects a world. A public app has
 * no secret.
 */
export type RegisterApp = AppDetails & {
  readonly kind: 'registerApp'
  readonly clientId: ClientId
  readonly owner: PartnerId
  readonly secret?: Digest
}

/** Only the owner may change an app; for others it does not exist. */
type OfOwner = { readonly partnerId: PartnerId; readonly clientId: string }

export type ChangeAppStatus = OfOwner & { readonly kind: 'changeAppStatus'; readonly status: AppStatus }

/** Fields and settings that are not named stay unchanged. */
export type ChangeApp = OfOwner & {
  readonly kind: 'changeApp'
  readonly change: Partial<AppDetails> & {
    readonly status?: AppStatus
    readonly cleared?: readonly (keyof AppSettings)[]
  }
}

/** Other secrets stay valid, or until `othersUntil`. */
export type AddAppSecret = OfOwner & {
  readonly kind: 'addAppSecret'
  readonly secret: Digest
  readonly othersUntil?: Instant
}

export type RemoveAppSecret = OfOwner & { readonly kind: 'removeAppSecret'; readonly secretId: SecretId }

/** Deletes the app and its grants. */
export type DeleteApp = OfOwner & { readonly kind: 'deleteApp' }

/**
 * An authorization request by an app, or by a partner for it. Unparsed, because problems with the app are
 * reported first.
 */
export type AppRequest = {
  readonly clientId?: string
  readonly secret?: Digest
  readonly redirectUri?: string
}

/** A partner's request after its customer allowed an app. */
export type PartnerRequest = AppRequest & {
  readonly partnerId: PartnerId
  readonly scope?: string
  readonly accountId?: string
  readonly challenge?: string
}

export type AuthorizeApp = PartnerRequest & { readonly kind: 'authorizeApp'; readonly code: Digest }

/** Issues a token without a code. */
export type IssueToken = PartnerRequest & { readonly kind: 'issueToken'; readonly token: Digest }

/** The authorization request shown to a user. */
export type UserRequest = AppRequest & {
  readonly userId: UserId
  /** An empty scope means read only. */
  readonly scope: string
  readonly challenge?: string
}

/** A user allows an app to act for one live account, one paper account, or one of each. */
export type Consent = UserRequest & {
  readonly kind: 'consent'
  readonly live?: AccountId
  readonly paper?: AccountId
  readonly code: Digest
}

/** Recorded for the audit log only. */
export type RefuseConsent = {
  readonly kind: 'refuseConsent'
  readonly userId: UserId
  readonly clientId: string
}

/** Ends all access of an app to a user's accounts. */
export type WithdrawConsent = {
  readonly kind: 'withdrawConsent'
  readonly userId: UserId
  readonly clientId: string
}

/** Exchanges a code for a token, and a refresh token if the app's tokens expire. */
export type ExchangeCode = AppRequest & {
  readonly kind: 'exchangeCode'
  readonly code: Digest
  /** Derived from the app's verifier; absent if it sent none. */
  readonly challenge?: string
  readonly token: Digest
  /** Set if the app wants a refresh token. */
  readonly refresh?: Digest
}

export type RefreshToken = Pick<AppRequest, 'clientId' | 'secret'> & {
  readonly kind: 'refreshToken'
  readonly current: Digest
  /** A subset of the grant's scopes; absent: all. */
  readonly scope?: string
  readonly token: Digest
  readonly refresh: Digest
}

/** Requested by a partner that may use the token's app. */
export type RevokeToken = {
  readonly kind: 'revokeToken'
  readonly partnerId: PartnerId
  readonly tokenId: TokenId
}

/** Requested by the app itself. Revoking a refresh token revokes its whole grant. */
export type RevokeAppToken = Pick<AppRequest, 'clientId' | 'secret'> & {
  readonly kind: 'revokeAppToken'
  readonly token: Digest
}

/** Requested by a partner that may use the app and has the account. */
export type RevokeGrant = {
  readonly kind: 'revokeGrant'
  readonly partnerId: PartnerId
  readonly grantId: GrantId
}

/** The app used a grant. Submitted at most once an hour per grant. */
export type NoteGrantUse = { readonly kind: 'noteGrantUse'; readonly grantId: GrantId }

/** Recorded for the audit log only: too many failed attempts, so further attempts are blocked for a while. */
export type RecordFailedAttemptLimit = {
  readonly kind: 'recordFailedAttemptLimit'
  readonly where: 'signIn' | 'app' | 'machine'
  readonly userId?: UserId
  readonly clientId?: string
}

/** The caller has verified the secret or the signature. An assertion is valid once. */
export type IssueMachineToken = {
  readonly kind: 'issueMachineToken'
  readonly keyId: KeyId
  readonly token: Digest
  readonly assertion?: UsedAssertion
}

export type RevokeMachineToken = {
  readonly kind: 'revokeMachineToken'
  readonly keyId: KeyId
  readonly token: Digest
}
