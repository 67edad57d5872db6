import type { AccountId, AppId, ClientId, Digest, GrantId, TokenId } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { App, AppStatus, Grant } from './app.ts'

export type OAuthEvent =
  | AppRegistered
  | AppStatusChanged
  | CodeIssued
  | TokenIssued
  | CodeExchanged
  | CodeReplayed
  | TokenRevoked

export type AppRegistered = {
  readonly kind: 'appRegistered'
  readonly at: Instant
  readonly app: Omit<App, 'clientId' | 'secrets'>
  readonly sealed: { readonly clientId: ClientId; readonly secret: Digest }
}

export type AppStatusChanged = {
  readonly kind: 'appStatusChanged'
  readonly at: Instant
  readonly appId: AppId
  readonly status: AppStatus
}

export type CodeIssued = {
  readonly kind: 'codeIssued'
  readonly at: Instant
  readonly accountId: AccountId
  readonly grant: Grant
  readonly redirectUri: string
  readonly expiresAt: Instant
  readonly sealed: { readonly code: Digest }
}

/** Directly, without a code. */
export type TokenIssued = {
  readonly kind: 'tokenIssued'
  readonly at: Instant
  readonly accountId: AccountId
  readonly grant: Grant
  readonly tokenId: TokenId
  readonly sealed: { readonly token: Digest }
}

type OfGrant = { readonly at: Instant; readonly accountId: AccountId; readonly grantId: GrantId }

export type CodeExchanged = OfGrant & {
  readonly kind: 'codeExchanged'
  readonly tokenId: TokenId
  readonly sealed: { readonly code: Digest; readonly token: Digest }
}

/** A used code came again: someone has stolen it, so what it had issued is revoked. */
export type CodeReplayed = OfGrant & { readonly kind: 'codeReplayed'; readonly revoked: readonly TokenId[] }

export type TokenRevoked = OfGrant & { readonly kind: 'tokenRevoked'; readonly tokenId: TokenId }
