import { auditFaults } from '../../audit.ts'
import type { Command } from '../../commands.ts'
import type { AccountId, ClientId, Digest, PartnerId, TokenId, UserId } from '../../ids.ts'
import { found } from '../../result.ts'
import { TestWorld } from '../../testing/world.ts'
import type { AppSettings } from '../app.ts'
import { bearerOf } from '../bearer.ts'
import type { Consent, ExchangeCode, PartnerRequest, RefreshToken, RegisterApp } from '../commands.ts'

export const digest = (text: string): Digest => `digest of ${text}` as Digest

/** A PKCE challenge, and another valid one. */
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const OTHER_CHALLENGE = CHALLENGE.toLowerCase()

export const REDIRECT = 'http://localhost'

/** The client id of a test app, derived from its name. */
export const clientIdFor = (name: string): ClientId =>
  [...name]
    .map((letter) => letter.charCodeAt(0).toString(16))
    .join('')
    .padEnd(32, '0')
    .slice(0, 32) as ClientId

/** A patch; undefined removes a field. */
export type Patch<Of> = { readonly [Field in keyof Of]?: Of[Field] | undefined }

/**
 * For tests: a world with two partners, users, their accounts and an app called `one`.
 *   A, L  paper and live, of ann     B  paper, of bob     N  paper, without owner     all of the first partner
 *   F     paper, of the other partner, of ann
 * It checks the invariants after every command.
 */
export class OAuthFixture {
  readonly world = new TestWorld()
  readonly state = this.world.state
  readonly partnerId: PartnerId = this.world.partnerId
  readonly other: PartnerId
  readonly ann: UserId
  readonly bob: UserId
  readonly clientId = clientIdFor('one')
  #made = 0

  constructor(settings: AppSettings = {}) {
    this.world.submit({ kind: 'addPartner', name: 'another' })
    this.other = [...this.state.partners.keys()][1]!
    this.ann = this.user('ann')
    this.bob = this.user('bob')
    for (const [name, flavour, userId] of [
      ['A', 'paper', this.ann],
      ['L', 'live', this.ann],
      ['B', 'paper', this.bob],
      ['N', 'paper', undefined],
    ] as const) {
      this.world.run(`open ${name} 1000${flavour === 'live' ? ' live' : ''}`)
      if (userId) this.submit({ kind: 'assignAccount', accountId: this.account(name), userId })
    }
    const foreign = { kind: 'openAccount', flavour: 'paper', partnerId: this.other } as const
    this.submit({ ...foreign, cash: 0n as never, userId: this.ann })
    this.world.accounts.set('F', [...this.state.accounts.keys()].at(-1)!)
    this.register('one', settings)
  }

  /** Returns the kinds of the events, or the code of the refusal. */
  submit(command: Command): string {
    const { seq } = this.state
    const decision = this.world.submit(command)
    const faults = auditFaults(this.state)
    if (faults.length > 0) throw new Error(`after ${command.kind}: ${faults.join('; ')}`)
    if (!decision.ok && this.state.seq > seq) throw new Error(`${command.kind} was refused and had events`)
    if (!decision.ok) return decision.reason.code
    return decision.value.map(({ kind }) => kind).join(' ')
  }

  user(name: string): UserId {
    this.submit({ kind: 'addUser', name, password: `slow ${name}` })
    return [...this.state.users.keys()].at(-1)!
  }

  account(name: string): AccountId {
    return found(this.world.accounts.get(name), name)
  }

  /** A new digest. */
  fresh(what: string): Digest {
    this.#made += 1
    return digest(`${what} ${this.#made}`)
  }

  register(name: string, settings: AppSettings = {}, patch: Patch<RegisterApp> = {}): ClientId {
    const clientId = clientIdFor(name)
    const command = {
      kind: 'registerApp',
      clientId,
      owner: this.partnerId,
      name,
      description: 'an app',
      url: 'https://app.example',
      termsOfUse: '',
      privacyPolicy: '',
      redirectUris: [REDIRECT, 'https://app.example/back'],
      scopes: ['account:write', 'trading'],
      liveTradingApproved: false,
      secret: digest(`secret of ${name}`),
      settings,
      ...patch,
    } as RegisterApp
    expectOutcome(this.submit(command), 'appRegistered')
    return clientId
  }

  /** A valid request of the partner for its customer. */
  get request(): PartnerRequest {
    const { partnerId, clientId } = this
    const secret = digest('secret of one')
    return {
      partnerId,
      clientId,
      secret,
      redirectUri: REDIRECT,
      scope: 'trading',
      accountId: this.account('A'),
    }
  }

  authorize(patch: Patch<PartnerRequest> = {}): Digest {
    const code = this.fresh('code')
    expectOutcome(
      this.submit({ kind: 'authorizeApp', ...this.request, ...patch, code } as Command),
      'codeIssued',
    )
    return code
  }

  /** A valid consent of ann. */
  consent(patch: Patch<Consent> = {}): { readonly outcome: string; readonly code: Digest } {
    const code = this.fresh('code')
    const { clientId, ann: userId } = this
    const fields = { clientId, userId, redirectUri: REDIRECT, scope: 'trading', paper: this.account('A') }
    return { outcome: this.submit({ kind: 'consent', ...fields, code, ...patch } as Command), code }
  }

  exchange(code: Digest, patch: Patch<ExchangeCode> = {}) {
    const [token, refresh] = [this.fresh('token'), this.fresh('refresh')]
    const { clientId, secret, redirectUri } = this.request
    const fields = { clientId, secret, redirectUri, code, token, refresh }
    return { outcome: this.submit({ kind: 'exchangeCode', ...fields, ...patch } as Command), token, refresh }
  }

  refresh(current: Digest, patch: Patch<RefreshToken> = {}) {
    const [token, refresh] = [this.fresh('token'), this.fresh('refresh')]
    const { clientId, secret } = this.request
    const fields = { clientId, secret, current, token, refresh }
    return { outcome: this.submit({ kind: 'refreshToken', ...fields, ...patch } as Command), token, refresh }
  }

  /** A token for ann's paper account, issued by the partner. */
  token(patch: Patch<PartnerRequest> = {}): Digest {
    const token = this.fresh('token')
    expectOutcome(
      this.submit({ kind: 'issueToken', ...this.request, ...patch, token } as Command),
      'tokenIssued',
    )
    return token
  }

  tokenId(token: Digest): TokenId {
    return found(this.state.tokenDigests.get(token), token)
  }

  /** The accounts (by name) and scopes of a token; undefined if it is invalid. */
  bearer(token: Digest): string | undefined {
    const bearer = bearerOf(this.state, token, this.world.now)
    if (!bearer) return undefined
    const names = [...this.world.accounts].filter(([, id]) => id === bearer.live || id === bearer.paper)
    return `${names.map(([name]) => name).join('+')} ${bearer.scopes.join()}`.trim()
  }

  disable(userId: UserId, disabled = true): void {
    expectOutcome(this.submit({ kind: 'changeUser', userId, disabled }), 'userChanged')
  }

  /** The numbers of grants, codes and tokens. */
  counts(): readonly [grants: number, codes: number, tokens: number] {
    return [this.state.grants.size, this.state.codes.size, this.state.tokens.size]
  }
}

function expectOutcome(outcome: string, wanted: string): void {
  if (outcome !== wanted) throw new Error(`expected ${wanted}, received ${outcome}`)
}
