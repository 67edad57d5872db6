import type { AccountId, AppId, ClientId, Digest, GrantId, PartnerId, TokenId } from '../ids.ts'
import { found } from '../result.ts'
import type { Instant } from '../time.ts'
import type { Scope } from './scopes.ts'

export type AppStatus = 'active' | 'disabled'

/** A program that may be allowed to act for someone. It may have several secrets, so that one can be replaced. */
export type App = {
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
  readonly secrets: readonly { readonly digest: Digest; readonly createdAt: Instant }[]
  readonly createdAt: Instant
}

/** Consent: which app may act for which accounts, and how far. It lasts while a code or a token stands on it. */
export type Grant = {
  readonly id: GrantId
  readonly appId: AppId
  readonly live?: AccountId
  readonly paper?: AccountId
  readonly scopes: readonly Scope[]
  /** As it was asked for, which is how it is told back. */
  readonly scopeText: string
  readonly tokens: readonly TokenId[]
  readonly createdAt: Instant
}

/** Good for one token, for a minute, from one app, with one redirect URI. */
export type Code = {
  readonly grantId: GrantId
  readonly appId: AppId
  readonly redirectUri: string
  readonly expiresAt: Instant
  readonly used: boolean
}

export type Token = {
  readonly id: TokenId
  readonly grantId: GrantId
  readonly digest: Digest
  readonly createdAt: Instant
}

/** A client id as someone wrote it: hyphens and case do not count. */
export const clientIdOf = (text: string): ClientId => text.replaceAll('-', '').toLowerCase() as ClientId

/** The account a grant's events are told to. */
export const accountOf = (grant: Pick<Grant, 'live' | 'paper'>): AccountId =>
  found(grant.live ?? grant.paper, 'an account of the grant')
