import assert from 'node:assert/strict'
import test from 'node:test'
import type { Digest } from '../ids.ts'
import { scopeTextOf, validToken } from './bearer.ts'
import type { RefreshToken } from './commands.ts'
import { GRANT_TOKENS_MAX, REFRESH_SECONDS } from './lifetimes.ts'
import { CHALLENGE, clientIdFor, digest, OAuthFixture, type Patch } from './testing/oauth.ts'

/** An app that has exchanged a code; its tokens expire after one minute, refresh tokens after five. */
function withTokens(seconds = { tokenSeconds: 60, refreshSeconds: 300 }) {
  const fixture = new OAuthFixture(seconds)
  return { fixture, ...fixture.exchange(fixture.authorize({ scope: 'account:write trading' })) }
}

test('an expiring token comes with a refresh token', () => {
  const { fixture, outcome, token, refresh } = withTokens()
  assert.equal(outcome, 'codeExchanged')
  assert.equal(fixture.bearer(token), 'A account:write,trading')
  assert.equal(fixture.bearer(refresh), undefined)
  const next = fixture.refresh(refresh)
  assert.equal(next.outcome, 'tokenRefreshed')
  assert.equal(fixture.bearer(next.token), 'A account:write,trading')
  // The older token stays valid until its expiry, because requests may be in flight.
  assert.equal(fixture.bearer(token), 'A account:write,trading')
  assert.equal(fixture.refresh(next.refresh).outcome, 'tokenRefreshed')
})

test('an app that wants no refresh token gets only an expiring token', () => {
  const fixture = new OAuthFixture({ tokenSeconds: 60 })
  const { token } = fixture.exchange(fixture.authorize(), { refresh: undefined })
  assert.equal(fixture.state.tokens.size, 1)
  fixture.world.run('wait 60')
  assert.equal(fixture.bearer(token), undefined)
  assert.deepEqual(fixture.counts(), [0, 1, 0])
})

for (const [nanos, alive] of [
  [59_999_999_999n, true],
  [60_000_000_000n, false],
] as const)
  test(`a token of a minute, ${nanos} ns after it was issued, ${alive ? 'is valid' : 'has expired'}`, () => {
    const { fixture, token } = withTokens()
    // The world has not processed the expiry yet.
    fixture.world.now = (fixture.world.now + nanos) as never
    assert.equal(fixture.bearer(token) !== undefined, alive)
    assert.equal(isValid(fixture, token), alive)
  })

const isValid = (fixture: OAuthFixture, token: Digest): boolean =>
  validToken(fixture.state, fixture.world.now, token, { kind: 'operator' }) !== undefined

for (const [nanos, then] of [
  [299_999_999_998n, 'tokenRefreshed'],
  [299_999_999_999n, 'oauthCodeInvalid'],
] as const)
  test(`a refresh ${nanos + 1n} ns after it was issued: ${then}`, () => {
    const { fixture, refresh } = withTokens()
    fixture.world.now = (fixture.world.now + nanos) as never
    assert.equal(fixture.refresh(refresh).outcome, then)
  })

test('expired tokens are deleted and removed from the agenda', () => {
  const { fixture } = withTokens()
  assert.equal(fixture.world.run('wait 59'), '')
  assert.equal(fixture.world.run('wait 1'), 'tokenExpired')
  assert.deepEqual(fixture.counts(), [1, 1, 1])
  assert.equal(fixture.world.run('wait 240'), 'tokenExpired')
  assert.deepEqual(fixture.counts(), [0, 1, 0])
  assert.equal(fixture.world.run('wait 3600'), '')
})

const two = { clientId: clientIdFor('two'), secret: digest('secret of two') }
for (const [when, patch, then] of [
  ['the secret is wrong', { secret: digest('guess'), scope: 'x' }, 'oauthClientRefused'],
  ['the app is unknown', { clientId: '1'.repeat(32), scope: 'x' }, 'oauthClientRefused'],
  ['another app sends it', { ...two, scope: 'x' }, 'oauthCodeInvalid'],
  ['the token is unknown', { current: digest('made up'), scope: 'x' }, 'oauthCodeInvalid'],
  ['more scopes are requested than granted', { scope: 'trading data' }, 'oauthScopeInvalid'],
  ['a scope is unknown', { scope: 'everything' }, 'oauthScopeInvalid'],
] as readonly (readonly [string, Patch<RefreshToken>, string])[])
  test(`a refresh when ${when}: ${then}, and the refresh token stays valid`, () => {
    const { fixture, refresh } = withTokens()
    fixture.register('two', { tokenSeconds: 60 })
    assert.equal(fixture.refresh(refresh, patch).outcome, then)
    assert.equal(fixture.refresh(refresh).outcome, 'tokenRefreshed')
  })

test('an access token cannot be refreshed', () => {
  const { fixture, token } = withTokens()
  assert.equal(fixture.refresh(token).outcome, 'oauthCodeInvalid')
  assert.equal(fixture.bearer(token), 'A account:write,trading')
})

