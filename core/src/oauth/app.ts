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
import { found } from '../result.ts'
import type { Instant } from '../time.ts'
import type { Scope } from './scopes.ts'

export type AppStatus = 'active' | 'disabled'

/** Settings by the app's owner; absent means off. */
export type AppSettings = {
  /** Reject codes without a PKCE challenge. Public apps always need one. */
  readonly pkceRequired?: boolean
  /** The app cannot keep a secret and has none. */
  readonly isPublic?: boolean
  /** The app runs on users' machines: a loopback redirect URI matches on any port. */
  readonly isNative?: boolean
  /** Partners cannot issue tokens for it without a code. */
  readonly codesOnly?: boolean
  /** Lifetime of a token in seconds; default: until revoked, without refresh. */
  readonly tokenSeconds?: number
  readonly refreshSeconds?: number
  /** May connect a live account of their own before the app is approved for live trading. */
  readonly developer?: UserId
}

export type AppSecret = {
  readonly id: SecretId
  readonly digest: Digest
  readonly createdAt: Instant
  /** The secret was replaced and stays valid until this time. */
  readonly expiresAt?: Instant
}

/**
 * A third-party program that users can authorize. It may have several secrets, so that one can be rotated.
 */
export type App = AppSettings & {
  readonly id: AppId
  readonly clientId: ClientId
  readonly owner: PartnerId
  /** Partners that may use it, including the owner. */
  readonly partners: readonly PartnerId[]
  readonly name: string
  readonly description: string
  readonly url: string
  readonly termsOfUse: string
  readonly privacyPolicy: string
  readonly status: AppStatus
  readonly redirectUris: readonly string[]
  /** The maximum scopes it may request. */
  readonly scopes: readonly Scope[]
  readonly liveTradingApproved: boolean
  readonly secrets: readonly AppSecret[]
  readonly createdAt: Instant
}

/**
 * Consent: the accounts an app may act for, and its scopes. It exists while a code or a token refers to it.
 */
export type Grant = {
  readonly id: GrantId
  readonly appId: AppId
  /** The user who consented; absent if a partner consented for its customer. Named as in stored events. */
  readonly personId?: UserId
  readonly live?: AccountId
  readonly paper?: AccountId
  readonly scopes: readonly Scope[]
  /** The requested scope text, returned unchanged. */
  readonly scopeText: string
  /** Access and refresh tokens, oldest first. */
  readonly tokens: readonly TokenId[]
  readonly createdAt: Instant
  /** Last use by the app, to the hour. */
  readonly lastUsedAt?: Instant
}

/** An authorization code: valid once, for a minute, for one app, redirect URI and PKCE challenge. */
export type Code = {
  readonly grantId: GrantId
  readonly appId: AppId
  readonly redirectUri: string
  readonly expiresAt: Instant
  readonly used: boolean
  /** PKCE challenge: SHA-256 of the app's verifier. */
  readonly challenge?: string
}

export type Token = {
  readonly id: TokenId
  readonly grantId: GrantId
  readonly digest: Digest
  readonly createdAt: Instant
  readonly expiresAt?: Instant
  /**
   * Set for refresh tokens, which cannot access the API:
   *   fresh  not used yet
   *   used   was used, or its twin was; returns one more pair within the grace period
   *   spent  returns nothing; using it revokes the grant
   */
  readonly refresh?: 'fresh' | 'used' | 'spent'
  readonly usedAt?: Instant
  /** Set if a refresh requested fewer scopes than the grant allows. */
  readonly narrowed?: { readonly scopes: readonly Scope[]; readonly scopeText: string }
}

/**
 * An access token for a partner's key (client credentials), valid for 15 minutes with the rights of the key.
 */
export type MachineToken = { readonly keyId: KeyId; readonly createdAt: Instant; readonly expiresAt: Instant }

/**
 * A signed client assertion that was used. Both times are the server's real time, because the signer knows no
 * other clock.
 */
export type UsedAssertion = { readonly digest: Digest; readonly now: Instant; readonly expiresAt: Instant }

/** Parses a client id; hyphens and case are ignored. */
export const clientIdOf = (text: string): ClientId =>
  (PLAIN.test(text) ? text : text.replaceAll('-', '').toLowerCase()) as ClientId

/** The issued form. */
const PLAIN = /^[0-9a-f]{32}$/

/** Whether an app may act on a live account of this user. */
export const mayConnectLive = (
  { liveTradingApproved, developer }: Pick<App, 'liveTradingApproved' | 'developer'>,
  userId: UserId | undefined,
): boolean => liveTradingApproved || (userId !== undefined && userId === developer)

/** The account that a grant's events belong to. */
export const grantAccountOf = (grant: Pick<Grant, 'live' | 'paper'>): AccountId =>
  found(grant.live ?? grant.paper, 'an account of the grant')
