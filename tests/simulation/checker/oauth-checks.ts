import assert from 'node:assert/strict'
import type { BrokerEvent, View } from '@quipu/core'

const CODE_LIFETIME_NS = 60_000_000_000n
const REFRESH_GRACE_NS = 10_000_000_000n

type TrackedToken = {
  readonly digest: string
  readonly endsAt: bigint | undefined
  use: 'access' | 'fresh' | 'used' | 'spent'
  usedAt?: bigint
}
type TrackedGrant = {
  readonly app: string
  readonly accounts: readonly string[]
  readonly tokens: Map<string, TrackedToken>
}
type TrackedCode = { readonly grantId: string; readonly at: bigint; isUsed: boolean }

/** The grants and tokens of apps, calculated from the events without code of the core. */
export class CheckerGrants {
  readonly #grants = new Map<string, TrackedGrant>()
  readonly #codes = new Map<string, TrackedCode>()
  readonly #tokens = new Map<string, { readonly grantId: string; readonly id: string }>()
  readonly #disabledApps = new Set<string>()
  readonly #disabledUsers = new Set<string>()
  readonly #owners = new Map<string, string>()

  take(event: BrokerEvent): void {
    switch (event.kind) {
      case 'accountOpened':
      case 'accountAssigned':
        if (event.kind === 'accountAssigned') this.#assign(event)
        if (event.userId) this.#owners.set(event.accountId, event.userId)
        return
      case 'accountClosed':
        return this.#assertNoneFor(event.accountId, 'a closed account')
      case 'userChanged':
        if (event.disabled) this.#disabledUsers.add(event.userId)
        if (event.disabled === false) this.#disabledUsers.delete(event.userId)
        return
      case 'appStatusChanged':
        if (event.status === 'active') this.#disabledApps.delete(event.appId)
        else this.#disabledApps.add(event.appId)
        return
      case 'codeIssued':
        this.#allow(event.grant)
        this.#codes.set(event.sealed.code, { grantId: event.grant.id, at: event.at, isUsed: false })
        return
      case 'tokenIssued':
        this.#allow(event.grant)
        return this.#add(event.grant.id, event.tokenId, event.sealed.token, event.expiresAt)
      case 'codeExchanged':
        this.#exchange(event)
        return this.#addPair(event)
      case 'tokenRefreshed':
        this.#refresh(event)
        return this.#addPair(event)
      default:
        return this.#endTokens(event)
    }
  }

