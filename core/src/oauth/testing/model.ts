import type { Command } from '../../commands.ts'
import type { ClientId, Digest, UserId } from '../../ids.ts'
import { type Instant, SECOND } from '../../time.ts'
import type { AppSettings } from '../app.ts'
import { GRANT_TOKENS_MAX } from '../lifetimes.ts'
import { clientIdFor, digest, OAuthFixture } from './oauth.ts'

type ModelGrant = {
  readonly app: string
  readonly accounts: readonly string[]
  readonly code: Digest | undefined
  readonly codeAt: Instant
  isUsed: boolean
  isRevoked: boolean
  tokens: ModelToken[]
}
type ModelToken = {
  readonly token: Digest
  readonly of: ModelGrant
  readonly refreshes: boolean
  readonly endsAt: Instant | undefined
  readonly uses: Instant[]
  isRevoked: boolean
}

/** For tests: a simple model of grants and tokens, beside the world that it checks. */
export class OAuthModel {
  readonly fixture = new OAuthFixture()
  readonly grants: ModelGrant[] = []
  readonly tokens: ModelToken[] = []
  readonly secrets = new Map<string, Digest>([['one', digest('secret of one')]])
  readonly settings = new Map<string, AppSettings>([['one', {}]])
  readonly disabledApps = new Set<string>()
  readonly disabledUsers = new Set<UserId>()
  readonly owners = new Map<string, UserId | undefined>([
    ['A', this.fixture.ann],
    ['L', this.fixture.ann],
    ['B', this.fixture.bob],
  ])
  readonly exchanged = new Map<Digest, number>()

  submit(command: object): string {
    return this.fixture.submit(command as Command)
  }

  of(app: string): { readonly partnerId: OAuthFixture['partnerId']; readonly clientId: ClientId } {
    return { partnerId: this.fixture.partnerId, clientId: clientIdFor(app) }
  }

  as(app: string): { readonly clientId: ClientId; readonly secret: Digest } {
    return { clientId: clientIdFor(app), secret: this.secrets.get(app) ?? digest('none') }
  }

  addGrant(app: string, accounts: readonly string[], code?: Digest): ModelGrant {
    const one: ModelGrant = {
      app,
      accounts,
      code,
      codeAt: this.fixture.state.lastAt,
      isUsed: !code,
      isRevoked: false,
      tokens: [],
    }
    this.grants.push(one)
    return one
  }

  issue(of: ModelGrant, token: Digest, seconds: number | undefined, refreshes = false): void {
    const { lastAt } = this.fixture.state
    const endsAt = seconds === undefined ? undefined : ((lastAt + BigInt(seconds) * SECOND) as Instant)
    const known = { token, of, refreshes, endsAt, uses: [], isRevoked: false }
    this.tokens.push(known)
    of.tokens.push(known)
  }

  pair(of: ModelGrant, token: Digest, refresh: Digest): void {
    const { tokenSeconds, refreshSeconds = 30 * 24 * 3600 } = this.settings.get(of.app)!
    const valid = of.tokens.filter((known) => !this.hasEnded(known))
    for (const known of valid.slice(0, Math.max(0, valid.length + 2 - GRANT_TOKENS_MAX)))
      known.isRevoked = true
    this.issue(of, token, tokenSeconds)
    if (tokenSeconds !== undefined) this.issue(of, refresh, refreshSeconds, true)
  }

  hasEnded({ of, isRevoked, endsAt }: ModelToken): boolean {
    return of.isRevoked || isRevoked || (endsAt !== undefined && endsAt <= this.fixture.world.now)
  }

  end(matches: (one: ModelGrant) => boolean): void {
    for (const one of this.grants) if (matches(one)) one.isRevoked = true
  }

  isAccepted(known: ModelToken): boolean {
    const owner = this.owners.get(known.of.accounts[0]!)
    const isSilent =
      this.disabledApps.has(known.of.app) || (owner !== undefined && this.disabledUsers.has(owner))
    return !known.refreshes && !isSilent && !this.hasEnded(known)
  }
}
