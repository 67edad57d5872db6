import type { AccountId, ClientId, Digest, PartnerId, TokenId, UserId } from '@quipu/core'
import { digestOf } from '../../../server/src/access/credentials.ts'
import type { Random } from '../../random.ts'
import type { Wish } from './requests.ts'

const REDIRECT = 'http://localhost:8080/callback'

type App = { readonly clientId: ClientId; readonly secret: Digest }

/** What apps, people and their partner want of each other, from what clients were told. */
export class OAuthWishes {
  readonly #random: Random
  readonly #tag: (of: string) => string
  readonly #apps: App[] = []
  readonly #codes: { readonly app: App; readonly code: Digest }[] = []
  /** What refreshes, by the digest of what it came with, which is how clients come to know it. */
  readonly #pairs = new Map<Digest, { readonly app: App; readonly refresh: Digest }>()
  readonly #refreshes: { readonly app: App; readonly refresh: Digest }[] = []
  readonly #tokens: { readonly id: TokenId; readonly token: Digest }[] = []
  readonly users: UserId[] = []
  /** The tokens themselves, by their digests. */
  readonly secrets = new Map<Digest, string>()

  constructor(random: Random, tag: (of: string) => string) {
    this.#random = random
    this.#tag = tag
  }

  /** A token was issued, and someone was told so. */
  learn(id: TokenId, token: Digest): void {
    this.#tokens.push({ id, token })
    const pair = this.#pairs.get(token)
    if (pair) this.#refreshes.push(pair)
  }

  app(owner: PartnerId): Wish {
    const tag = this.#tag('app')
    const secret = digestOf(tag)
    this.#apps.push({ clientId: tag as ClientId, secret })
    // Of some the tokens last; of others they end, within a life.
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

  next(partnerId: PartnerId, accounts: readonly AccountId[]): Wish {
    const random = this.#random
    const luck = random.next()
    if (luck < 0.04) return this.app(partnerId)
    if (luck < 0.14) return this.#owners(accounts)
    if (luck < 0.28 && this.#tokens.length > 0) return this.#revoke(partnerId)
    if (luck < 0.5 && this.#codes.length > 0) {
      const { app, code } = random.pick(this.#codes.slice(-3))
      const { tag, ...pair } = this.#pair(app)
      return { tag, command: { kind: 'exchangeCode', ...app, redirectUri: REDIRECT, code, ...pair } }
    }
    if (luck < 0.76 && this.#refreshes.length > 0) {
      const { app, refresh: given } = random.pick(this.#refreshes.slice(random.chance(0.8) ? -1 : -4))
      const { tag, ...pair } = this.#pair(app)
      return { tag, command: { kind: 'refreshToken', ...app, current: given, ...pair } }
    }
    return this.#allow(partnerId, random.pick(accounts))
  }

  #allow(partnerId: PartnerId, accountId: AccountId): Wish {
    const random = this.#random
    const app = random.pick(this.#apps)
    const asked = { ...app, redirectUri: REDIRECT, partnerId, scope: 'trading', accountId }
    const { tag, token } = this.#pair(app)
    if (random.chance(0.2)) return { tag, command: { kind: 'issueToken', ...asked, token } }
    this.#codes.push({ app, code: tag })
    const userId = random.chance(0.3) ? random.pick(this.users) : undefined
    if (!userId) return { tag, command: { kind: 'authorizeApp', ...asked, code: tag } }
    const consent = { clientId: app.clientId, redirectUri: REDIRECT, scope: 'trading', userId }
    return { tag, command: { kind: 'consent', ...consent, paper: accountId, code: tag } }
  }

  #revoke(partnerId: PartnerId): Wish {
    const random = this.#random
    const { id, token } = random.pick(this.#tokens.slice(-6))
    const pair = this.#pairs.get(token)
    if (!pair || random.chance(0.5)) return { command: { kind: 'revokeToken', partnerId, tokenId: id } }
    return { command: { kind: 'revokeAppToken', ...pair.app, token: random.pick([token, pair.refresh]) } }
  }

  /** People come, are given accounts, are disabled for a while, and change their minds. */
  #owners(accounts: readonly AccountId[]): Wish {
    const random = this.#random
    const userId = random.pick(this.users)
    if (!userId || random.chance(0.2)) {
      const tag = this.#tag('person')
      return { tag, command: { kind: 'addUser', name: tag, password: 'slow' } }
    }
    const luck = random.next()
    if (luck < 0.5) return { command: { kind: 'assignAccount', accountId: random.pick(accounts), userId } }
    if (luck < 0.7)
      return { command: { kind: 'withdrawConsent', userId, clientId: random.pick(this.#apps).clientId } }
    return { command: { kind: 'changeUser', userId, disabled: random.chance(0.4) } }
  }

  /** A token that only this wish would bring into the journal, and what would refresh it. */
  #pair(app: App): { readonly tag: Digest; readonly token: Digest; readonly refresh: Digest } {
    const secret = this.#tag('secret')
    const [token, refresh] = [digestOf(secret), digestOf(`${secret} again`)]
    this.secrets.set(token, secret)
    this.#pairs.set(token, { app, refresh })
    return { tag: token, token, refresh }
  }
}
