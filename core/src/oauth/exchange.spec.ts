import assert from 'node:assert/strict'
import test from 'node:test'
import type { AppSettings } from './app.ts'
import type { ExchangeCode } from './commands.ts'
import { CHALLENGE, clientIdFor, digest, OAuthFixture, OTHER_CHALLENGE, type Patch } from './testing/oauth.ts'

test('a code is exchanged for a token of the account', () => {
  const fixture = new OAuthFixture()
  const { outcome, token, refresh } = fixture.exchange(fixture.authorize({ scope: 'trading general' }))
  assert.equal(outcome, 'codeExchanged')
  assert.equal(fixture.bearer(token), 'A trading')
  assert.equal(fixture.state.tokenDigests.has(refresh), false)
  const [grant] = fixture.state.grants.values()
  assert.deepEqual(
    [grant?.scopeText, grant?.scopes, grant?.userId],
    ['trading general', ['trading'], undefined],
  )
})

test('a code from the consent of a user is exchanged for a token of that user', () => {
  const fixture = new OAuthFixture()
  assert.equal(fixture.bearer(fixture.exchange(fixture.consent().code).token), 'A trading')
  assert.equal([...fixture.state.grants.values()][0]?.userId, fixture.ann)
})

const two = { clientId: clientIdFor('two'), secret: digest('secret of two') }
for (const [when, patch, then] of [
  ['the secret is wrong', { secret: digest('guess') }, 'oauthClientRefused'],
  ['the secret is missing', { secret: undefined }, 'oauthClientRefused'],
  ['the app is unknown', { clientId: '1'.repeat(32) }, 'oauthClientRefused'],
  ['the app is missing', { clientId: undefined }, 'oauthClientRefused'],
  ['the redirect URI is another of the app', { redirectUri: 'https://app.example/back' }, 'oauthCodeInvalid'],
  ['the redirect URI is missing', { redirectUri: undefined }, 'oauthCodeInvalid'],
  ['another app sends the code', two, 'oauthCodeInvalid'],
  ['a verifier is sent for a code without a challenge', { challenge: CHALLENGE }, 'oauthCodeInvalid'],
] as readonly (readonly [string, Patch<ExchangeCode>, string])[])
  test(`an exchange when ${when}: ${then}, and the code stays valid for its app`, () => {
    const fixture = new OAuthFixture()
    fixture.register('two')
    const code = fixture.authorize()
    assert.equal(fixture.exchange(code, patch).outcome, then)
    assert.equal(fixture.exchange(code).outcome, 'codeExchanged')
  })

test('an unknown code is refused', () => {
  const fixture = new OAuthFixture()
  assert.equal(fixture.exchange(digest('made up')).outcome, 'oauthCodeInvalid')
})

for (const [requested, sent, then] of [
  [CHALLENGE, CHALLENGE, 'codeExchanged'],
  [CHALLENGE, OTHER_CHALLENGE, 'oauthCodeInvalid'],
  [CHALLENGE, undefined, 'oauthCodeInvalid'],
  [undefined, CHALLENGE, 'oauthCodeInvalid'],
] as const)
  for (const settings of [{}, { isPublic: true }] as readonly AppSettings[])
    test(`a code with challenge ${requested}, exchanged with ${sent},  ${JSON.stringify(settings)}: ${then}`, () => {
      if (settings.isPublic && !requested) return
      const fixture = new OAuthFixture(settings)
      const { code } = fixture.consent({ challenge: requested })
      const secret = settings.isPublic ? undefined : fixture.request.secret
      const { outcome, token } = fixture.exchange(code, { challenge: sent, secret })
      assert.equal(outcome, then)
      assert.equal(fixture.bearer(token), then === 'codeExchanged' ? 'A trading' : undefined)
    })

test('a public app sends no secret; any secret is refused', () => {
  const fixture = new OAuthFixture({ isPublic: true })
  const { code } = fixture.consent({ challenge: CHALLENGE })
  assert.equal(fixture.exchange(code, { challenge: CHALLENGE }).outcome, 'oauthClientRefused')
})

for (const change of [{ pkceRequired: true }, { isPublic: true }])
  test(`a code without a challenge is invalid once its app has ${JSON.stringify(change)}`, () => {
    const fixture = new OAuthFixture()
    const { partnerId, clientId } = fixture
    const code = fixture.authorize()
    fixture.submit({ kind: 'changeApp', partnerId, clientId, change: { settings: change } })
    const secret = 'isPublic' in change ? undefined : fixture.request.secret
    assert.equal(fixture.exchange(code, { secret }).outcome, 'oauthCodeInvalid')
  })

for (const [nanos, then] of [
  [59_999_999_998n, 'codeExchanged'],
  [59_999_999_999n, 'oauthCodeInvalid'],
] as const)
  test(`a code, ${nanos + 1n} ns after it was issued: ${then}`, () => {
    const fixture = new OAuthFixture()
    const code = fixture.authorize()
    // The command itself advances the clock by one nanosecond.
    fixture.world.now = (fixture.world.now + nanos) as never
    assert.equal(fixture.exchange(code).outcome, then)
  })

