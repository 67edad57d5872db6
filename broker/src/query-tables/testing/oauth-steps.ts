import type { AccountId, ClientId, Command, Digest, KeyId, PartnerId, State, UserId } from '@quipu/core'

type Random = { up(to: number): number; pick<Item>(items: readonly Item[]): Item }

const digest = (text: string): Digest => `digest of ${text}` as Digest

const REDIRECT = 'https://app.example/back'
const APP = { clientId: '0'.repeat(32) as ClientId, secret: digest('secret') }
const KEY = 'CK1' as KeyId

/**
 * Random steps of a user, an app and a machine. Some steps are rejected, and some reuse a code or token, which
 * revokes the grant.
 */
export class OAuthSteps {
  readonly #random: Random
  readonly #owner: PartnerId
  readonly #accounts: readonly AccountId[]
  /** Issued codes, tokens and sessions, the latest last. */
  readonly #issued = { code: [] as Digest[], refresh: [] as Digest[], session: [] as Digest[] }
  #count = 0

  constructor(random: Random, owner: PartnerId, accounts: readonly AccountId[]) {
    this.#random = random
    this.#owner = owner
    this.#accounts = accounts
  }

  /** The setup commands. */
  first(): readonly Command[] {
    const texts = { name: 'App', description: '', termsOfUse: '', privacyPolicy: '' }
    const owner = { kind: 'partner', partnerId: this.#owner, operator: false } as const
    return [
      {
        kind: 'registerApp',
        ...APP,
        ...texts,
        url: 'https://app.example',
        owner: this.#owner,
        redirectUris: [REDIRECT],
        scopes: ['trading'],
        liveTradingApproved: true,
        settings: { tokenSeconds: 3600, refreshSeconds: 200_000 },
      },
      { kind: 'issueKey', keyId: KEY, owner, digest: digest('partner key') },
      { kind: 'addUser', name: 'Someone \ud83e\udea2', password: 'slow' },
    ]
  }

  /** A step, sometimes with its follow-up. */
  next(state: State): readonly Command[] {
    const userId = [...state.users.keys()].at(-1)!
    const choice = this.#random.up(20)
    if (choice < 4) return [this.#authorize(), ...(this.#random.up(2) ? [this.#exchange()] : [])]
    if (choice < 7) return [this.#consent(userId, state), this.#exchange()]
    if (choice < 8) return [this.#exchange(this.#earlier('code'))]
    if (choice < 13) return [this.#refresh()]
    return [choice < 17 ? this.#session(choice, userId) : this.#seldom(choice, userId, state)]
  }

  #authorize(): Command {
    const accountId = this.#random.pick(this.#accounts)
    const request = { ...APP, redirectUri: REDIRECT, partnerId: this.#owner, scope: 'trading', accountId }
    return { kind: 'authorizeApp', ...request, code: this.#new('code') }
  }

  /** Opens an account for a user without one. */
  #consent(userId: UserId, state: State): Command {
    const userAccounts = this.#accounts.filter((id) => state.accounts.get(id)?.userId === userId)
    const accountId = this.#random.pick(userAccounts.length > 0 ? userAccounts : this.#accounts)
    if (userAccounts.length === 0) return { kind: 'assignAccount', accountId, userId }
    const side = { [state.accounts.get(accountId)!.flavour]: accountId }
    const request = { clientId: APP.clientId, redirectUri: REDIRECT, scope: '', userId }
    return { kind: 'consent', ...request, ...side, code: this.#new('code') }
  }

  #exchange(code = this.#issued.code.at(-1) ?? digest('none')): Command {
    const pair = { token: this.#new(), refresh: this.#new('refresh') }
    return { kind: 'exchangeCode', ...APP, redirectUri: REDIRECT, code, ...pair }
  }

  /** Uses the latest refresh token, sometimes an already used one. */
  #refresh(): Command {
    const current = (this.#random.up(4) ? this.#issued.refresh.at(-1) : undefined) ?? this.#earlier('refresh')
    return { kind: 'refreshToken', ...APP, current, token: this.#new(), refresh: this.#new('refresh') }
  }

  #session(choice: number, userId: UserId): Command {
    const nowMs = 1000 * ++this.#count
    const times = { nowMs, endsAtMs: nowMs + 50_000 }
    if (choice === 13) return { kind: 'issueSignInLink', userId, link: this.#new(), ...times }
    if (choice === 14) return { kind: 'signOut', session: this.#earlier('session') }
    return {
      kind: 'signIn',
      by: { userId },
      session: this.#new('session'),
      ...times,
      from: '20260105-0123456789abcdef',
    }
  }

  #seldom(choice: number, userId: UserId, state: State): Command {
    const [grantId] = state.grants.keys()
    if (choice === 17) return { kind: 'issueMachineToken', keyId: KEY, token: this.#new() }
    if (choice === 18 && grantId) return { kind: 'noteGrantUse', grantId }
    if (this.#random.up(4) === 0) return { kind: 'withdrawConsent', userId, clientId: APP.clientId }
    const accountId = this.#random.pick(this.#accounts)
    return { kind: 'assignAccount', accountId, ...(this.#random.up(3) ? { userId } : {}) }
  }

  #new(kind?: 'code' | 'refresh' | 'session'): Digest {
    const created = digest(`${kind ?? 'token'} ${++this.#count}`)
    if (kind) this.#issued[kind].push(created)
    return created
  }

  #earlier(kind: 'code' | 'refresh' | 'session'): Digest {
    return this.#random.pick([digest('none'), ...this.#issued[kind].slice(-4)])
  }
}
