import assert from 'node:assert/strict'
import test from 'node:test'
import type { AppSettings } from './app.ts'
import type { ExchangeCode } from './commands.ts'
import { CHALLENGE, clientIdFor, digest, Office, OTHER_CHALLENGE, type Patch } from './testing/oauth.ts'

test('a code becomes a token that speaks for the account', () => {
  const office = new Office()
  const { said, token, refresh } = office.exchange(office.authorize({ scope: 'trading general' }))
  assert.equal(said, 'codeExchanged')
  assert.equal(office.bearer(token), 'A trading')
  assert.equal(office.state.tokenDigests.has(refresh), false)
  const [grant] = office.state.grants.values()
  assert.deepEqual(
    [grant?.scopeText, grant?.scopes, grant?.personId],
    ['trading general', ['trading'], undefined],
  )
})

test('a code of a user becomes a token of theirs', () => {
  const office = new Office()
  assert.equal(office.bearer(office.exchange(office.consent().code).token), 'A trading')
  assert.equal([...office.state.grants.values()][0]?.personId, office.ann)
})

const two = { clientId: clientIdFor('two'), secret: digest('secret of two') }
for (const [when, patch, then] of [
  ['the secret is wrong', { secret: digest('guess') }, 'oauthClientRefused'],
  ['the secret is missing', { secret: undefined }, 'oauthClientRefused'],
  ['the app is unknown', { clientId: '1'.repeat(32) }, 'oauthClientRefused'],
  ['the app is missing', { clientId: undefined }, 'oauthClientRefused'],
  ['the redirect URI is another of the app', { redirectUri: 'https://app.example/back' }, 'oauthCodeInvalid'],
  ['the redirect URI is missing', { redirectUri: undefined }, 'oauthCodeInvalid'],
  ['another app shows the code', two, 'oauthCodeInvalid'],
  ['a proof comes that nobody asked for', { challenge: CHALLENGE }, 'oauthCodeInvalid'],
] as readonly (readonly [string, Patch<ExchangeCode>, string])[])
  test(`an exchange when ${when}: ${then}, and the code still serves its app`, () => {
    const office = new Office()
    office.register('two')
    const code = office.authorize()
    assert.equal(office.exchange(code, patch).said, then)
    assert.equal(office.exchange(code).said, 'codeExchanged')
  })

test('an unknown code is refused', () => {
  const office = new Office()
  assert.equal(office.exchange(digest('made up')).said, 'oauthCodeInvalid')
})

for (const [given, shown, then] of [
  [CHALLENGE, CHALLENGE, 'codeExchanged'],
  [CHALLENGE, OTHER_CHALLENGE, 'oauthCodeInvalid'],
  [CHALLENGE, undefined, 'oauthCodeInvalid'],
  [undefined, CHALLENGE, 'oauthCodeInvalid'],
] as const)
  for (const settings of [{}, { isPublic: true }] as readonly AppSettings[])
    test(`a code with proof ${given}, shown ${shown}, ${JSON.stringify(settings)}: ${then}`, () => {
      if (settings.isPublic && !given) return
      const office = new Office(settings)
      const { code } = office.consent({ challenge: given })
      const secret = settings.isPublic ? undefined : office.ask.secret
      const { said, token } = office.exchange(code, { challenge: shown, secret })
      assert.equal(said, then)
      assert.equal(office.bearer(token), then === 'codeExchanged' ? 'A trading' : undefined)
    })

test('a public app shows no secret, and one that it shows is wrong', () => {
  const office = new Office({ isPublic: true })
  const { code } = office.consent({ challenge: CHALLENGE })
  assert.equal(office.exchange(code, { challenge: CHALLENGE }).said, 'oauthClientRefused')
})

for (const change of [{ pkceRequired: true }, { isPublic: true }])
  test(`a code without a proof is worth nothing once its app has ${JSON.stringify(change)}`, () => {
    const office = new Office()
    const { partnerId, clientId } = office
    const code = office.authorize()
    office.say({ kind: 'changeApp', partnerId, clientId, change: { settings: change } })
    const secret = 'isPublic' in change ? undefined : office.ask.secret
    assert.equal(office.exchange(code, { secret }).said, 'oauthCodeInvalid')
  })

for (const [nanos, then] of [
  [59_999_999_998n, 'codeExchanged'],
  [59_999_999_999n, 'oauthCodeInvalid'],
] as const)
  test(`a code, ${nanos + 1n} ns after it was issued: ${then}`, () => {
    const office = new Office()
    const code = office.authorize()
    // The command itself takes one.
    office.world.now = (office.world.now + nanos) as never
    assert.equal(office.exchange(code).said, then)
  })