test('reuse of a code revokes its tokens, once', () => {
  const fixture = new OAuthFixture({ tokenSeconds: 60 })
  const code = fixture.authorize()
  const first = fixture.exchange(code)
  const next = fixture.refresh(first.refresh)
  assert.equal(fixture.bearer(next.token), 'A trading')
  assert.equal(fixture.exchange(code).outcome, 'codeReplayed')
  assert.deepEqual(
    [first.token, next.token].map((token) => fixture.bearer(token)),
    [undefined, undefined],
  )
  assert.equal(fixture.refresh(next.refresh).outcome, 'oauthCodeInvalid')
  assert.equal(fixture.exchange(code).outcome, 'oauthCodeInvalid')
  assert.deepEqual(fixture.counts(), [0, 1, 0])
})

test('reuse of a code is detected until ten minutes after its expiry; then the code is unknown', () => {
  for (const [seconds, then] of [
    [659, 'codeReplayed'],
    [661, 'oauthCodeInvalid'],
  ] as const) {
    const fixture = new OAuthFixture()
    const code = fixture.authorize()
    const { token } = fixture.exchange(code)
    fixture.world.run(`wait ${seconds}`)
    fixture.authorize()
    assert.equal(fixture.exchange(code).outcome, then)
    assert.equal(fixture.bearer(token), then === 'codeReplayed' ? undefined : 'A trading')
  }
})

for (const [when, patch] of [
  ['another app', two],
  ['a client with a wrong secret', { secret: digest('guess') }],
  ['a client with a wrong verifier', { challenge: OTHER_CHALLENGE }],
  ['a client with another redirect URI', { redirectUri: 'https://app.example/back' }],
] as readonly (readonly [string, Patch<ExchangeCode>])[])
  test(`${when} revokes no token with a used code`, () => {
    const fixture = new OAuthFixture()
    fixture.register('two')
    const code = fixture.authorize({ challenge: CHALLENGE })
    const { token } = fixture.exchange(code, { challenge: CHALLENGE })
    assert.notEqual(fixture.exchange(code, { challenge: CHALLENGE, ...patch }).outcome, 'codeReplayed')
    assert.equal(fixture.bearer(token), 'A trading')
  })

test('of fifty exchanges of one code exactly one returns a token', () => {
  const fixture = new OAuthFixture()
  const code = fixture.authorize()
  const outcome = Array.from({ length: 50 }, () => fixture.exchange(code).outcome)
  assert.equal(outcome.filter((one) => one === 'codeExchanged').length, 1)
})

for (const [when, end] of [
  ['the app is deleted', ({ partnerId, clientId }) => ({ kind: 'deleteApp', partnerId, clientId })],
  [
    'the account is closed',
    (fixture) => ({ kind: 'closeAccount', accountId: fixture.account('A'), empty: false }),
  ],
  ['the account gets another owner', (fixture) => assigned(fixture)],
  ['the consent is withdrawn', ({ ann, clientId }) => ({ kind: 'withdrawConsent', userId: ann, clientId })],
  ['the user is disabled', ({ ann }) => ({ kind: 'changeUser', userId: ann, disabled: true })],
] as readonly (readonly [string, (fixture: OAuthFixture) => Parameters<OAuthFixture['submit']>[0]])[])
  test(`an unused code is invalid after ${when}`, () => {
    const fixture = new OAuthFixture()
    const { code } = fixture.consent()
    fixture.submit(end(fixture))
    const expected = when === 'the app is deleted' ? 'oauthClientRefused' : 'oauthCodeInvalid'
    assert.equal(fixture.exchange(code).outcome, expected)
    assert.equal(fixture.state.tokens.size, 0)
  })

const assigned = (fixture: OAuthFixture) =>
  ({ kind: 'assignAccount', accountId: fixture.account('A'), userId: fixture.bob }) as const

test('a code of a deleted app is invalid for a new app with the same client id', () => {
  const fixture = new OAuthFixture()
  const { partnerId, clientId } = fixture
  const code = fixture.authorize()
  fixture.submit({ kind: 'deleteApp', partnerId, clientId })
  fixture.register('one')
  assert.equal(fixture.exchange(code).outcome, 'oauthCodeInvalid')
})

test('a disabled app cannot exchange a code until it is enabled', () => {
  const fixture = new OAuthFixture()
  const { partnerId, clientId } = fixture
  const code = fixture.authorize()
  fixture.submit({ kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(fixture.exchange(code).outcome, 'oauthClientRefused')
  fixture.submit({ kind: 'changeAppStatus', partnerId, clientId, status: 'active' })
  assert.equal(fixture.exchange(code).outcome, 'codeExchanged')
})

test('the token stays valid when its exchanged code is deleted', () => {
  const fixture = new OAuthFixture()
  const { token } = fixture.exchange(fixture.authorize())
  fixture.world.run('wait 661')
  fixture.authorize()
  assert.deepEqual(fixture.counts(), [2, 1, 1])
  assert.equal(fixture.bearer(token), 'A trading')
})
