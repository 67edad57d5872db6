import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import { type Introspector, validToken } from './bearer.ts'
import { grantsFor, grantsOn, grantsTo } from './revoke.ts'
import { clientIdFor, digest, OAuthFixture } from './testing/oauth.ts'

const HOUR_SECONDS = 3600

test("only partners of a token's app can revoke it", () => {
  const fixture = new OAuthFixture()
  const { partnerId, other } = fixture
  const token = fixture.token()
  const tokenId = fixture.tokenId(token)
  assert.equal(fixture.submit({ kind: 'revokeToken', partnerId: other, tokenId }), '')
  assert.ok(fixture.bearer(token))
  assert.equal(fixture.submit({ kind: 'revokeToken', partnerId, tokenId }), 'tokenRevoked')
  assert.equal(fixture.bearer(token), undefined)
  assert.deepEqual(fixture.counts(), [0, 0, 0])
  assert.equal(fixture.submit({ kind: 'revokeToken', partnerId, tokenId }), '')
})

test('a partner that shares the app can revoke its tokens', () => {
  const fixture = new OAuthFixture()
  const { partnerId, other, clientId } = fixture
  const tokenId = fixture.tokenId(fixture.token())
  fixture.submit({ kind: 'changeApp', partnerId, clientId, change: { shared: [other] } })
  assert.equal(fixture.submit({ kind: 'revokeToken', partnerId: other, tokenId }), 'tokenRevoked')
})

/** An app with an access token and a refresh token. */
function pair() {
  const fixture = new OAuthFixture({ tokenSeconds: 600 })
  fixture.register('two')
  const { token, refresh } = fixture.exchange(fixture.consent().code)
  const { clientId } = fixture
  return { fixture, token, refresh, clientId, secret: digest('secret of one') }
}

for (const [kind, by, then, left] of [
  ['token', 'its app', 'tokenRevoked', [1, 1, 1]],
  ['refresh', 'its app', 'grantRevoked', [0, 1, 0]],
  ['used', 'its app', 'grantRevoked', [0, 1, 0]],
  ['unknown', 'its app', '', [1, 1, 4]],
  ['token', 'another app', '', [1, 1, 4]],
  ['refresh', 'another app', '', [1, 1, 4]],
  ['token', 'a wrong secret', 'oauthClientRefused', [1, 1, 4]],
] as const)
  test(`${by} revokes the ${kind} token: ${then || 'no event'}`, () => {
    const { fixture, token, refresh, clientId, secret } = pair()
    const next = kind === 'token' || kind === 'refresh' ? undefined : fixture.refresh(refresh)
    const revoked = { token, refresh, used: refresh, unknown: digest('unknown') }[kind]
    const who = {
      'its app': { clientId, secret },
      'another app': { clientId: clientIdFor('two'), secret: digest('secret of two') },
      'a wrong secret': { clientId, secret: digest('guess') },
    }[by]
    assert.equal(fixture.submit({ kind: 'revokeAppToken', ...who, token: revoked }), then)
    const [grants, codes, tokens] = left
    assert.deepEqual(fixture.counts(), [grants, codes, tokens === 4 && !next ? 2 : tokens])
    assert.equal(fixture.bearer(token) === undefined, then !== '' && then !== 'oauthClientRefused')
  })

test('a partner that revokes a refresh token revokes the whole grant', () => {
  const { fixture, token, refresh } = pair()
  const { partnerId } = fixture
  assert.equal(
    fixture.submit({ kind: 'revokeToken', partnerId, tokenId: fixture.tokenId(refresh) }),
    'grantRevoked',
  )
  assert.equal(fixture.bearer(token), undefined)
})

