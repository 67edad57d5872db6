import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import { type Introspector, validToken } from './introspect.ts'
import { grantsFor, grantsOn, grantsTo } from './revoke.ts'
import { clientIdFor, digest, Office } from './testing/oauth.ts'

const HOUR_SECONDS = 3600

test('a partner of its app revokes a token, and nobody else does', () => {
  const office = new Office()
  const { partnerId, other } = office
  const token = office.token()
  const tokenId = office.tokenId(token)
  assert.equal(office.say({ kind: 'revokeToken', partnerId: other, tokenId }), '')
  assert.ok(office.bearer(token))
  assert.equal(office.say({ kind: 'revokeToken', partnerId, tokenId }), 'tokenRevoked')
  assert.equal(office.bearer(token), undefined)
  assert.deepEqual(office.counts(), [0, 0, 0])
  assert.equal(office.say({ kind: 'revokeToken', partnerId, tokenId }), '')
})

test('a partner the app is shared with revokes its tokens too', () => {
  const office = new Office()
  const { partnerId, other, clientId } = office
  const tokenId = office.tokenId(office.token())
  office.say({ kind: 'changeApp', partnerId, clientId, change: { shared: [other] } })
  assert.equal(office.say({ kind: 'revokeToken', partnerId: other, tokenId }), 'tokenRevoked')
})

/** An app with an access token and one to get the next. */
function pair() {
  const office = new Office({ tokenSeconds: 600 })
  office.register('two')
  const { token, refresh } = office.exchange(office.consent().code)
  const { clientId } = office
  return { office, token, refresh, clientId, secret: digest('secret of one') }
}

for (const [given, by, then, left] of [
  ['token', 'itself', 'tokenRevoked', [1, 1, 1]],
  ['refresh', 'itself', 'grantRevoked', [0, 1, 0]],
  ['used', 'itself', 'grantRevoked', [0, 1, 0]],
  ['unknown', 'itself', '', [1, 1, 4]],
  ['token', 'another app', '', [1, 1, 4]],
  ['refresh', 'another app', '', [1, 1, 4]],
  ['token', 'a stranger', 'oauthClientRefused', [1, 1, 4]],
] as const)
  test(`an app gives up ${given}, by ${by}: ${then}`, () => {
    const { office, token, refresh, clientId, secret } = pair()
    const next = given === 'token' || given === 'refresh' ? undefined : office.refresh(refresh)
    const shown = { token, refresh, used: refresh, unknown: digest('unknown') }[given]
    const who = {
      itself: { clientId, secret },
      'another app': { clientId: clientIdFor('two'), secret: digest('secret of two') },
      'a stranger': { clientId, secret: digest('guess') },
    }[by]
    assert.equal(office.say({ kind: 'revokeOwnToken', ...who, token: shown }), then)
    const [grants, codes, tokens] = left
    assert.deepEqual(office.counts(), [grants, codes, tokens === 4 && !next ? 2 : tokens])
    assert.equal(office.bearer(token) === undefined, then !== '' && then !== 'oauthClientRefused')
  })

test('a partner that revokes what refreshes ends all that stands on it', () => {
  const { office, token, refresh } = pair()
  const { partnerId } = office
  assert.equal(
    office.say({ kind: 'revokeToken', partnerId, tokenId: office.tokenId(refresh) }),
    'grantRevoked',
  )
  assert.equal(office.bearer(token), undefined)
})

for (const [who, account, then] of [
  ['first', 'A', 'grantRevoked'],
  ['other', 'A', 'oauthGrantNotFound'],
  ['other', 'F', 'grantRevoked'],
  ['first', 'F', 'grantRevoked'],
] as const)
  test(`the ${who} partner ends the grant for ${account}: ${then}`, () => {
    const office = new Office()
    office.consent({ paper: office.account(account) })
    const [grantId] = office.state.grants.keys()
    const partnerId = who === 'first' ? office.partnerId : office.other
    assert.equal(office.say({ kind: 'revokeGrant', partnerId, grantId: grantId! }), then)
    assert.equal(office.state.grants.size, then === 'grantRevoked' ? 0 : 1)
    if (then !== 'grantRevoked') return
    assert.equal(office.say({ kind: 'revokeGrant', partnerId, grantId: grantId! }), 'oauthGrantNotFound')
  })

test('the partner of either account ends a grant for both', () => {
  const office = new Office()
  const clientId = office.register('two', {}, { liveTradingApproved: true, owner: office.partnerId })
  office.consent({ clientId, live: office.account('L'), paper: office.account('F') })
  const [grantId] = office.state.grants.keys()
  assert.equal(
    office.say({ kind: 'revokeGrant', partnerId: office.other, grantId: grantId! }),
    'grantRevoked',
  )
})

test('a user withdraws what an app may do for them, whoever had allowed it, and nothing else', () => {
  const office = new Office()
  const { ann, bob, clientId, state } = office
  const two = office.register('two')
  const tokens = [office.token(), office.exchange(office.consent().code).token]
  const { code } = office.consent()
  const kept = [
    office.token({ accountId: office.account('B') }),
    office.token({ accountId: office.account('N') }),
    office.token({ clientId: two, secret: digest('secret of two') }),
  ]
  assert.deepEqual([grantsFor(state, ann).length, grantsFor(state, bob).length], [4, 1])
  assert.deepEqual(
    [grantsOn(state, office.account('A')).length, grantsOn(state, office.account('L')).length],
    [4, 0],
  )
  assert.equal(grantsTo(state, state.clientIds.get(two)!).length, 1)
  assert.equal(office.say({ kind: 'withdrawConsent', userId: ann, clientId }), 'consentWithdrawn')
  const event = office.world.events.at(-1)
  assert.equal(event?.kind === 'consentWithdrawn' && event.revoked.length, 2)
  for (const token of tokens) assert.equal(office.bearer(token), undefined)
  for (const token of kept) assert.ok(office.bearer(token))
  assert.equal(office.exchange(code).said, 'oauthCodeInvalid')
  assert.equal(office.say({ kind: 'withdrawConsent', userId: ann, clientId }), 'oauthGrantNotFound')
  const unknown = { kind: 'withdrawConsent', userId: ann, clientId: '0' } as const
  assert.equal(office.say(unknown), 'oauthGrantNotFound')
})

