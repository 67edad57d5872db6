import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import { mayConnectLive } from './app.ts'
import { appForConsent, showApp, steps } from './checks.ts'
import type { Consent, PartnerRequest } from './commands.ts'
import { CHALLENGE, clientIdFor, digest, Office, type Patch, REDIRECT } from './testing/oauth.ts'

// Each row is wrong in one thing and in everything checked after it: only the order of the steps tells them apart.
const wrong = { redirectUri: 'http://localhost/', scope: 'everything', accountId: 'nobody' as never }
const { redirectUri: _, ...wrongScope } = wrong
const rows: readonly (readonly [string, (office: Office) => Patch<PartnerRequest>, string | undefined])[] = [
  ['all is right', () => ({}), undefined],
  ['the id is written as a uuid', ({ clientId }) => ({ clientId: spelled(clientId) }), undefined],
  ['the scope is the alias', () => ({ scope: 'general' }), undefined],
  ['no more than reading is asked for', () => ({ scope: '' }), undefined],
  ['two scopes are asked for', () => ({ scope: 'account:write trading' }), undefined],
  ['the other redirect URI is named', () => ({ redirectUri: 'https://app.example/back' }), undefined],
  [
    'the account is live and the app approved',
    (office) => ({
      accountId: office.account('L'),
      clientId: office.register('two', {}, { liveTradingApproved: true }),
      secret: digest('secret of two'),
    }),
    undefined,
  ],
  [
    'the account is live and the app not approved',
    (office) => ({ accountId: office.account('L') }),
    'oauthAccountInvalid',
  ],
  ["the account is nobody's", (office) => ({ accountId: office.account('N') }), undefined],
  ['no app is named', () => ({ clientId: undefined, ...wrong }), 'oauthClientRefused'],
  ['the id is no id', () => ({ clientId: 'zz', ...wrong }), 'oauthClientRefused'],
  ['the id is empty', () => ({ clientId: '', ...wrong }), 'oauthClientRefused'],
  ['the app is unknown', () => ({ clientId: '0'.repeat(32), ...wrong }), 'oauthClientRefused'],
  ["the app is not the caller's", ({ other }) => ({ partnerId: other, ...wrong }), 'oauthClientRefused'],
  ['the secret is wrong', () => ({ secret: digest('guess'), ...wrong }), 'oauthClientRefused'],
  ['the secret is missing', () => ({ secret: undefined, ...wrong }), 'oauthClientRefused'],
  ['the redirect URI has a slash more', () => wrong, 'oauthRedirectUriInvalid'],
  ['the redirect URI is missing', () => ({ ...wrong, redirectUri: undefined }), 'oauthRedirectUriInvalid'],
  ['the scope is unknown', () => wrongScope, 'oauthScopeInvalid'],
  ['the scope is missing', () => ({ ...wrongScope, scope: undefined }), 'oauthScopeInvalid'],
  [
    'the app may not ask for the scope',
    () => ({ ...wrongScope, scope: 'trading data' }),
    'oauthScopeInvalid',
  ],
  ['the account is unknown', () => ({ accountId: 'nobody' as never }), 'oauthAccountInvalid'],
  ['the account is missing', () => ({ accountId: undefined }), 'oauthAccountInvalid'],
  [
    "the account is another partner's",
    (office) => ({ accountId: office.account('F') }),
    'oauthAccountInvalid',
  ],
]

for (const [when, patch, then] of rows)
  for (const kind of ['authorizeApp', 'issueToken'] as const)
    test(`${kind} when ${when}: ${then ?? 'granted'}`, () => {
      const office = new Office()
      const secrets = { code: digest('c'), token: digest('t') }
      const said = office.say({ kind, ...office.ask, ...patch(office), ...secrets } as Command)
      assert.equal(said, then ?? (kind === 'issueToken' ? 'tokenIssued' : 'codeIssued'))
    })

const spelled = (id: string): string =>
  id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

test('whoever may be granted something passes the same steps, in the same order', () => {
  assert.deepEqual(steps.authorizeApp.slice(0, -1), steps.issueToken.slice(0, -1))
})

for (const [when, before, then] of [
  ['it is closed', { kind: 'closeAccount' }, 'oauthAccountInvalid'],
  ['it was begun anew', { kind: 'resetAccount', cash: 1n, positions: [] }, 'tokenIssued'],
] as const)
  test(`an account when ${when}: ${then}`, () => {
    const office = new Office()
    const accountId = office.account('A')
    office.say({ ...before, accountId } as Command)
    assert.equal(office.say({ kind: 'issueToken', ...office.ask, token: digest('t') }), then)
  })

test('a partner gets no token without a code where the app is for codes only', () => {
  const office = new Office({ codesOnly: true })
  assert.equal(office.say({ kind: 'issueToken', ...office.ask, token: digest('t') }), 'oauthCodesOnly')
  office.authorize()
})

test('a partner gets nothing for a public app, which has no secret to show', () => {
  const office = new Office({ isPublic: true })
  for (const secret of [digest('secret of one'), undefined]) {
    const ask = { ...office.ask, secret, challenge: CHALLENGE, code: digest('c'), token: digest('t') }
    for (const kind of ['authorizeApp', 'issueToken'])
      assert.equal(office.say({ kind, ...ask } as Command), 'oauthClientRefused')
  }
})