for (const [who, account, then] of [
  ['first', 'A', 'grantRevoked'],
  ['other', 'A', 'oauthGrantNotFound'],
  ['other', 'F', 'grantRevoked'],
  ['first', 'F', 'grantRevoked'],
] as const)
  test(`the ${who} partner revokes the grant for ${account}: ${then}`, () => {
    const fixture = new OAuthFixture()
    fixture.consent({ paper: fixture.account(account) })
    const [grantId] = fixture.state.grants.keys()
    const partnerId = who === 'first' ? fixture.partnerId : fixture.other
    assert.equal(fixture.submit({ kind: 'revokeGrant', partnerId, grantId: grantId! }), then)
    assert.equal(fixture.state.grants.size, then === 'grantRevoked' ? 0 : 1)
    if (then !== 'grantRevoked') return
    assert.equal(fixture.submit({ kind: 'revokeGrant', partnerId, grantId: grantId! }), 'oauthGrantNotFound')
  })

test('the partner of either account can revoke a grant for both', () => {
  const fixture = new OAuthFixture()
  const clientId = fixture.register('two', {}, { liveTradingApproved: true, owner: fixture.partnerId })
  fixture.consent({ clientId, live: fixture.account('L'), paper: fixture.account('F') })
  const [grantId] = fixture.state.grants.keys()
  assert.equal(
    fixture.submit({ kind: 'revokeGrant', partnerId: fixture.other, grantId: grantId! }),
    'grantRevoked',
  )
})

test("a user withdraws all grants of one app for the user's accounts, and no others", () => {
  const fixture = new OAuthFixture()
  const { ann, bob, clientId, state } = fixture
  const two = fixture.register('two')
  const tokens = [fixture.token(), fixture.exchange(fixture.consent().code).token]
  const { code } = fixture.consent()
  const kept = [
    fixture.token({ accountId: fixture.account('B') }),
    fixture.token({ accountId: fixture.account('N') }),
    fixture.token({ clientId: two, secret: digest('secret of two') }),
  ]
  assert.deepEqual([grantsFor(state, ann).length, grantsFor(state, bob).length], [4, 1])
  assert.deepEqual(
    [grantsOn(state, fixture.account('A')).length, grantsOn(state, fixture.account('L')).length],
    [4, 0],
  )
  assert.equal(grantsTo(state, state.clientIds.get(two)!).length, 1)
  assert.equal(fixture.submit({ kind: 'withdrawConsent', userId: ann, clientId }), 'consentWithdrawn')
  const event = fixture.world.events.at(-1)
  assert.equal(event?.kind === 'consentWithdrawn' && event.revoked.length, 2)
  for (const token of tokens) assert.equal(fixture.bearer(token), undefined)
  for (const token of kept) assert.ok(fixture.bearer(token))
  assert.equal(fixture.exchange(code).outcome, 'oauthCodeInvalid')
  assert.equal(fixture.submit({ kind: 'withdrawConsent', userId: ann, clientId }), 'oauthGrantNotFound')
  const unknown = { kind: 'withdrawConsent', userId: ann, clientId: '0' } as const
  assert.equal(fixture.submit(unknown), 'oauthGrantNotFound')
})

test('closing an account revokes its grants, also for the other account of the grant', () => {
  const fixture = new OAuthFixture()
  const clientId = fixture.register('two', {}, { liveTradingApproved: true })
  const { code } = fixture.consent({ clientId, live: fixture.account('L') })
  const both = fixture.exchange(code, { clientId, secret: digest('secret of two') }).token
  const alone = fixture.token({ clientId, secret: digest('secret of two'), accountId: fixture.account('L') })
  assert.equal(
    fixture.submit({ kind: 'closeAccount', accountId: fixture.account('A'), empty: true }),
    'grantRevoked accountClosed',
  )
  assert.deepEqual([fixture.bearer(both), fixture.bearer(alone)], [undefined, 'L trading'])
})

test('the grants of an account survive its reset', () => {
  const fixture = new OAuthFixture()
  const token = fixture.token()
  fixture.submit({ kind: 'resetAccount', accountId: fixture.account('A'), cash: 1n, positions: [] } as never)
  assert.equal(fixture.bearer(token), 'A trading')
})

