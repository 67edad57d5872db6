import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClientId, Digest, KeyId, PartnerId } from '../ids.ts'
import type { View } from '../state.ts'
import { Teller } from '../testing/world.ts'
import { type Instant, SECOND } from '../time.ts'
import type { AppSettings } from './app.ts'
import { checkRequest } from './checks.ts'
import type { ChangeApp, PartnerRequest } from './commands.ts'
import { keyOfMachineToken } from './machine.ts'
import { isRedirectUri } from './redirect.ts'
import { grantConcerns } from './revoke.ts'

const digest = (text: string): Digest => `digest of ${text}` as Digest
const clientId = 'a'.repeat(32) as ClientId
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** An account, and an app with these settings, of the same partner; another partner has neither. */
function world(settings: AppSettings = {}) {
  const teller = new Teller()
  teller.tell('open A 1000')
  teller.submit({ kind: 'addPartner', name: 'another' })
  const [partnerId, other] = [...teller.state.partners.keys()] as [PartnerId, PartnerId]
  teller.submit({
    kind: 'registerApp',
    clientId,
    owner: partnerId,
    name: 'one',
    description: '',
    url: '',
    termsOfUse: '',
    privacyPolicy: '',
    redirectUris: ['http://localhost'],
    scopes: ['trading'],
    liveTradingApproved: false,
    settings,
    secret: digest('secret'),
  })
  const ask: PartnerRequest = {
    partnerId,
    clientId,
    secret: digest('secret'),
    redirectUri: 'http://localhost',
    scope: 'trading',
    accountId: teller.accounts.get('A')!,
  }
  const app = () => [...teller.state.apps.values()][0]!
  const change = (patch: ChangeApp['change']) =>
    teller.submit({ kind: 'changeApp', partnerId, clientId, change: patch })
  return { teller, partnerId, other, ask, app, change }
}

for (const [settings, challenge, then] of [
  [{}, undefined, undefined],
  [{}, CHALLENGE, undefined],
  [{}, '', 'oauthChallengeMissing'],
  [{}, `${CHALLENGE}=`, 'oauthChallengeMissing'],
  [{ pkceRequired: true }, undefined, 'oauthChallengeMissing'],
  [{ pkceRequired: true }, CHALLENGE, undefined],
] as const)
  test(`a partner's code for ${JSON.stringify(settings)} with challenge ${challenge ?? 'none'}: ${then ?? 'granted'}`, () => {
    const { teller, ask } = world(settings)
    const bound = challenge === undefined ? {} : { challenge }
    const decision = teller.submit({ kind: 'authorizeApp', ...ask, ...bound, code: digest('c') })
    assert.equal(decision.ok ? undefined : decision.reason.code, then)
  })

test('every step is taken whatever the doubt: an app that nobody registered costs what a wrong secret does', () => {
  const { teller, ask, other } = world()
  const looked = (patch: Partial<PartnerRequest>): number => {
    let count = 0
    const get = (id: never) => {
      count += 1
      return teller.state.accounts.get(id)
    }
    const accounts = { get }
    const view = { ...teller.state, accounts } as unknown as View
    assert.ok(!checkRequest(view, teller.state.lastAt, 'issueToken', { ...ask, ...patch }).ok)
    return count
  }
  for (const patch of [
    { clientId: '0'.repeat(32) },
    { clientId: '' },
    { secret: digest('guess') },
    { partnerId: other },
    { redirectUri: 'nowhere' },
  ])
    assert.equal(looked(patch), 1, JSON.stringify(patch))
})

test('an app that becomes public keeps no secret and gets none', () => {
  const { teller, app, change, partnerId } = world()
  assert.ok(change({ settings: { isPublic: true } }).ok)
  assert.deepEqual([app().isPublic, app().secrets], [true, []])
  const added = teller.submit({ kind: 'addAppSecret', partnerId, clientId, secret: digest('more') })
  assert.equal(!added.ok && added.reason.code, 'oauthTooManySecrets')
})

test('what is cleared is gone, what is not named stays, and nothing named is no event', () => {
  const { app, change, teller } = world({ tokenSeconds: 60, refreshSeconds: 120, isNative: true })
  change({ name: 'two', cleared: ['tokenSeconds'] })
  const { name, tokenSeconds, refreshSeconds, isNative, description } = app()
  assert.deepEqual(
    [name, tokenSeconds, refreshSeconds, isNative, description],
    ['two', undefined, 120, true, ''],
  )
  const { seq } = teller.state
  change({})
  assert.equal(teller.state.seq, seq)
})

