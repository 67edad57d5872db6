import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import { mayConnectLive } from './app.ts'
import { appForConsent, checkSteps, showApp } from './checks.ts'
import type { Consent, PartnerRequest } from './commands.ts'
import { CHALLENGE, clientIdFor, digest, OAuthFixture, type Patch, REDIRECT } from './testing/oauth.ts'

// Each row fails one step and all later ones, so the refusal shows that the steps run in order.
const wrong = { redirectUri: 'http://localhost/', scope: 'everything', accountId: 'nobody' as never }
const { redirectUri: _, ...wrongScope } = wrong
const rows: readonly (readonly [
  string,
  (fixture: OAuthFixture) => Patch<PartnerRequest>,
  string | undefined,
])[] = [
  ['all is right', () => ({}), undefined],
  ['the id is written as a uuid', ({ clientId }) => ({ clientId: spelled(clientId) }), undefined],
  ['the scope is the alias', () => ({ scope: 'general' }), undefined],
  ['only reading is requested', () => ({ scope: '' }), undefined],
  ['two scopes are requested', () => ({ scope: 'account:write trading' }), undefined],
  ['the other redirect URI is sent', () => ({ redirectUri: 'https://app.example/back' }), undefined],
  [
    'the account is live and the app approved',
    (fixture) => ({
      accountId: fixture.account('L'),
      clientId: fixture.register('two', {}, { liveTradingApproved: true }),
      secret: digest('secret of two'),
    }),
    undefined,
  ],
  [
    'the account is live and the app not approved',
    (fixture) => ({ accountId: fixture.account('L') }),
    'oauthAccountInvalid',
  ],
  ['the account has no owner', (fixture) => ({ accountId: fixture.account('N') }), undefined],
  ['the client id is missing', () => ({ clientId: undefined, ...wrong }), 'oauthClientRefused'],
  ['the id is malformed', () => ({ clientId: 'zz', ...wrong }), 'oauthClientRefused'],
  ['the id is empty', () => ({ clientId: '', ...wrong }), 'oauthClientRefused'],
  ['the app is unknown', () => ({ clientId: '0'.repeat(32), ...wrong }), 'oauthClientRefused'],
  [
    'the app belongs to another partner',
    ({ other }) => ({ partnerId: other, ...wrong }),
    'oauthClientRefused',
  ],
  ['the secret is wrong', () => ({ secret: digest('guess'), ...wrong }), 'oauthClientRefused'],
  ['the secret is missing', () => ({ secret: undefined, ...wrong }), 'oauthClientRefused'],
  ['the redirect URI has an extra slash', () => wrong, 'oauthRedirectUriInvalid'],
  ['the redirect URI is missing', () => ({ ...wrong, redirectUri: undefined }), 'oauthRedirectUriInvalid'],
  ['the scope is unknown', () => wrongScope, 'oauthScopeInvalid'],
  ['the scope is missing', () => ({ ...wrongScope, scope: undefined }), 'oauthScopeInvalid'],
  [
    'the app may not request the scope',
    () => ({ ...wrongScope, scope: 'trading data' }),
    'oauthScopeInvalid',
  ],
  ['the account is unknown', () => ({ accountId: 'nobody' as never }), 'oauthAccountInvalid'],
  ['the account is missing', () => ({ accountId: undefined }), 'oauthAccountInvalid'],
  [
    'the account belongs to another partner',
    (fixture) => ({ accountId: fixture.account('F') }),
    'oauthAccountInvalid',
  ],
]

for (const [when, patch, then] of rows)
  for (const kind of ['authorizeApp', 'issueToken'] as const)
    test(`${kind} when ${when}: ${then ?? 'granted'}`, () => {
      const fixture = new OAuthFixture()
      const secrets = { code: digest('c'), token: digest('t') }
      const outcome = fixture.submit({ kind, ...fixture.request, ...patch(fixture), ...secrets } as Command)
      assert.equal(outcome, then ?? (kind === 'issueToken' ? 'tokenIssued' : 'codeIssued'))
    })

const spelled = (id: string): string =>
  id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

