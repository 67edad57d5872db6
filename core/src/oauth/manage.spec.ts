import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClientId, Digest, KeyId, PartnerId } from '../ids.ts'
import type { View } from '../state/state.ts'
import { TestWorld } from '../testing/world.ts'
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

/** A world with two partners; the first has an account and an app with these settings. */
function worldWithApp(settings: AppSettings = {}) {
  const world = new TestWorld()
  world.run('open A 1000')
  world.submit({ kind: 'addPartner', name: 'another' })
  const [partnerId, other] = [...world.state.partners.keys()] as [PartnerId, PartnerId]
  world.submit({
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
  const request: PartnerRequest = {
    partnerId,
    clientId,
    secret: digest('secret'),
    redirectUri: 'http://localhost',
    scope: 'trading',
    accountId: world.accounts.get('A')!,
  }
  const app = () => [...world.state.apps.values()][0]!
  const change = (patch: ChangeApp['change']) =>
    world.submit({ kind: 'changeApp', partnerId, clientId, change: patch })
  return { world, partnerId, other, request, app, change }
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
    const { world, request } = worldWithApp(settings)
    const bound = challenge === undefined ? {} : { challenge }
    const decision = world.submit({ kind: 'authorizeApp', ...request, ...bound, code: digest('c') })
    assert.equal(decision.ok ? undefined : decision.reason.code, then)
  })

test('every step runs, so that an unknown app takes as long as a wrong secret', () => {
  const { world, request, other } = worldWithApp()
  const lookups = (patch: Partial<PartnerRequest>): number => {
    let count = 0
    const get = (id: never) => {
      count += 1
      return world.state.accounts.get(id)
    }
    const accounts = { get }
    const view = { ...world.state, accounts } as unknown as View
    assert.ok(!checkRequest(view, world.state.lastAt, 'issueToken', { ...request, ...patch }).ok)
    return count
  }
  for (const patch of [
    { clientId: '0'.repeat(32) },
    { clientId: '' },
    { secret: digest('guess') },
    { partnerId: other },
    { redirectUri: 'nowhere' },
  ])
    assert.equal(lookups(patch), 1, JSON.stringify(patch))
})

test('an app that becomes public loses its secrets and gets no new one', () => {
  const { world, app, change, partnerId } = worldWithApp()
  assert.ok(change({ settings: { isPublic: true } }).ok)
  assert.deepEqual([app().isPublic, app().secrets], [true, []])
  const added = world.submit({ kind: 'addAppSecret', partnerId, clientId, secret: digest('more') })
  assert.equal(!added.ok && added.reason.code, 'oauthTooManySecrets')
})

test('a change clears the named settings, keeps the others, and an empty change has no event', () => {
  const { app, change, world } = worldWithApp({ tokenSeconds: 60, refreshSeconds: 120, isNative: true })
  change({ name: 'two', cleared: ['tokenSeconds'] })
  const { name, tokenSeconds, refreshSeconds, isNative, description } = app()
  assert.deepEqual(
    [name, tokenSeconds, refreshSeconds, isNative, description],
    ['two', undefined, 120, true, ''],
  )
  const { seq } = world.state
  change({})
  assert.equal(world.state.seq, seq)
})

test('a new secret is accepted at the limit if the other secrets end at once', () => {
  const { world, app, partnerId } = worldWithApp()
  const add = (name: string, othersUntil?: Instant) =>
    world.submit({
      kind: 'addAppSecret',
      partnerId,
      clientId,
      secret: digest(name),
      ...(othersUntil === undefined ? {} : { othersUntil }),
    })
  for (const name of ['2', '3', '4', '5']) assert.ok(add(name).ok)
  assert.ok(!add('6').ok)
  assert.ok(!add('6', (world.state.lastAt + 60n * SECOND) as Instant).ok)
  assert.ok(add('6', world.state.lastAt).ok)
  assert.deepEqual(
    app().secrets.map((secret) => secret.digest),
    [digest('6')],
  )
})

test("only the account's partner and the app's owner can revoke a grant", () => {
  const { world, request, partnerId, other } = worldWithApp()
  world.submit({ kind: 'issueToken', ...request, token: digest('t') })
  const [grant] = world.state.grants.values()
  assert.ok(grantConcerns(world.state, grant!, partnerId))
  assert.ok(!grantConcerns(world.state, grant!, other))
  const refused = world.submit({ kind: 'revokeGrant', partnerId: other, grantId: grant!.id })
  assert.equal(!refused.ok && refused.reason.code, 'oauthGrantNotFound')
  assert.ok(world.submit({ kind: 'revokeGrant', partnerId, grantId: grant!.id }).ok)
  assert.equal(world.state.tokens.size, 0)
})

/** A partner's key, and tokens for it. */
function machine() {
  const { world, partnerId } = worldWithApp()
  const keyId = 'CK1' as KeyId
  const issueKey = () =>
    world.submit({
      kind: 'issueKey',
      keyId,
      owner: { kind: 'partner', partnerId, operator: false },
      digest: digest('key'),
    })
  issueKey()
  const issue = (token: string, jti?: string, now = 0n, expiresAt = 300n) =>
    world.submit({
      kind: 'issueMachineToken',
      keyId,
      token: digest(token),
      ...(jti === undefined
        ? {}
        : { assertion: { digest: digest(jti), now: now as Instant, expiresAt: expiresAt as Instant } }),
    })
  return { world, keyId, issueKey, issue }
}

test('an assertion is valid once, and expires by real time', () => {
  const { world, issue } = machine()
  assert.ok(issue('1', 'a').ok)
  const again = issue('2', 'a', 299n)
  assert.equal(!again.ok && again.reason.code, 'oauthAssertionUsed')
  assert.ok(issue('3').ok)
  assert.ok(issue('4', 'b', 299n).ok)
  assert.ok(world.state.assertions.has(digest('a')))
  assert.ok(issue('5', 'c', 300n).ok)
  assert.ok(!world.state.assertions.has(digest('a')))
})

test('the tokens of a revoked key stay revoked when a key with the same id is issued', () => {
  const { world, issue, issueKey, keyId } = machine()
  issue('1')
  const { state } = world
  assert.equal(keyOfMachineToken(state, digest('1'), state.lastAt)?.id, keyId)
  world.submit({ kind: 'revokeKey', keyId })
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
  ['https://*.example/back', false],
  ['https://app.example/*', false],
  ['https://app.example/a,https://evil.example/b', false],
  ['com.example.app:/a,b', false],
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