const userRows: readonly (readonly [string, (office: Office) => Patch<Consent>, string | undefined])[] = [
  ['allows it for paper', () => ({}), undefined],
  ['allows no more than reading', () => ({ scope: '' }), undefined],
  ['proves the app', () => ({ challenge: CHALLENGE }), undefined],
  ['has the paper account with another partner', (office) => ({ paper: office.account('F') }), undefined],
  ['is asked by nobody', () => ({ clientId: undefined, redirectUri: 'x', scope: 'x' }), 'oauthClientRefused'],
  [
    'is sent elsewhere',
    () => ({ redirectUri: 'https://evil.example', scope: 'x' }),
    'oauthRedirectUriInvalid',
  ],
  ['is asked for too much', () => ({ scope: 'data', challenge: 'short' }), 'oauthScopeInvalid'],
  [
    'is asked with a broken proof',
    () => ({ challenge: 'short', userId: 'x' as never }),
    'oauthChallengeMissing',
  ],
  ['is nobody', () => ({ userId: 'x' as never, paper: undefined }), 'userNotFound'],
  ['chooses nothing', () => ({ paper: undefined }), 'oauthAccountInvalid'],
  ['chooses an account there is not', () => ({ paper: 'x' as never }), 'oauthAccountInvalid'],
  ["chooses another's account", (office) => ({ paper: office.account('B') }), 'oauthAccountInvalid'],
  ["chooses nobody's account", (office) => ({ paper: office.account('N') }), 'oauthAccountInvalid'],
  ['says live is paper', (office) => ({ paper: office.account('L') }), 'oauthAccountInvalid'],
  ['says paper is live', (office) => ({ live: office.account('A') }), 'oauthAccountInvalid'],
  ['chooses a live account', (office) => ({ live: office.account('L') }), 'oauthAccountInvalid'],
]

for (const [when, patch, then] of userRows)
  test(`a user who ${when}: ${then ?? 'codeIssued'}`, () => {
    const office = new Office()
    assert.equal(office.consent(patch(office)).said, then ?? 'codeIssued')
  })

for (const [settings, approved, then] of [
  [{}, true, 'codeIssued'],
  [{ developer: true }, false, 'codeIssued'],
  [{}, false, 'oauthAccountInvalid'],
] as const)
  test(`a live account, for an app that is ${approved ? '' : 'not '}approved, ${JSON.stringify(settings)}: ${then}`, () => {
    const office = new Office()
    const developer = 'developer' in settings ? { developer: office.ann } : {}
    const clientId = office.register('two', developer, { liveTradingApproved: approved })
    const [live, paper] = [office.account('L'), office.account('A')]
    const alone = office.consent({ clientId, live, paper: undefined })
    const both = office.consent({ clientId, live, paper })
    assert.deepEqual([alone.said, both.said], [then, then])
    // The live account is not a paper one too, whoever says so.
    assert.equal(office.consent({ clientId, live, paper: live }).said, 'oauthAccountInvalid')
    const app = office.state.apps.get(office.state.clientIds.get(clientId)!)!
    assert.equal(mayConnectLive(app, office.ann), then === 'codeIssued')
    assert.equal(mayConnectLive(app, office.bob), approved)
    assert.equal(mayConnectLive(app, undefined), approved)
    if (then !== 'codeIssued') return
    const secret = digest('secret of two')
    assert.equal(office.bearer(office.exchange(both.code, { clientId, secret }).token), 'A+L trading')
    assert.equal(office.bearer(office.exchange(alone.code, { clientId, secret }).token), 'L trading')
  })

for (const settings of [{ pkceRequired: true }, { isPublic: true }])
  test(`an app with ${JSON.stringify(settings)} asks nobody without a proof`, () => {
    const office = new Office(settings)
    assert.equal(office.consent().said, 'oauthChallengeMissing')
    assert.equal(office.consent({ challenge: CHALLENGE }).said, 'codeIssued')
  })

test('a user who is disabled allows nothing', () => {
  const office = new Office()
  office.disable(office.ann)
  assert.equal(office.consent().said, 'userNotFound')
})

test('a closed account is not there to choose', () => {
  const office = new Office()
  office.say({ kind: 'closeAccount', accountId: office.account('A'), empty: false })
  assert.equal(office.consent().said, 'oauthAccountInvalid')
})

test('a disabled app asks nobody, and its owner can still look at it', () => {
  const office = new Office()
  const { partnerId, other, clientId, state } = office
  office.say({ kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(office.consent().said, 'oauthClientRefused')
  const asked = appForConsent(state, { clientId, redirectUri: REDIRECT, scope: '' })
  assert.equal(!asked.ok && asked.reason.code, 'oauthClientRefused')
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
  test(`${who} says no to ${clientId.slice(0, 6)}: ${then}`, () => {
    const office = new Office()
    const userId = who === 'ann' ? office.ann : ('x' as never)
    assert.equal(office.say({ kind: 'refuseConsent', userId, clientId }), then)
    assert.deepEqual(office.counts(), [0, 0, 0])
  })

test('codes nobody used do not pile up, and grants with them', () => {
  const office = new Office()
  for (let round = 0; round < 10; round++) {
    office.authorize()
    office.consent()
    office.world.run('wait 330')
  }
  const [grants, codes] = office.counts()
  assert.ok(codes <= 6, `${codes} codes`)
  assert.equal(grants, codes)
})