for (const [scope, then, text] of [
  [undefined, 'A account:write,trading', 'account:write trading'],
  ['account:write trading', 'A account:write,trading', 'account:write trading'],
  ['trading account:write', 'A trading,account:write', 'trading account:write'],
  ['trading', 'A trading', 'trading'],
  ['general', 'A', 'general'],
  ['', 'A', ''],
] as const)
  test(`a refresh with scope "${scope}" gives "${then}", and the next gives all scopes again`, () => {
    const { fixture, refresh } = withTokens()
    const less = fixture.refresh(refresh, { scope })
    assert.equal(fixture.bearer(less.token), then)
    const introspected = validToken(fixture.state, fixture.world.now, less.token, { kind: 'operator' })
    assert.equal(introspected && scopeTextOf(introspected), text)
    assert.equal(fixture.bearer(fixture.refresh(less.refresh).token), 'A account:write,trading')
  })

const after = (fixture: OAuthFixture, nanos: bigint) => {
  fixture.world.now = (fixture.world.now + nanos) as never
}
const IN_TIME = 9_999_999_998n
const TOO_LATE = 9_999_999_999n

test('the previous refresh token returns one more pair within ten seconds, and no third', () => {
  const { fixture, token, refresh } = withTokens()
  const first = fixture.refresh(refresh)
  after(fixture, IN_TIME)
  const second = fixture.refresh(refresh)
  assert.equal(second.outcome, 'tokenRefreshed')
  for (const one of [token, first.token, second.token]) assert.ok(fixture.bearer(one))
  assert.ok(isValid(fixture, first.refresh) && isValid(fixture, second.refresh) && !isValid(fixture, refresh))
  assert.equal(fixture.refresh(refresh).outcome, 'refreshReplayed')
  for (const one of [token, first.token, second.token]) assert.equal(fixture.bearer(one), undefined)
  assert.deepEqual(fixture.counts(), [0, 1, 0])
})

test('a refresh token that is reused after ten seconds revokes everything', () => {
  const { fixture, token, refresh } = withTokens()
  const next = fixture.refresh(refresh)
  after(fixture, TOO_LATE)
  assert.equal(fixture.refresh(refresh).outcome, 'refreshReplayed')
  for (const one of [token, next.token]) assert.equal(fixture.bearer(one), undefined)
  assert.equal(fixture.refresh(next.refresh).outcome, 'oauthCodeInvalid')
  assert.equal(fixture.refresh(refresh).outcome, 'oauthCodeInvalid')
  assert.deepEqual(fixture.counts(), [0, 1, 0])
})

test('a refresh token before the previous one revokes everything at once', () => {
  const { fixture, refresh } = withTokens()
  const next = fixture.refresh(refresh)
  assert.equal(fixture.refresh(next.refresh).outcome, 'tokenRefreshed')
  assert.equal(fixture.refresh(refresh).outcome, 'refreshReplayed')
})

for (const [when, nanos, then] of [
  ['in time', IN_TIME, 'tokenRefreshed'],
  ['too late', TOO_LATE, 'refreshReplayed'],
] as const)
  test(`of two pairs of one refresh token the second is refreshed ${when} after the first: ${then}`, () => {
    const { fixture, refresh } = withTokens()
    const pairs = [fixture.refresh(refresh), fixture.refresh(refresh)] as const
    after(fixture, 30_000_000_000n)
    const next = fixture.refresh(pairs[0].refresh)
    assert.equal(next.outcome, 'tokenRefreshed')
    assert.ok(!isValid(fixture, pairs[1].refresh))
    after(fixture, nanos)
    const other = fixture.refresh(pairs[1].refresh)
    assert.equal(other.outcome, then)
    assert.equal(isValid(fixture, next.refresh) && isValid(fixture, other.refresh), then === 'tokenRefreshed')
    // The two pairs together get only one more pair.
    assert.notEqual(fixture.refresh(pairs[0].refresh).outcome, 'tokenRefreshed')
  })

test('a repeated refresh has the same checks as the first', () => {
  const { fixture, token, refresh } = withTokens()
  fixture.register('two', { tokenSeconds: 60 })
  fixture.refresh(refresh)
  assert.equal(fixture.refresh(refresh, two).outcome, 'oauthCodeInvalid')
  assert.equal(fixture.refresh(refresh, { scope: 'data' }).outcome, 'oauthScopeInvalid')
  fixture.disable(fixture.ann)
  assert.equal(fixture.refresh(refresh).outcome, 'oauthCodeInvalid')
  fixture.disable(fixture.ann, false)
  assert.equal(fixture.bearer(fixture.refresh(refresh, { scope: 'trading' }).token), 'A trading')
  assert.ok(fixture.bearer(token))
})

test('another app, or a wrong secret, revokes nothing with a used refresh token', () => {
  const { fixture, refresh } = withTokens()
  fixture.register('two', { tokenSeconds: 60 })
  const next = fixture.refresh(refresh)
  assert.equal(fixture.refresh(refresh, two).outcome, 'oauthCodeInvalid')
  assert.equal(fixture.refresh(refresh, { secret: digest('guess') }).outcome, 'oauthClientRefused')
  assert.ok(fixture.bearer(next.token))
})

