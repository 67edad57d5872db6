import type {
  AccountId,
  AppId,
  ClientId,
  Digest,
  GrantId,
  KeyId,
  PartnerId,
  PersonId,
  SecretId,
  TokenId,
} from '../ids.ts'
import { found } from '../result.ts'
import type { Instant } from '../time.ts'
import type { Scope } from './scopes.ts'

export type AppStatus = 'active' | 'disabled'

/** What the owner of an app may set. What is absent is off. */
export type AppSettings = {
  /** No code without a challenge. A public app always needs one. */
  readonly pkceRequired?: boolean
  /** It cannot keep a secret and has none. */
  readonly isPublic?: boolean
  /** It runs on people's machines: a loopback redirect URI fits on any port. */
  readonly isNative?: boolean
  /** Partners get no token for it without a code. */
  readonly codesOnly?: boolean
  /** How long a token lasts, in seconds; without it, until it is revoked, and there is nothing to refresh. */
  readonly tokenSeconds?: number
  readonly refreshSeconds?: number
  /** May connect a live account of their own before the app is approved for those of others. */
  readonly developer?: PersonId
}

export type AppSecret = {
  readonly id: SecretId
  readonly digest: Digest
  readonly createdAt: Instant
  /** Replaced, and good until then. */
  readonly expiresAt?: Instant
}

/** A program that may be allowed to act for someone. It may have several secrets, so that one can be replaced. */
export type App = AppSettings & {
  readonly id: AppId
  readonly clientId: ClientId
  readonly owner: PartnerId
  /** Who may use it, the owner included. */
  readonly partners: readonly PartnerId[]
  readonly name: string
  readonly description: string
  readonly url: string
  readonly termsOfUse: string
  readonly privacyPolicy: string
  readonly status: AppStatus
  readonly redirectUris: readonly string[]
  /** The most it may ask for. */
  readonly scopes: readonly Scope[]
  readonly liveTradingApproved: boolean
  readonly secrets: readonly AppSecret[]
  readonly createdAt: Instant
}

/** Consent: which app may act for which accounts, and how far. It lasts while a code or a token stands on it. */
export type Grant = {
  readonly id: GrantId
  readonly appId: AppId
  /** Who gave it; absent where a partner did for its customer. */
  readonly personId?: PersonId
  readonly live?: AccountId
  readonly paper?: AccountId
  readonly scopes: readonly Scope[]
  /** As it was asked for, which is how it is told back. */
  readonly scopeText: string
  /** Access and refresh tokens, oldest first. */
  readonly tokens: readonly TokenId[]
  readonly createdAt: Instant
  /** When the app last acted on it, to the hour. */
  readonly lastUsedAt?: Instant
}

/** Good for one token, for a minute, from one app, with one redirect URI and one proof. */
export type Code = {
  readonly grantId: GrantId
  readonly appId: AppId
  readonly redirectUri: string
  readonly expiresAt: Instant
  readonly used: boolean
  /** SHA-256 of what only the app that asked for the code knows. */
  readonly challenge?: string
}

export type Token = {
  readonly id: TokenId
  readonly grantId: GrantId
  readonly digest: Digest
  readonly createdAt: Instant
  readonly expiresAt?: Instant
  /**
   * It gets new tokens and opens nothing itself.
   *   fresh  has not served
   *   used   has served, or its twin has; it yields one more pair within the grace period
   *   spent  yields nothing more; its use revokes the grant
   */
  readonly refresh?: 'fresh' | 'used' | 'spent'
  /** When it became used. */
  readonly usedAt?: Instant
  /** Where less was asked for at a refresh than the grant allows. */
  readonly narrowed?: { readonly scopes: readonly Scope[]; readonly scopeText: string }
}

/** What a partner's program gets for its key: good for a quarter of an hour, for all the key may. */
export type MachineToken = { readonly keyId: KeyId; readonly createdAt: Instant; readonly expiresAt: Instant }

/** What a partner's program signed to get a token. Both times are the machine's: whoever signs knows no other. */
export type UsedAssertion = { readonly digest: Digest; readonly now: Instant; readonly expiresAt: Instant }

/** A client id as someone wrote it: hyphens and case do not count. */
export const clientIdOf = (text: string): ClientId =>
  (PLAIN.test(text) ? text : text.replaceAll('-', '').toLowerCase()) as ClientId

/** As it was given out. */
const PLAIN = /^[0-9a-f]{32}$/

/** Whether an app may act on a live account of this person. */
export const mayConnectLive = (
  { liveTradingApproved, developer }: Pick<App, 'liveTradingApproved' | 'developer'>,
  personId: PersonId | undefined,
): boolean => liveTradingApproved || (personId !== undefined && personId === developer)

/** The account a grant's events are told to. */
export const accountOf = (grant: Pick<Grant, 'live' | 'paper'>): AccountId =>
  found(grant.live ?? grant.paper, 'an account of the grant')
