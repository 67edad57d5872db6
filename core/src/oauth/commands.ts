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
import type { ByKind, OfKind } from '../kinds.ts'
import type { Instant } from '../time.ts'
import type { AppSettings, AppStatus, UsedAssertion } from './app.ts'
import type { Scope } from './scopes.ts'

export type OAuthCommand = ByKind<{
  /**
   * The caller creates the client id: it is random, like the secret, and it selects a world. A public app has
   * no secret.
   */
  registerApp: AppDetails & {
    readonly clientId: ClientId
    readonly owner: PartnerId
    readonly secret?: Digest
  }
  changeAppStatus: OfOwner & { readonly status: AppStatus }
  /** Fields and settings that are not named stay unchanged. */
  changeApp: OfOwner & {
    readonly change: Partial<AppDetails> & {
      readonly status?: AppStatus
      readonly cleared?: readonly (keyof AppSettings)[]
    }
  }
  /** Other secrets stay valid, or until `othersUntil`. */
  addAppSecret: OfOwner & { readonly secret: Digest; readonly othersUntil?: Instant }
  removeAppSecret: OfOwner & { readonly secretId: SecretId }
  /** Deletes the app and its grants. */
  deleteApp: OfOwner
  authorizeApp: PartnerRequest & { readonly code: Digest }
  /** Issues a token without a code. */
  issueToken: PartnerRequest & { readonly token: Digest }
  /** A user allows an app to act for one live account, one paper account, or one of each. */
  consent: UserRequest & {
    readonly live?: AccountId
    readonly paper?: AccountId
    readonly code: Digest
    /** See `Grant`. */
    readonly ofMain?: boolean
  }
  /** Recorded for the audit log only. */
  refuseConsent: { readonly userId: UserId; readonly clientId: string }
  /** Ends all access of an app to a user's accounts. */
  withdrawConsent: { readonly userId: UserId; readonly clientId: string }
  /** Exchanges a code for a token, and a refresh token if the app's tokens expire. */
  exchangeCode: AppRequest & {
    readonly code: Digest
    /** Derived from the app's verifier; absent if it sent none. */
    readonly challenge?: string
    readonly token: Digest
    /** Set if the app wants a refresh token. */
    readonly refresh?: Digest
  }
  refreshToken: AppCredentials & {
    readonly current: Digest
    /** A subset of the grant's scopes; absent: all. */
    readonly scope?: string
    readonly token: Digest
    readonly refresh: Digest
  }
  /** Requested by a partner that may use the token's app. */
  revokeToken: { readonly partnerId: PartnerId; readonly tokenId: TokenId }
  /** Requested by the app itself. Revoking a refresh token revokes its whole grant. */
  revokeAppToken: AppCredentials & { readonly token: Digest }
  /** Requested by a partner that may use the app and has the account. */
  revokeGrant: { readonly partnerId: PartnerId; readonly grantId: GrantId }
  /** The app used a grant. Submitted at most once an hour per grant. */
  noteGrantUse: { readonly grantId: GrantId }
  /** Recorded for the audit log only: too many failed attempts, so further attempts are blocked for a while. */
  recordFailedAttemptLimit: {
    readonly where: 'signIn' | 'app' | 'machine'
    readonly userId?: UserId
    readonly clientId?: string
  }
  /** The caller has verified the secret or the signature. An assertion is valid once. */
  issueMachineToken: { readonly keyId: KeyId; readonly token: Digest; readonly assertion?: UsedAssertion }
  revokeMachineToken: { readonly keyId: KeyId; readonly token: Digest }
}>
export type RegisterApp = OfKind<OAuthCommand, 'registerApp'>
export type ChangeApp = OfKind<OAuthCommand, 'changeApp'>
export type AuthorizeApp = OfKind<OAuthCommand, 'authorizeApp'>
export type IssueToken = OfKind<OAuthCommand, 'issueToken'>
export type Consent = OfKind<OAuthCommand, 'consent'>
export type ExchangeCode = OfKind<OAuthCommand, 'exchangeCode'>
export type RefreshToken = OfKind<OAuthCommand, 'refreshToken'>

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

/** Only the owner may change an app; for others it does not exist. */
type OfOwner = { readonly partnerId: PartnerId; readonly clientId: string }

type AppCredentials = { readonly clientId?: string; readonly secret?: Digest }

/**
 * An authorization request by an app, or by a partner for it. Unparsed, because problems with the app are
 * reported first.
 */
export type AppRequest = AppCredentials & { readonly redirectUri?: string }

/** A partner's request after its customer allowed an app. */
export type PartnerRequest = AppRequest & {
  readonly partnerId: PartnerId
  readonly scope?: string
  readonly accountId?: string
  readonly challenge?: string
}

/** The authorization request shown to a user. */
export type UserRequest = AppRequest & {
  readonly userId: UserId
  /** An empty scope means read only. */
  readonly scope: string
  readonly challenge?: string
}
