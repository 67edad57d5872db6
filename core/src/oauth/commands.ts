import type { ClientId, Digest, PartnerId, TokenId } from '../ids.ts'
import type { AppStatus } from './app.ts'
import type { Scope } from './scopes.ts'

export type OAuthCommand =
  | RegisterApp
  | ChangeAppStatus
  | AuthorizeApp
  | IssueToken
  | ExchangeCode
  | RevokeToken

/** The client id leads to a world, so it is random like the secret, and made outside. */
export type RegisterApp = {
  readonly kind: 'registerApp'
  readonly clientId: ClientId
  readonly owner: PartnerId
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
  readonly secret: Digest
}

export type ChangeAppStatus = {
  readonly kind: 'changeAppStatus'
  readonly partnerId: PartnerId
  readonly clientId: string
  readonly status: AppStatus
}

/** What an app, or a partner for it, says; all as it came, because a doubt about the app is told before all else. */
export type Ask = {
  readonly clientId?: string
  readonly secret?: Digest
  readonly redirectUri?: string
}

/** What a partner says when one of its customers allowed an app. */
export type PartnerAsk = Ask & {
  readonly partnerId: PartnerId
  readonly scope?: string
  readonly accountId?: string
}

/** Issues a code. */
export type AuthorizeApp = PartnerAsk & { readonly kind: 'authorizeApp'; readonly code: Digest }

/** Issues a token at once. */
export type IssueToken = PartnerAsk & { readonly kind: 'issueToken'; readonly token: Digest }

/** The app turns its code into a token. */
export type ExchangeCode = Ask & {
  readonly kind: 'exchangeCode'
  readonly code: Digest
  readonly token: Digest
}

export type RevokeToken = {
  readonly kind: 'revokeToken'
  readonly partnerId: PartnerId
  readonly tokenId: TokenId
}