test('codes and direct tokens pass the same steps in the same order', () => {
  assert.deepEqual(checkSteps.authorizeApp.slice(0, -1), checkSteps.issueToken.slice(0, -1))
})

for (const [when, before, then] of [
  ['it is closed', { kind: 'closeAccount' }, 'oauthAccountInvalid'],
  ['it was reset', { kind: 'resetAccount', cash: 1n, positions: [] }, 'tokenIssued'],
] as const)
  test(`an account when ${when}: ${then}`, () => {
    const fixture = new OAuthFixture()
    const accountId = fixture.account('A')
    fixture.submit({ ...before, accountId } as Command)
    assert.equal(fixture.submit({ kind: 'issueToken', ...fixture.request, token: digest('t') }), then)
  })

test('a partner gets no direct token for an app with codesOnly', () => {
  const fixture = new OAuthFixture({ codesOnly: true })
  assert.equal(
    fixture.submit({ kind: 'issueToken', ...fixture.request, token: digest('t') }),
    'oauthCodesOnly',
  )
  fixture.authorize()
})

test('a partner gets no code and no token for a public app', () => {
  const fixture = new OAuthFixture({ isPublic: true })
  for (const secret of [digest('secret of one'), undefined]) {
    const request = {
      ...fixture.request,
      secret,
      challenge: CHALLENGE,
      code: digest('c'),
      token: digest('t'),
    }
    for (const kind of ['authorizeApp', 'issueToken'])
      assert.equal(fixture.submit({ kind, ...request } as Command), 'oauthClientRefused')
  }
})

const userRows: readonly (readonly [
  string,
  (fixture: OAuthFixture) => Patch<Consent>,
  string | undefined,
])[] = [
  ['consents for a paper account', () => ({}), undefined],
  ['consents to reading only', () => ({ scope: '' }), undefined],
  ['consents with a PKCE challenge', () => ({ challenge: CHALLENGE }), undefined],
  ['has the paper account with another partner', (fixture) => ({ paper: fixture.account('F') }), undefined],
  [
    'gets a request without client id',
    () => ({ clientId: undefined, redirectUri: 'x', scope: 'x' }),
    'oauthClientRefused',
  ],
  [
    'gets a request with a foreign redirect URI',
    () => ({ redirectUri: 'https://evil.example', scope: 'x' }),
    'oauthRedirectUriInvalid',
  ],
  ['gets a request for too many scopes', () => ({ scope: 'data', challenge: 'short' }), 'oauthScopeInvalid'],
  [
    'gets a request with a malformed challenge',
    () => ({ challenge: 'short', userId: 'x' as never }),
    'oauthChallengeMissing',
  ],
  ['does not exist', () => ({ userId: 'x' as never, paper: undefined }), 'userNotFound'],
  ['chooses no account', () => ({ paper: undefined }), 'oauthAccountInvalid'],
  ['chooses an unknown account', () => ({ paper: 'x' as never }), 'oauthAccountInvalid'],
  [
    'chooses an account of another user',
    (fixture) => ({ paper: fixture.account('B') }),
    'oauthAccountInvalid',
  ],
  ['chooses an account without owner', (fixture) => ({ paper: fixture.account('N') }), 'oauthAccountInvalid'],
  ['sends a live account as paper', (fixture) => ({ paper: fixture.account('L') }), 'oauthAccountInvalid'],
  ['sends a paper account as live', (fixture) => ({ live: fixture.account('A') }), 'oauthAccountInvalid'],
  ['chooses a live account', (fixture) => ({ live: fixture.account('L') }), 'oauthAccountInvalid'],
]

for (const [when, patch, then] of userRows)
  test(`a user who ${when}: ${then ?? 'codeIssued'}`, () => {
    const fixture = new OAuthFixture()
    assert.equal(fixture.consent(patch(fixture)).outcome, then ?? 'codeIssued')
  })