  /** Whether a request with the token of this digest is authenticated. */
  isValid(digest: string, at: bigint): boolean {
    const known = this.#tokens.get(digest)
    const grant = known && this.#grants.get(known.grantId)
    const token = known && grant?.tokens.get(known.id)
    if (!grant || token?.use !== 'access' || !this.#isEnabled(grant)) return false
    return token.endsAt === undefined || token.endsAt > at
  }

  /** Whether a token of this digest was ever issued. */
  hasIssued(digest: string): boolean {
    return this.#tokens.has(digest)
  }

  assertSameAs(view: View): void {
    const known = [...this.#grants.values()].flatMap(({ tokens }) => [...tokens.keys()])
    assert.deepEqual([...view.tokens.keys()].sort(), known.sort(), 'the same tokens')
    for (const [digest, id] of view.tokenDigests) assert.equal(this.#tokens.get(digest)?.id, id)
  }

  #allow({ id, appId, live, paper }: Extract<BrokerEvent, { kind: 'codeIssued' }>['grant']): void {
    const accounts = [live, paper].filter((one) => one !== undefined)
    assert(accounts.length > 0 && !this.#grants.has(id))
    const grant = { app: appId, accounts, tokens: new Map() }
    assert(!this.#disabledApps.has(appId), 'a disabled app gets no grant')
    this.#grants.set(id, grant)
  }

  #exchange({ at, grantId, sealed }: Extract<BrokerEvent, { kind: 'codeExchanged' }>): void {
    const code = this.#codes.get(sealed.code)
    assert(code?.grantId === grantId && !code.isUsed, 'a code is used once')
    assert(at < code.at + CODE_LIFETIME_NS, 'a code is valid for one minute')
    assert(this.#isEnabled(this.#of(grantId)), 'a disabled app or user gets no token')
    code.isUsed = true
  }

  #refresh({
    at,
    grantId,
    usedId,
    repeated,
    dropped = [],
  }: Extract<BrokerEvent, { kind: 'tokenRefreshed' }>): void {
    const grant = this.#of(grantId)
    const used = grant.tokens.get(usedId)
    assert(used?.use === (repeated ? 'used' : 'fresh'), 'a refresh token is used once, or repeated once')
    assert(!repeated || at < used.usedAt! + REFRESH_GRACE_NS, 'a repeat comes within ten seconds')
    assert(used.endsAt !== undefined && at < used.endsAt, 'a refresh token has not expired')
    assert(this.#isEnabled(grant), 'a disabled app or user gets no token')
    for (const token of grant.tokens.values())
      if (token.use === 'used') token.use = 'spent'
      else if (token.use === 'fresh' && !repeated) Object.assign(token, { use: 'used', usedAt: at })
    for (const id of dropped) assert(id !== usedId && grant.tokens.delete(id))
  }

  #addPair(event: Extract<BrokerEvent, { kind: 'codeExchanged' | 'tokenRefreshed' }>): void {
    const { grantId, sealed, refreshId } = event
    this.#add(grantId, event.tokenId, sealed.token, event.expiresAt)
    if (refreshId) this.#add(grantId, refreshId, sealed.refresh!, event.refreshExpiresAt, 'fresh')
  }

  #add(
    grantId: string,
    id: string,
    digest: string,
    endsAt: bigint | undefined,
    use: TrackedToken['use'] = 'access',
  ): void {
    assert(!this.#tokens.has(digest))
    this.#tokens.set(digest, { grantId, id })
    this.#of(grantId).tokens.set(id, { digest, endsAt, use })
  }

  #endTokens(event: BrokerEvent): void {
    switch (event.kind) {
      case 'tokenRevoked':
      case 'tokenExpired': {
        const { tokens } = this.#of(event.grantId)
        const { endsAt } = tokens.get(event.tokenId)!
        if (event.kind === 'tokenExpired')
          assert(endsAt !== undefined && event.at >= endsAt, 'not before its expiry')
        tokens.delete(event.tokenId)
        if (tokens.size === 0) this.#grants.delete(event.grantId)
        return
      }
      case 'codeReplayed': {
        const codes = [...this.#codes.values()].filter(({ grantId }) => grantId === event.grantId)
        assert(
          codes.some(({ isUsed }) => isUsed),
          'only a used code is replayed',
        )
        return this.#end([event.grantId], event.revoked)
      }
      case 'refreshReplayed':
        assert(
          [...this.#of(event.grantId).tokens.values()].some(({ use }) => use === 'used' || use === 'spent'),
        )
        return this.#end([event.grantId], event.revoked)
      case 'grantRevoked':
        return this.#end([event.grantId], event.revoked)
      case 'consentWithdrawn':
      case 'appDeleted':
        return this.#end(event.grants, event.revoked)
      default:
    }
  }

  #assign({ accountId, userId, ended, revoked }: Extract<BrokerEvent, { kind: 'accountAssigned' }>): void {
    const had = this.#owners.get(accountId)
    this.#end(ended, revoked)
    if (had && had !== userId) this.#assertNoneFor(accountId, 'an account with a new owner')
    this.#owners.delete(accountId)
  }

  #assertNoneFor(accountId: string, account: string): void {
    for (const { accounts, tokens } of this.#grants.values())
      assert(tokens.size === 0 || !accounts.includes(accountId), `no app has tokens for ${account}`)
  }

  #end(grants: readonly string[], revoked: readonly string[]): void {
    const tokens = grants.flatMap((id) => [...this.#of(id).tokens.keys()])
    assert.deepEqual([...revoked].sort(), tokens.sort(), 'the event names every revoked token')
    for (const id of grants) this.#grants.delete(id)
  }

  #of(grantId: string): TrackedGrant {
    const grant = this.#grants.get(grantId)
    assert(grant, `grant ${grantId} has ended`)
    return grant
  }

  #isEnabled({ app, accounts }: TrackedGrant): boolean {
    const owners = accounts.map((id) => this.#owners.get(id))
    return (
      !this.#disabledApps.has(app) && !owners.some((id) => id !== undefined && this.#disabledUsers.has(id))
    )
  }
}