test('a code that comes again takes its tokens back, once', () => {
  const office = new Office({ tokenSeconds: 60 })
  const code = office.authorize()
  const first = office.exchange(code)
  const next = office.refresh(first.refresh)
  assert.equal(office.bearer(next.token), 'A trading')
  assert.equal(office.exchange(code).said, 'codeReplayed')
  assert.deepEqual(
    [first.token, next.token].map((token) => office.bearer(token)),
    [undefined, undefined],
  )
  assert.equal(office.refresh(next.refresh).said, 'oauthCodeInvalid')
  assert.equal(office.exchange(code).said, 'oauthCodeInvalid')
  assert.deepEqual(office.counts(), [0, 1, 0])
})

test('a used code is known for stolen ten minutes after it expired; then it is unknown', () => {
  for (const [seconds, then] of [
    [659, 'codeReplayed'],
    [661, 'oauthCodeInvalid'],
  ] as const) {
    const office = new Office()
    const code = office.authorize()
    const { token } = office.exchange(code)
    office.world.run(`wait ${seconds}`)
    office.authorize()
    assert.equal(office.exchange(code).said, then)
    assert.equal(office.bearer(token), then === 'codeReplayed' ? undefined : 'A trading')
  }
})

for (const [when, patch] of [
  ['another app', two],
  ['whoever lacks the secret', { secret: digest('guess') }],
  ['whoever lacks the proof', { challenge: OTHER_CHALLENGE }],
  ['whoever names another redirect URI', { redirectUri: 'https://app.example/back' }],
] as readonly (readonly [string, Patch<ExchangeCode>])[])
  test(`${when} takes no token back with a used code`, () => {
    const office = new Office()
    office.register('two')
    const code = office.authorize({ challenge: CHALLENGE })
    const { token } = office.exchange(code, { challenge: CHALLENGE })
    assert.notEqual(office.exchange(code, { challenge: CHALLENGE, ...patch }).said, 'codeReplayed')
    assert.equal(office.bearer(token), 'A trading')
  })

test('of fifty exchanges of one code exactly one yields a token', () => {
  const office = new Office()
  const code = office.authorize()
  const said = Array.from({ length: 50 }, () => office.exchange(code).said)
  assert.equal(said.filter((one) => one === 'codeExchanged').length, 1)
})

for (const [when, end] of [
  ['the app is deleted', ({ partnerId, clientId }) => ({ kind: 'deleteApp', partnerId, clientId })],
  [
    'the account is closed',
    (office) => ({ kind: 'closeAccount', accountId: office.account('A'), empty: false }),
  ],
  ['the account is given away', (office) => assigned(office)],
  ['the consent is withdrawn', ({ ann, clientId }) => ({ kind: 'withdrawConsent', userId: ann, clientId })],
  ['the user is disabled', ({ ann }) => ({ kind: 'changeUser', userId: ann, disabled: true })],
] as readonly (readonly [string, (office: Office) => Parameters<Office['say']>[0]])[])
  test(`a code outstanding when ${when} is worth nothing`, () => {
    const office = new Office()
    const { code } = office.consent()
    office.say(end(office))
    const gone = when === 'the app is deleted' ? 'oauthClientRefused' : 'oauthCodeInvalid'
    assert.equal(office.exchange(code).said, gone)
    assert.equal(office.state.tokens.size, 0)
  })

const assigned = (office: Office) =>
  ({ kind: 'assignAccount', accountId: office.account('A'), userId: office.bob }) as const

test('a code of an app that was deleted does not serve one that took its client id', () => {
  const office = new Office()
  const { partnerId, clientId } = office
  const code = office.authorize()
  office.say({ kind: 'deleteApp', partnerId, clientId })
  office.register('one')
  assert.equal(office.exchange(code).said, 'oauthCodeInvalid')
})

test('a disabled app exchanges nothing, until it is enabled', () => {
  const office = new Office()
  const { partnerId, clientId } = office
  const code = office.authorize()
  office.say({ kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(office.exchange(code).said, 'oauthClientRefused')
  office.say({ kind: 'changeAppStatus', partnerId, clientId, status: 'active' })
  assert.equal(office.exchange(code).said, 'codeExchanged')
})

test('an exchanged code that is let go leaves its token alone', () => {
  const office = new Office()
  const { token } = office.exchange(office.authorize())
  office.world.run('wait 661')
  office.authorize()
  assert.deepEqual(office.counts(), [2, 1, 1])
  assert.equal(office.bearer(token), 'A trading')
})
