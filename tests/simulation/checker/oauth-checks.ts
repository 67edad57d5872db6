import assert from 'node:assert/strict'
import type { BrokerEvent, View } from '@quipu/core'

const CODE_LIFE = 60_000_000_000n
const REFRESH_GRACE = 10_000_000_000n

type OwnToken = {
  readonly digest: string
  readonly endsAt: bigint | undefined
  use: 'access' | 'fresh' | 'used' | 'spent'
  usedAt?: bigint
}
type OwnGrant = {
  readonly app: string
  readonly accounts: readonly string[]
  readonly tokens: Map<string, OwnToken>
}
type OwnCode = { readonly grantId: string; readonly at: bigint; isUsed: boolean }

/** What apps were allowed, from nothing but the events, by rules of its own. */
export class OwnGrants {
  readonly #grants = new Map<string, OwnGrant>()
  readonly #codes = new Map<string, OwnCode>()
  readonly #tokens = new Map<string, { readonly grantId: string; readonly id: string }>()
  readonly #silentApps = new Set<string>()
  readonly #silentUsers = new Set<string>()
  readonly #owners = new Map<string, string>()

  take(event: BrokerEvent): void {
    switch (event.kind) {
      case 'accountOpened':
      case 'accountAssigned':
        if (event.kind === 'accountAssigned') this.#assigned(event)
        if (event.personId) this.#owners.set(event.accountId, event.personId)
        return
      case 'accountClosed':
        return this.#assertNoneFor(event.accountId, 'a closed account')
      case 'personChanged':
        if (event.disabled) this.#silentUsers.add(event.personId)
        if (event.disabled === false) this.#silentUsers.delete(event.personId)
        return
      case 'appStatusChanged':
        if (event.status === 'active') this.#silentApps.delete(event.appId)
        else this.#silentApps.add(event.appId)
        return
      case 'codeIssued':
        this.#allow(event.grant)
        this.#codes.set(event.sealed.code, { grantId: event.grant.id, at: event.at, isUsed: false })
        return
      case 'tokenIssued':
        this.#allow(event.grant)
        return this.#add(event.grant.id, event.tokenId, event.sealed.token, event.expiresAt)
      case 'codeExchanged':
        this.#exchanged(event)
        return this.#addPair(event)
      case 'tokenRefreshed':
        this.#refreshed(event)
        return this.#addPair(event)
      default:
        return this.#ended(event)
    }
  }

  /** Whether a bearer of the token with this digest speaks for someone. */
  speaks(digest: string, at: bigint): boolean {
    const known = this.#tokens.get(digest)
    const grant = known && this.#grants.get(known.grantId)
    const token = known && grant?.tokens.get(known.id)
    if (!grant || token?.use !== 'access' || !this.#isHeard(grant)) return false
    return token.endsAt === undefined || token.endsAt > at
  }

  /** Whether a token of this digest was ever issued. */
  knows(digest: string): boolean {
    return this.#tokens.has(digest)
  }

  assertSameAs(view: View): void {
    const known = [...this.#grants.values()].flatMap(({ tokens }) => [...tokens.keys()])
    assert.deepEqual([...view.tokens.keys()].sort(), known.sort(), 'the tokens there are')
    for (const [digest, id] of view.tokenDigests) assert.equal(this.#tokens.get(digest)?.id, id)
  }

  #allow({ id, appId, live, paper }: Extract<BrokerEvent, { kind: 'codeIssued' }>['grant']): void {
    const accounts = [live, paper].filter((one) => one !== undefined)
    assert(accounts.length > 0 && !this.#grants.has(id))
    const grant = { app: appId, accounts, tokens: new Map() }
    assert(!this.#silentApps.has(appId), 'nothing is allowed to a disabled app')
    this.#grants.set(id, grant)
  }

  #exchanged({ at, grantId, sealed }: Extract<BrokerEvent, { kind: 'codeExchanged' }>): void {
    const code = this.#codes.get(sealed.code)
    assert(code?.grantId === grantId && !code.isUsed, 'a code gives one token')
    assert(at < code.at + CODE_LIFE, 'a code is good for a minute')
    assert(this.#isHeard(this.#of(grantId)), 'who is disabled gets nothing')
    code.isUsed = true
  }

  #refreshed({
    at,
    grantId,
    usedId,
    repeated,
    dropped = [],
  }: Extract<BrokerEvent, { kind: 'tokenRefreshed' }>): void {
    const grant = this.#of(grantId)
    const used = grant.tokens.get(usedId)
    assert(
      used?.use === (repeated ? 'used' : 'fresh'),
      'what refreshes serves once, and once more if repeated',
    )
    assert(!repeated || at < used.usedAt! + REFRESH_GRACE, 'it is repeated within ten seconds')
    assert(used.endsAt !== undefined && at < used.endsAt, 'what refreshes has an end')
    assert(this.#isHeard(grant), 'who is disabled gets nothing')
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
    use: OwnToken['use'] = 'access',
  ): void {
    assert(!this.#tokens.has(digest))
    this.#tokens.set(digest, { grantId, id })
    this.#of(grantId).tokens.set(id, { digest, endsAt, use })
  }

  #ended(event: BrokerEvent): void {
    switch (event.kind) {
      case 'tokenRevoked':
      case 'tokenExpired': {
        const { tokens } = this.#of(event.grantId)
        const { endsAt } = tokens.get(event.tokenId)!
        if (event.kind === 'tokenExpired')
          assert(endsAt !== undefined && event.at >= endsAt, 'not before its end')
        tokens.delete(event.tokenId)
        if (tokens.size === 0) this.#grants.delete(event.grantId)
        return
      }
      case 'codeReplayed': {
        const codes = [...this.#codes.values()].filter(({ grantId }) => grantId === event.grantId)
        assert(
          codes.some(({ isUsed }) => isUsed),
          'only what was used comes again',
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

  #assigned({
    accountId,
    personId,
    ended,
    revoked,
  }: Extract<BrokerEvent, { kind: 'accountAssigned' }>): void {
    const had = this.#owners.get(accountId)
    this.#end(ended, revoked)
    if (had && had !== personId) this.#assertNoneFor(accountId, 'an account that was given away')
    this.#owners.delete(accountId)
  }

  #assertNoneFor(accountId: string, what: string): void {
    for (const { accounts, tokens } of this.#grants.values())
      assert(tokens.size === 0 || !accounts.includes(accountId), `no app acts for ${what}`)
  }

  #end(grants: readonly string[], revoked: readonly string[]): void {
    const tokens = grants.flatMap((id) => [...this.#of(id).tokens.keys()])
    assert.deepEqual([...revoked].sort(), tokens.sort(), 'all that stood on it is named')
    for (const id of grants) this.#grants.delete(id)
  }

  #of(grantId: string): OwnGrant {
    const grant = this.#grants.get(grantId)
    assert(grant, `${grantId} is over`)
    return grant
  }

  #isHeard({ app, accounts }: OwnGrant): boolean {
    const owners = accounts.map((id) => this.#owners.get(id))
    return !this.#silentApps.has(app) && !owners.some((id) => id !== undefined && this.#silentUsers.has(id))
  }
}