test('of fifty refreshes with one token exactly two return a new pair', () => {
  const { fixture, refresh } = withTokens()
  const outcome = Array.from({ length: 50 }, () => fixture.refresh(refresh).outcome)
  assert.equal(outcome.filter((one) => one === 'tokenRefreshed').length, 2)
})

test('a grant has a maximum number of tokens; the newest work, and reuse of a recent one is detected', () => {
  const { fixture, token, refresh } = withTokens({ tokenSeconds: 1000, refreshSeconds: 1000 })
  let last = { outcome: '', token, refresh }
  let before = last
  for (let round = 0; round < 3 * GRANT_TOKENS_MAX; round++) {
    before = last
    last = fixture.refresh(last.refresh)
    assert.equal(last.outcome, 'tokenRefreshed')
  }
  assert.equal(fixture.state.tokens.size, GRANT_TOKENS_MAX)
  assert.equal(fixture.bearer(token), undefined)
  assert.ok(fixture.bearer(last.token) && fixture.bearer(before.token))
  // A dropped token is refused like an unknown one.
  assert.equal(fixture.refresh(refresh).outcome, 'oauthCodeInvalid')
  after(fixture, TOO_LATE)
  assert.equal(fixture.refresh(before.refresh).outcome, 'refreshReplayed')
  assert.equal(fixture.state.tokens.size, 0)
})

test('the event names the dropped tokens', () => {
  const { fixture, refresh } = withTokens({ tokenSeconds: 1000, refreshSeconds: 1000 })
  const [first, second] = [...fixture.state.tokens.keys()]
  let last = refresh
  for (let round = 0; round < GRANT_TOKENS_MAX / 2; round++) last = fixture.refresh(last).refresh
  const event = fixture.world.events.at(-1)
  assert.deepEqual(event?.kind === 'tokenRefreshed' && event.dropped, [first, second])
})

test('a public app refreshes without a secret', () => {
  const fixture = new OAuthFixture({ isPublic: true, tokenSeconds: 60 })
  const { code } = fixture.consent({ challenge: CHALLENGE })
  const { refresh } = fixture.exchange(code, { challenge: CHALLENGE, secret: undefined })
  assert.equal(fixture.refresh(refresh).outcome, 'oauthClientRefused')
  assert.equal(fixture.refresh(refresh, { secret: undefined }).outcome, 'tokenRefreshed')
})

test('an app whose tokens no longer expire gets a token without expiry and no refresh token', () => {
  const { fixture, refresh } = withTokens()
  const { partnerId, clientId } = fixture
  fixture.submit({ kind: 'changeApp', partnerId, clientId, change: { cleared: ['tokenSeconds'] } })
  const next = fixture.refresh(refresh)
  assert.equal(next.outcome, 'tokenRefreshed')
  assert.equal(fixture.state.tokenDigests.has(next.refresh), false)
  fixture.world.run('wait 100000')
  assert.equal(fixture.bearer(next.token), 'A account:write,trading')
  assert.equal(fixture.state.tokens.size, 1)
})

for (const [when, end, then] of [
  ['the app is disabled', (fixture) => appStatus(fixture, 'disabled'), 'oauthClientRefused'],
  ['the user is disabled', ({ ann }) => disabled(ann, true), 'oauthCodeInvalid'],
] as readonly (readonly [string, (fixture: OAuthFixture) => Parameters<OAuthFixture['submit']>[0], string])[])
  test(`while ${when} a refresh is refused, and the tokens stay`, () => {
    const { fixture, token, refresh } = withTokens()
    fixture.submit(end(fixture))
    assert.equal(fixture.refresh(refresh).outcome, then)
    assert.equal(fixture.bearer(token), undefined)
    assert.equal(isValid(fixture, token) || isValid(fixture, refresh), false)
    fixture.submit(appStatus(fixture, 'active'))
    fixture.submit(disabled(fixture.ann, false))
    assert.ok(fixture.bearer(token) && isValid(fixture, refresh))
    assert.equal(fixture.refresh(refresh).outcome, 'tokenRefreshed')
  })

const disabled = (userId: OAuthFixture['ann'], is: boolean) =>
  ({ kind: 'changeUser', userId, disabled: is }) as const
const appStatus = ({ partnerId, clientId }: OAuthFixture, status: 'active' | 'disabled') =>
  ({ kind: 'changeAppStatus', partnerId, clientId, status }) as const

test('a refresh token expires after thirty days by default', () => {
  const fixture = new OAuthFixture({ tokenSeconds: 60 })
  const { refresh } = fixture.exchange(fixture.authorize())
  const { expiresAt, createdAt } = fixture.state.tokens.get(fixture.tokenId(refresh))!
  assert.equal(expiresAt! - createdAt, BigInt(REFRESH_SECONDS) * 1_000_000_000n)
})
