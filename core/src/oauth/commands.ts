import type {
  AccountId,
  ClientId,
  Digest,
  GrantId,
  KeyId,
  PartnerId,
  PersonId,
  SecretId,
  TokenId,
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
  | RevokeOwnToken
  | RevokeGrant
  | NoteGrantUse
  | NoteGuessing
  | IssueMachineToken
  | RevokeMachineToken

/** What an app tells of itself and may do. */
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

/** The client id leads to a world, so it is random like the secret, and made outside. A public app has no secret. */
export type RegisterApp = AppDetails & {
  readonly kind: 'registerApp'
  readonly clientId: ClientId
  readonly owner: PartnerId
  readonly secret?: Digest
}

/** Of an app only its owner may change anything; to all others it does not exist. */
type OfOwner = { readonly partnerId: PartnerId; readonly clientId: string }

export type ChangeAppStatus = OfOwner & { readonly kind: 'changeAppStatus'; readonly status: AppStatus }

/** What is not named stays; settings are named one by one. */
export type ChangeApp = OfOwner & {
  readonly kind: 'changeApp'
  readonly change: Partial<AppDetails> & {
    readonly status?: AppStatus
    readonly cleared?: readonly (keyof AppSettings)[]
  }
}

/** The others stay good, or until `othersUntil`. */
export type AddAppSecret = OfOwner & {
  readonly kind: 'addAppSecret'
  readonly secret: Digest
  readonly othersUntil?: Instant
}

export type RemoveAppSecret = OfOwner & { readonly kind: 'removeAppSecret'; readonly secretId: SecretId }

/** With everything it was allowed. */
export type DeleteApp = OfOwner & { readonly kind: 'deleteApp' }

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
  readonly challenge?: string
}

/** Issues a code. */
export type AuthorizeApp = PartnerAsk & { readonly kind: 'authorizeApp'; readonly code: Digest }

/** Issues a token at once. */
export type IssueToken = PartnerAsk & { readonly kind: 'issueToken'; readonly token: Digest }

/** What a person was asked on the page. */
export type PersonAsk = Ask & {
  readonly personId: PersonId
  /** No word at all asks for reading only. */
  readonly scope: string
  readonly challenge?: string
}

/** A person allows an app to act for one live account, one paper account, or one of each. */
export type Consent = PersonAsk & {
  readonly kind: 'consent'
  readonly live?: AccountId
  readonly paper?: AccountId
  readonly code: Digest
}

/** For the audit alone. */
export type RefuseConsent = {
  readonly kind: 'refuseConsent'
  readonly personId: PersonId
  readonly clientId: string
}

/** Whatever an app may do for a person's accounts ends. */
export type WithdrawConsent = {
  readonly kind: 'withdrawConsent'
  readonly personId: PersonId
  readonly clientId: string
}

/** The app turns its code into a token, and into one to refresh it where its tokens end. */
export type ExchangeCode = Ask & {
  readonly kind: 'exchangeCode'
  readonly code: Digest
  /** Made of the verifier the app sent; absent where it sent none. */
  readonly challenge?: string
  readonly token: Digest
  /** Where the app wants to refresh what ends. */
  readonly refresh?: Digest
}

export type RefreshToken = Pick<Ask, 'clientId' | 'secret'> & {
  readonly kind: 'refreshToken'
  readonly given: Digest
  /** Less than the grant allows; all of it where absent. */
  readonly scope?: string
  readonly token: Digest
  readonly refresh: Digest
}

/** By a partner that may use the token's app. */
export type RevokeToken = {
  readonly kind: 'revokeToken'
  readonly partnerId: PartnerId
  readonly tokenId: TokenId
}

/** By the app itself. To give up what refreshes is to give up everything that stands on the same grant. */
export type RevokeOwnToken = Pick<Ask, 'clientId' | 'secret'> & {
  readonly kind: 'revokeOwnToken'
  readonly token: Digest
}

/** By a partner that may use the app and has the account. */
export type RevokeGrant = {
  readonly kind: 'revokeGrant'
  readonly partnerId: PartnerId
  readonly grantId: GrantId
}

/** The app acts. It is asked for at most once an hour for each grant. */
export type NoteGrantUse = { readonly kind: 'noteGrantUse'; readonly grantId: GrantId }

/** For the audit alone: someone guessed so often that nobody listens for a while. */
export type NoteGuessing = {
  readonly kind: 'noteGuessing'
  readonly where: 'signIn' | 'app' | 'machine'
  readonly personId?: PersonId
  readonly clientId?: string
}

/** Whoever asks has looked at the secret or the signature; an assertion serves once. */
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