test('no app acts for a disabled user; other users of the partner are unaffected', () => {
  const fixture = new OAuthFixture()
  const [hers, his] = [fixture.token(), fixture.token({ accountId: fixture.account('B') })]
  fixture.disable(fixture.ann)
  assert.deepEqual([fixture.bearer(hers), fixture.bearer(his)], [undefined, 'B trading'])
  fixture.disable(fixture.ann, false)
  assert.equal(fixture.bearer(hers), 'A trading')
})

test('deleting an app revokes its grants and frees its client id', () => {
  const { fixture, token, refresh } = pair()
  const { partnerId, other, clientId } = fixture
  assert.equal(fixture.submit({ kind: 'deleteApp', partnerId: other, clientId }), 'oauthClientRefused')
  assert.equal(fixture.submit({ kind: 'deleteApp', partnerId, clientId }), 'appDeleted')
  const event = fixture.world.events.at(-1)
  assert.deepEqual(event?.kind === 'appDeleted' && [event.grants.length, event.revoked.length], [1, 2])
  for (const one of [token, refresh]) assert.equal(fixture.state.tokenDigests.has(one), false)
  assert.equal(fixture.submit({ kind: 'deleteApp', partnerId, clientId }), 'oauthClientRefused')
  assert.equal(fixture.world.run('wait 1000'), '')
  fixture.register('one')
})

test('the use of a grant is recorded on first use, then once an hour', () => {
  const fixture = new OAuthFixture()
  fixture.token()
  const [grantId] = fixture.state.grants.keys()
  const use = () => fixture.submit({ kind: 'noteGrantUse', grantId: grantId! })
  assert.deepEqual([use(), use()], ['grantUsed', ''])
  fixture.world.run(`wait ${HOUR_SECONDS - 1}`)
  assert.equal(use(), '')
  fixture.world.run('wait 1')
  assert.equal(use(), 'grantUsed')
  assert.equal(fixture.state.grants.get(grantId!)?.lastUsedAt, fixture.state.lastAt)
  assert.equal(fixture.submit({ kind: 'noteGrantUse', grantId: 'unknown' as never }), '')
})

const callers: readonly (readonly [string, (fixture: OAuthFixture) => Introspector, boolean])[] = [
  ['its app', ({ state }) => ({ kind: 'app', app: [...state.apps.values()][0]! }), true],
  ['another app', ({ state }) => ({ kind: 'app', app: [...state.apps.values()][1]! }), false],
  ['its partner', ({ partnerId }) => ({ kind: 'partner', partnerId }), true],
  ['another partner', ({ other }) => ({ kind: 'partner', partnerId: other }), false],
  ['an operator', () => ({ kind: 'operator' }), true],
]
for (const [who, caller, then] of callers)
  test(`${who} ${then ? 'can' : 'cannot'} introspect a token`, () => {
    const { fixture, token, refresh } = pair()
    for (const one of [token, refresh])
      assert.equal(validToken(fixture.state, fixture.world.now, one, caller(fixture)) !== undefined, then)
  })

for (const [command, then] of [
  [
    { where: 'signIn', userId: 'ann' },
    { where: 'signIn', userId: 'ann' },
  ],
  [{ where: 'signIn', userId: 'nobody' }, { where: 'signIn' }],
  [
    { where: 'app', clientId: clientIdFor('one') },
    { where: 'app', appId: 'one' },
  ],
  [{ where: 'app', clientId: 'an unknown client id' }, { where: 'app' }],
] as const)
  test(`the failed-attempt limit ${JSON.stringify(command)} is recorded without unknown ids`, () => {
    const fixture = new OAuthFixture()
    const ids: Record<string, string> = { ann: fixture.ann, one: [...fixture.state.apps.keys()][0]! }
    const named = (fields: object) =>
      Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, ids[value] ?? value]))
    assert.equal(
      fixture.submit({ kind: 'recordFailedAttemptLimit', ...named(command) } as Command),
      'failedAttemptLimitReached',
    )
    const { kind: _, at: __, ...recorded } = fixture.world.events.at(-1)!
    assert.deepEqual(recorded, named(then))
  })