test('no app acts for a closed account, and the other of the same consent goes with it', () => {
  const office = new Office()
  const clientId = office.register('two', {}, { liveTradingApproved: true })
  const { code } = office.consent({ clientId, live: office.account('L') })
  const both = office.exchange(code, { clientId, secret: digest('secret of two') }).token
  const alone = office.token({ clientId, secret: digest('secret of two'), accountId: office.account('L') })
  assert.equal(
    office.say({ kind: 'closeAccount', accountId: office.account('A'), empty: true }),
    'grantRevoked accountClosed',
  )
  assert.deepEqual([office.bearer(both), office.bearer(alone)], [undefined, 'L trading'])
})

test('an account that is begun anew keeps what apps may do', () => {
  const office = new Office()
  const token = office.token()
  office.say({ kind: 'resetAccount', accountId: office.account('A'), cash: 1n, positions: [] } as never)
  assert.equal(office.bearer(token), 'A trading')
})

test('no app acts for who is disabled, the partner being no other', () => {
  const office = new Office()
  const [hers, his] = [office.token(), office.token({ accountId: office.account('B') })]
  office.disable(office.ann)
  assert.deepEqual([office.bearer(hers), office.bearer(his)], [undefined, 'B trading'])
  office.disable(office.ann, false)
  assert.equal(office.bearer(hers), 'A trading')
})

test('a deleted app leaves nothing behind, and its client id is free', () => {
  const { office, token, refresh } = pair()
  const { partnerId, other, clientId } = office
  assert.equal(office.say({ kind: 'deleteApp', partnerId: other, clientId }), 'oauthClientRefused')
  assert.equal(office.say({ kind: 'deleteApp', partnerId, clientId }), 'appDeleted')
  const event = office.world.events.at(-1)
  assert.deepEqual(event?.kind === 'appDeleted' && [event.grants.length, event.revoked.length], [1, 2])
  for (const one of [token, refresh]) assert.equal(office.state.tokenDigests.has(one), false)
  assert.equal(office.say({ kind: 'deleteApp', partnerId, clientId }), 'oauthClientRefused')
  assert.equal(office.world.run('wait 1000'), '')
  office.register('one')
})

test('the use of a grant is noted the first time, and then once an hour', () => {
  const office = new Office()
  office.token()
  const [grantId] = office.state.grants.keys()
  const use = () => office.say({ kind: 'noteGrantUse', grantId: grantId! })
  assert.deepEqual([use(), use()], ['grantUsed', ''])
  office.world.run(`wait ${HOUR_SECONDS - 1}`)
  assert.equal(use(), '')
  office.world.run('wait 1')
  assert.equal(use(), 'grantUsed')
  assert.equal(office.state.grants.get(grantId!)?.lastUsedAt, office.state.lastAt)
  assert.equal(office.say({ kind: 'noteGrantUse', grantId: 'gone' as never }), '')
})

const askers: readonly (readonly [string, (office: Office) => Introspector, boolean])[] = [
  ['its app', ({ state }) => ({ kind: 'app', app: [...state.apps.values()][0]! }), true],
  ['another app', ({ state }) => ({ kind: 'app', app: [...state.apps.values()][1]! }), false],
  ['its partner', ({ partnerId }) => ({ kind: 'partner', partnerId }), true],
  ['another partner', ({ other }) => ({ kind: 'partner', partnerId: other }), false],
  ['an operator', () => ({ kind: 'operator' }), true],
]
for (const [who, asker, then] of askers)
  test(`${who} learns ${then ? '' : 'nothing '}of a token`, () => {
    const { office, token, refresh } = pair()
    for (const one of [token, refresh])
      assert.equal(validToken(office.state, office.world.now, one, asker(office)) !== undefined, then)
  })

for (const [command, then] of [
  [
    { where: 'signIn', userId: 'ann' },
    { where: 'signIn', personId: 'ann' },
  ],
  [{ where: 'signIn', userId: 'nobody' }, { where: 'signIn' }],
  [
    { where: 'app', clientId: clientIdFor('one') },
    { where: 'app', appId: 'one' },
  ],
  [{ where: 'app', clientId: 'what someone typed' }, { where: 'app' }],
] as const)
  test(`guessing ${JSON.stringify(command)} is noticed, and nothing typed is kept`, () => {
    const office = new Office()
    const ids: Record<string, string> = { ann: office.ann, one: [...office.state.apps.keys()][0]! }
    const named = (given: object) =>
      Object.fromEntries(Object.entries(given).map(([key, value]) => [key, ids[value] ?? value]))
    assert.equal(
      office.say({ kind: 'recordFailedAttemptLimit', ...named(command) } as Command),
      'failedAttemptLimitReached',
    )
    const { kind: _, at: __, ...told } = office.world.events.at(-1)!
    assert.deepEqual(told, named(then))
  })
