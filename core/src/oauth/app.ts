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
import { keysOf } from '../records.ts'
import { found } from '../result.ts'
import {
  boolean,
  hex,
  id,
  instant,
  integer,
  list,
  oneOf,
  optional,
  partial,
  type RecordOf,
  record,
  text,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'
import { scopeSchema } from './scopes.ts'

export const appStatusSchema = oneOf('active', 'disabled')
export type AppStatus = ValueOf<typeof appStatusSchema>

/** Settings by the app's owner; absent means off. */
const appSettingFields = {
  /** Reject codes without a PKCE challenge. Public apps always need one. */
  pkceRequired: optional(boolean()),
  /** The app cannot keep a secret and has none. */
  isPublic: optional(boolean()),
  /** The app runs on users' machines: a loopback redirect URI matches on any port. */
  isNative: optional(boolean()),
  /** Partners cannot issue tokens for it without a code. */
  codesOnly: optional(boolean()),
  /** Lifetime of a token in seconds; default: until revoked, without refresh. */
  tokenSeconds: optional(integer()),
  refreshSeconds: optional(integer()),
  /** May connect a live account of their own before the app is approved for live trading. */
  developer: optional(id<UserId>()),
}
export type AppSettings = RecordOf<typeof appSettingFields>

export const appSettingNameSchema = oneOf(...keysOf(appSettingFields))

export type AppSecret = {
  readonly id: SecretId
  readonly digest: Digest
  readonly createdAt: Instant
  /** The secret was replaced and stays valid until this time. */
  readonly expiresAt?: Instant
}

/** The fields of an app that its owner can change. */
const changeableFields = {
  /** Partners that may use it, including the owner. */
  partners: list(id<PartnerId>()),
  name: text(),
  description: text(),
  url: text(),
  termsOfUse: text(),
  privacyPolicy: text(),
  redirectUris: list(text()),
  /** The maximum scopes it may request. */
  scopes: list(scopeSchema),
  liveTradingApproved: boolean(),
  ...appSettingFields,
}
export const appChangeSchema = record(partial(changeableFields))

/** An app without its random values. */
export const registeredAppSchema = record({
  id: id<AppId>(),
  owner: id<PartnerId>(),
  status: appStatusSchema,
  createdAt: instant<Instant>(),
  ...changeableFields,
})

/**
 * A third-party program that users can authorize. It may have several secrets, so that one can be rotated.
 */
export type App = ValueOf<typeof registeredAppSchema> & {
  readonly clientId: ClientId
  readonly secrets: readonly AppSecret[]
  /** Registered in the world that this one is a copy of. Its client id names the app of that world. */
  readonly isCopied?: true
}

/**
 * Consent: the accounts an app may act for, and its scopes. It exists while a code or a token refers to it.
 */
export const grantSchema = record({
  id: id<GrantId>(),
  appId: id<AppId>(),
  /** The user who consented; absent if a partner consented for its customer. */
  userId: optional(id<UserId>()),
  live: optional(id<AccountId>()),
  paper: optional(id<AccountId>()),
  scopes: list(scopeSchema),
  /** The requested scope text, returned unchanged. */
  scopeText: text(),
  /** Access and refresh tokens, oldest first. */
  tokens: list(id<TokenId>()),
  createdAt: instant<Instant>(),
  /** Last use by the app, to the hour. */
  lastUsedAt: optional(instant<Instant>()),
  /** The user is a person of `main` in another world, and has signed in with the rights of that person. */
  ofMain: optional(boolean()),
})
export type Grant = ValueOf<typeof grantSchema>

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

/** Fewer scopes than the grant allows, requested by a refresh. */
export const narrowedSchema = record({ scopes: list(scopeSchema), scopeText: text() })

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
  readonly narrowed?: ValueOf<typeof narrowedSchema>
}

/**
 * An access token for a partner's key (client credentials), valid for 15 minutes with the rights of the key.
 */
export type MachineToken = { readonly keyId: KeyId; readonly createdAt: Instant; readonly expiresAt: Instant }

/**
 * A signed client assertion that was used. Both times are the server's real time, because the signer knows no
 * other clock.
 */
export const usedAssertionSchema = record({
  digest: hex<Digest>(),
  now: instant<Instant>(),
  expiresAt: instant<Instant>(),
})
export type UsedAssertion = ValueOf<typeof usedAssertionSchema>

/** Parses a client id; hyphens and case are ignored. */
export const clientIdOf = (text: string): ClientId =>
  (PLAIN.test(text) ? text : text.replaceAll('-', '').toLowerCase()) as ClientId

/** The issued form. */
const PLAIN = /^[0-9a-z]{32}$/

/** Whether an app may act on a live account of this user. */
export const mayConnectLive = (
  { liveTradingApproved, developer }: Pick<App, 'liveTradingApproved' | 'developer'>,
  userId: UserId | undefined,
): boolean => liveTradingApproved || (userId !== undefined && userId === developer)

/** The account that a grant's events belong to. */
export const grantAccountOf = (grant: Pick<Grant, 'live' | 'paper'>): AccountId =>
  found(grant.live ?? grant.paper, 'an account of the grant')

/** Characters that look like the letters of Quipu in other alphabets. */
const LOOKS_LIKE = { q: 'qԛգ9', u: 'uυսʋцv', i: 'i1lıіɩιӏj|!', p: 'pрρþƿ' } as const
const LETTERS = ['q', 'u', 'i', 'p', 'u'] as const

const pattern = (between: string): string => LETTERS.map((letter) => `[${LOOKS_LIKE[letter]}]`).join(between)

/** `Quipu` inside a word, such as `MyQuipu`. */
const INSIDE = new RegExp(pattern(''), 'u')
/** `Q u i p u`: the letters from the start of a word, separated by anything except letters and digits. */
const SPACED = new RegExp(`(?<![\\p{L}\\p{N}])${pattern('[^\\p{L}\\p{N}]*')}`, 'u')

/**
 * Whether an app's name could be mistaken for Quipu itself. Case, accents, invisible characters and styled
 * letters are ignored, and look-alike letters are equal. `Equip United` is allowed.
 */
export function imitatesQuipu(name: string): boolean {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
  return INSIDE.test(plain) || SPACED.test(plain)
}
