import type { AccountId, ClientId, Digest, PartnerId, TokenId, UserId } from '@quipu/core'
import { digestOf } from '../../../broker/src/access/credentials.ts'
import type { Random } from '../../support/random.ts'
import type { ClientRequest } from './requests.ts'

const REDIRECT = 'http://localhost:8080/callback'

type App = { readonly clientId: ClientId; readonly secret: Digest }

/** Random OAuth requests of apps, users and their partner, with ids that clients received. */
export class OAuthRequests {
  readonly #random: Random
  readonly #tag: (prefix: string) => string
  readonly #apps: App[] = []
  readonly #codes: { readonly app: App; readonly code: Digest }[] = []
  /** Refresh tokens by the digest of their access token, which clients receive in responses. */
  readonly #pairs = new Map<Digest, { readonly app: App; readonly refresh: Digest }>()
  readonly #refreshes: { readonly app: App; readonly refresh: Digest }[] = []
  readonly #tokens: { readonly id: TokenId; readonly token: Digest }[] = []
  readonly users: UserId[] = []
  /** The tokens themselves, by their digests. */
  readonly secrets = new Map<Digest, string>()

  constructor(random: Random, tag: (prefix: string) => string) {
    this.#random = random
    this.#tag = tag
  }

  /** Records a token that a client received. */
  addToken(id: TokenId, token: Digest): void {
    this.#tokens.push({ id, token })
    const pair = this.#pairs.get(token)
    if (pair) this.#refreshes.push(pair)
  }

  app(owner: PartnerId): ClientRequest {
    const tag = this.#tag('app')
    const secret = digestOf(tag)
    this.#apps.push({ clientId: tag as ClientId, secret })
    // Tokens of some apps never expire; tokens of others expire during a run.
    const settings = this.#random.chance(0.25) ? {} : { tokenSeconds: 900, refreshSeconds: 200_000 }
    return {
      tag,
      command: {
        kind: 'registerApp',
        clientId: tag as ClientId,
        owner,
        name: 'An app',
        description: '',
        url: 'http://localhost:8080',
        termsOfUse: '',
        privacyPolicy: '',
        redirectUris: [REDIRECT],
        scopes: ['account:write', 'trading', 'data'],
        liveTradingApproved: false,
        secret,
        settings,
      },
    }
  }

  next(partnerId: PartnerId, accounts: readonly AccountId[]): ClientRequest {
    const random = this.#random
    const draw = random.next()
    if (draw < 0.04) return this.app(partnerId)
    if (draw < 0.14) return this.#owners(accounts)
    if (draw < 0.28 && this.#tokens.length > 0) return this.#revoke(partnerId)
    if (draw < 0.5 && this.#codes.length > 0) {
      const { app, code } = random.pick(this.#codes.slice(-3))
      const { tag, ...pair } = this.#pair(app)
      return { tag, command: { kind: 'exchangeCode', ...app, redirectUri: REDIRECT, code, ...pair } }
    }
    if (draw < 0.76 && this.#refreshes.length > 0) {
      const { app, refresh: current } = random.pick(this.#refreshes.slice(random.chance(0.8) ? -1 : -4))
      const { tag, ...pair } = this.#pair(app)
      return { tag, command: { kind: 'refreshToken', ...app, current, ...pair } }
    }
    return this.#allow(partnerId, random.pick(accounts))
  }

  #allow(partnerId: PartnerId, accountId: AccountId): ClientRequest {
    const random = this.#random
    const app = random.pick(this.#apps)
    const grant = { ...app, redirectUri: REDIRECT, partnerId, scope: 'trading', accountId }
    const { tag, token } = this.#pair(app)
    if (random.chance(0.2)) return { tag, command: { kind: 'issueToken', ...grant, token } }
    this.#codes.push({ app, code: tag })
    const userId = random.chance(0.3) ? random.pick(this.users) : undefined
    if (!userId) return { tag, command: { kind: 'authorizeApp', ...grant, code: tag } }
    const consent = { clientId: app.clientId, redirectUri: REDIRECT, scope: 'trading', userId }
    return { tag, command: { kind: 'consent', ...consent, paper: accountId, code: tag } }
  }

  #revoke(partnerId: PartnerId): ClientRequest {
    const random = this.#random
    const { id, token } = random.pick(this.#tokens.slice(-6))
    const pair = this.#pairs.get(token)
    if (!pair || random.chance(0.5)) return { command: { kind: 'revokeToken', partnerId, tokenId: id } }
    return { command: { kind: 'revokeAppToken', ...pair.app, token: random.pick([token, pair.refresh]) } }
  }

  /** Adds, disables and enables users, assigns accounts to them, and withdraws consents. */
  #owners(accounts: readonly AccountId[]): ClientRequest {
    const random = this.#random
    const userId = random.pick(this.users)
    if (!userId || random.chance(0.2)) {
      const tag = this.#tag('user')
      return { tag, command: { kind: 'addUser', name: tag, password: 'slow' } }
    }
    const draw = random.next()
    if (draw < 0.5) return { command: { kind: 'assignAccount', accountId: random.pick(accounts), userId } }
    if (draw < 0.7)
      return { command: { kind: 'withdrawConsent', userId, clientId: random.pick(this.#apps).clientId } }
    return { command: { kind: 'changeUser', userId, disabled: random.chance(0.4) } }
  }

  /** A unique token of this request, and its refresh token. */
  #pair(app: App): { readonly tag: Digest; readonly token: Digest; readonly refresh: Digest } {
    const secret = this.#tag('secret')
    const [token, refresh] = [digestOf(secret), digestOf(`${secret} again`)]
    this.secrets.set(token, secret)
    this.#pairs.set(token, { app, refresh })
    return { tag: token, token, refresh }
  }
}