test('there is room for a new secret where the others end at once', () => {
  const { teller, app, partnerId } = world()
  const add = (name: string, othersUntil?: Instant) =>
    teller.submit({
      kind: 'addAppSecret',
      partnerId,
      clientId,
      secret: digest(name),
      ...(othersUntil === undefined ? {} : { othersUntil }),
    })
  for (const name of ['2', '3', '4', '5']) assert.ok(add(name).ok)
  assert.ok(!add('6').ok)
  assert.ok(!add('6', (teller.state.lastAt + 60n * SECOND) as Instant).ok)
  assert.ok(add('6', teller.state.lastAt).ok)
  assert.deepEqual(
    app().secrets.map((secret) => secret.digest),
    [digest('6')],
  )
})

test("a grant is the business of the account's partner and of the app's owner", () => {
  const { teller, ask, partnerId, other } = world()
  teller.submit({ kind: 'issueToken', ...ask, token: digest('t') })
  const [grant] = teller.state.grants.values()
  assert.ok(grantConcerns(teller.state, grant!, partnerId))
  assert.ok(!grantConcerns(teller.state, grant!, other))
  const refused = teller.submit({ kind: 'revokeGrant', partnerId: other, grantId: grant!.id })
  assert.equal(!refused.ok && refused.reason.code, 'oauthGrantNotFound')
  assert.ok(teller.submit({ kind: 'revokeGrant', partnerId, grantId: grant!.id }).ok)
  assert.equal(teller.state.tokens.size, 0)
})

/** A partner's key, and tokens for it. */
function machine() {
  const { teller, partnerId } = world()
  const keyId = 'CK1' as KeyId
  const issueKey = () =>
    teller.submit({
      kind: 'issueKey',
      keyId,
      owner: { kind: 'partner', partnerId, operator: false },
      digest: digest('key'),
    })
  issueKey()
  const issue = (token: string, jti?: string, now = 0n, expiresAt = 300n) =>
    teller.submit({
      kind: 'issueMachineToken',
      keyId,
      token: digest(token),
      ...(jti === undefined
        ? {}
        : { assertion: { digest: digest(jti), now: now as Instant, expiresAt: expiresAt as Instant } }),
    })
  return { teller, keyId, issueKey, issue }
}

test("an assertion serves once, and is remembered by the machine's clock alone", () => {
  const { teller, issue } = machine()
  assert.ok(issue('1', 'a').ok)
  const again = issue('2', 'a', 299n)
  assert.equal(!again.ok && again.reason.code, 'oauthAssertionUsed')
  assert.ok(issue('3').ok)
  assert.ok(issue('4', 'b', 299n).ok)
  assert.ok(teller.state.assertions.has(digest('a')))
  assert.ok(issue('5', 'c', 300n).ok)
  assert.ok(!teller.state.assertions.has(digest('a')))
})

test('the tokens of a withdrawn key are gone, and do not come back with a key of the same id', () => {
  const { teller, issue, issueKey, keyId } = machine()
  issue('1')
  const { state } = teller
  assert.equal(keyOfMachineToken(state, digest('1'), state.lastAt)?.id, keyId)
  teller.submit({ kind: 'revokeKey', keyId })
  issueKey()
  assert.equal(keyOfMachineToken(state, digest('1'), state.lastAt), undefined)
})

for (const [uri, then] of [
  ['https://app.example/back', true],
  ['https://app.example', true],
  ['https://app.example?x=1', true],
  ['HTTPS://App.Example/back', true],
  ['http://localhost', true],
  ['http://localhost:41920/callback', true],
  ['http://127.0.0.1/cb?x=1', true],
  ['http://[::1]:8080/', true],
  ['com.example.app:/callback', true],
  ['com.example.app://callback', true],
  ['http://app.example/back', false],
  ['http://localhost.evil.example/', false],
  ['http://localhost@evil.example/', false],
  ['http://127.0.0.2/', false],
  ['https://user@app.example/', false],
  ['https://app.example/#part', false],
  ['https://app.example/a b', false],
  ['https://app.example/caf\u00e9', false],
  ['https://app.example/\u007f', false],
  ['https://', false],
  ['https:app.example', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['app:/callback', false],
  ['/callback', false],
  ['', false],
  [`https://app.example/${'x'.repeat(2048)}`, false],
] as const)
  test(`${uri.slice(0, 60)} is ${then ? 'a' : 'no'} redirect URI`, () =>
    assert.equal(isRedirectUri(uri), then))