for (const [settings, approved, then] of [
  [{}, true, 'codeIssued'],
  [{ developer: true }, false, 'codeIssued'],
  [{}, false, 'oauthAccountInvalid'],
] as const)
  test(`a live account, for an app that is ${approved ? '' : 'not '}approved, ${JSON.stringify(settings)}: ${then}`, () => {
    const fixture = new OAuthFixture()
    const developer = 'developer' in settings ? { developer: fixture.ann } : {}
    const clientId = fixture.register('two', developer, { liveTradingApproved: approved })
    const [live, paper] = [fixture.account('L'), fixture.account('A')]
    const alone = fixture.consent({ clientId, live, paper: undefined })
    const both = fixture.consent({ clientId, live, paper })
    assert.deepEqual([alone.outcome, both.outcome], [then, then])
    // A live account is never accepted as the paper account.
    assert.equal(fixture.consent({ clientId, live, paper: live }).outcome, 'oauthAccountInvalid')
    const app = fixture.state.apps.get(fixture.state.clientIds.get(clientId)!)!
    assert.equal(mayConnectLive(app, fixture.ann), then === 'codeIssued')
    assert.equal(mayConnectLive(app, fixture.bob), approved)
    assert.equal(mayConnectLive(app, undefined), approved)
    if (then !== 'codeIssued') return
    const secret = digest('secret of two')
    assert.equal(fixture.bearer(fixture.exchange(both.code, { clientId, secret }).token), 'A+L trading')
    assert.equal(fixture.bearer(fixture.exchange(alone.code, { clientId, secret }).token), 'L trading')
  })

for (const settings of [{ pkceRequired: true }, { isPublic: true }])
  test(`an app with ${JSON.stringify(settings)} needs a challenge for consent`, () => {
    const fixture = new OAuthFixture(settings)
    assert.equal(fixture.consent().outcome, 'oauthChallengeMissing')
    assert.equal(fixture.consent({ challenge: CHALLENGE }).outcome, 'codeIssued')
  })

test('a disabled user cannot consent', () => {
  const fixture = new OAuthFixture()
  fixture.disable(fixture.ann)
  assert.equal(fixture.consent().outcome, 'userNotFound')
})

test('a closed account cannot be chosen', () => {
  const fixture = new OAuthFixture()
  fixture.submit({ kind: 'closeAccount', accountId: fixture.account('A'), empty: false })
  assert.equal(fixture.consent().outcome, 'oauthAccountInvalid')
})

test('a disabled app cannot request consent; its owner can still read it', () => {
  const fixture = new OAuthFixture()
  const { partnerId, other, clientId, state } = fixture
  fixture.submit({ kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(fixture.consent().outcome, 'oauthClientRefused')
  const result = appForConsent(state, { clientId, redirectUri: REDIRECT, scope: '' })
  assert.equal(!result.ok && result.reason.code, 'oauthClientRefused')
  const shown = showApp(state, { partnerId, clientId })
  assert.equal(shown.ok && shown.value.status, 'disabled')
  const [foreign, unknown] = [
    { partnerId: other, clientId },
    { partnerId, clientId: '0' },
  ]
  assert.deepEqual(showApp(state, foreign), showApp(state, unknown))
})

for (const [who, clientId, then] of [
  ['ann', clientIdFor('one'), 'consentRefused'],
  ['ann', clientIdFor('two'), 'oauthClientRefused'],
  ['x', clientIdFor('one'), 'userNotFound'],
] as const)
  test(`${who} refuses app ${clientId.slice(0, 6)}: ${then}`, () => {
    const fixture = new OAuthFixture()
    const userId = who === 'ann' ? fixture.ann : ('x' as never)
    assert.equal(fixture.submit({ kind: 'refuseConsent', userId, clientId }), then)
    assert.deepEqual(fixture.counts(), [0, 0, 0])
  })

test('unused codes and their grants are deleted', () => {
  const fixture = new OAuthFixture()
  for (let round = 0; round < 10; round++) {
    fixture.authorize()
    fixture.consent()
    fixture.world.run('wait 330')
  }
  const [grants, codes] = fixture.counts()
  assert.ok(codes <= 6, `${codes} codes`)
  assert.equal(grants, codes)
})
