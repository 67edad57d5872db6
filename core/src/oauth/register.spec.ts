import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import type { ClientId, PartnerId, SecretId } from '../ids.ts'
import { type Instant, SECOND } from '../time.ts'
import type { RegisterApp } from './commands.ts'
import { SECRETS_MAX } from './lifetimes.ts'
import { clientIdFor, digest, OAuthFixture, type Patch } from './testing/oauth.ts'

const nobody = 'nobody' as PartnerId
for (const [when, patch, then] of [
  ['all is right', () => ({}), 'appRegistered'],
  ['another partner may use it', ({ other }) => ({ shared: [other] }), 'appRegistered'],
  ['its owner is unknown', () => ({ owner: nobody }), 'partnerNotFound'],
  ['a partner that may use it is unknown', () => ({ shared: [nobody] }), 'partnerNotFound'],
  ['its client id is taken', ({ clientId }) => ({ clientId }), 'keyTaken'],
  [
    'its client id is taken, in upper case with a hyphen',
    ({ clientId }) => ({
      clientId: `${clientId.slice(0, 8)}-${clientId.slice(8).toUpperCase()}` as ClientId,
    }),
    'keyTaken',
  ],
] as readonly (readonly [string, (fixture: OAuthFixture) => Patch<RegisterApp>, string])[])
  test(`an app is registered when ${when}: ${then}`, () => {
    const fixture = new OAuthFixture()
    fixture.register('two')
    const [app] = fixture.state.apps.values()
    const command = { ...app!, kind: 'registerApp', clientId: clientIdFor('three'), ...patch(fixture) }
    assert.equal(fixture.submit(command as never), then)
  })

test('a public app is registered without a secret, even if one is sent', () => {
  const fixture = new OAuthFixture({ isPublic: true })
  assert.deepEqual([...fixture.state.apps.values()][0]?.secrets, [])
})

test('the owner is always among the partners of an app', () => {
  const fixture = new OAuthFixture()
  const { partnerId, other, clientId } = fixture
  const partners = () => [...fixture.state.apps.values()][0]?.partners
  const share = (shared: readonly PartnerId[]) =>
    fixture.submit({ kind: 'changeApp', partnerId, clientId, change: { shared } })
  share([other, partnerId, other])
  assert.deepEqual(partners(), [partnerId, other])
  share([])
  assert.deepEqual(partners(), [partnerId])
  assert.equal(share([nobody]), 'partnerNotFound')
})

const secretId = 'none' as SecretId
for (const command of [
  { kind: 'changeAppStatus', status: 'disabled' },
  { kind: 'changeApp', change: { name: 'mine' } },
  { kind: 'addAppSecret', secret: digest('mine') },
  { kind: 'removeAppSecret', secretId },
  { kind: 'deleteApp' },
] as const)
  test(`${command.kind}: allowed for the owner only; for other partners the app does not exist`, () => {
    const fixture = new OAuthFixture()
    const { partnerId, other, clientId } = fixture
    fixture.submit({ kind: 'changeApp', partnerId, clientId, change: { shared: [other] } })
    const submitAs = (request: object) => fixture.submit({ ...command, ...request } as Command)
    assert.equal(submitAs({ partnerId: other, clientId }), 'oauthClientRefused')
    assert.equal(submitAs({ partnerId, clientId: '0' }), 'oauthClientRefused')
    assert.notEqual(submitAs({ partnerId, clientId: clientId.toUpperCase() }), 'oauthClientRefused')
  })

test('an unchanged status has no event; a changed status has one, also beside other changes', () => {
  const fixture = new OAuthFixture()
  const { partnerId, clientId } = fixture
  const status = (to: 'active' | 'disabled') =>
    fixture.submit({ kind: 'changeAppStatus', partnerId, clientId, status: to })
  assert.deepEqual([status('active'), status('disabled'), status('disabled')], ['', 'appStatusChanged', ''])
  const change = { name: 'new', status: 'active' } as const
  const outcome = () => fixture.submit({ kind: 'changeApp', partnerId, clientId, change })
  assert.deepEqual([outcome(), outcome()], ['appChanged appStatusChanged', 'appChanged'])
  const [app] = fixture.state.apps.values()
  assert.deepEqual([app?.name, app?.status, app?.clientId], ['new', 'active', clientId])
})

/** The valid ones of these secrets. */
function secretsOf(fixture: OAuthFixture, names: readonly string[]): string {
  const valid = names.filter((name) => {
    const { outcome } = fixture.exchange(digest('no code'), { secret: digest(name) })
    return outcome === 'oauthCodeInvalid'
  })
  return valid.join()
}

const add = (fixture: OAuthFixture, name: string, othersUntil?: Instant): string => {
  const { partnerId, clientId } = fixture
  const until = othersUntil === undefined ? {} : { othersUntil }
  const command = { kind: 'addAppSecret', partnerId, clientId, secret: digest(name), ...until } as const
  return fixture.submit(command)
}

test('several secrets are valid at once, up to the limit', () => {
  const fixture = new OAuthFixture()
  const names = Array.from({ length: SECRETS_MAX }, (_, n) => (n === 0 ? 'secret of one' : `s${n}`))
  for (const name of names.slice(1)) assert.equal(add(fixture, name), 'appSecretAdded')
  assert.equal(secretsOf(fixture, names), names.join())
  assert.equal(add(fixture, 'one more'), 'oauthTooManySecrets')
  const { partnerId, clientId } = fixture
  const [first] = [...fixture.state.apps.values()][0]!.secrets
  const remove = { kind: 'removeAppSecret', partnerId, clientId, secretId: first!.id } as const
  assert.equal(fixture.submit(remove), 'appSecretRemoved')
  assert.equal(fixture.submit(remove), 'oauthSecretNotFound')
  assert.equal(secretsOf(fixture, names), names.slice(1).join())
  assert.equal(add(fixture, 'one more'), 'appSecretAdded')
})

test('a replaced secret is valid until its expiry', () => {
  const fixture = new OAuthFixture()
  const until = (fixture.world.now + 60n * SECOND) as Instant
  add(fixture, 'new', until)
  assert.equal(secretsOf(fixture, ['secret of one', 'new']), 'secret of one,new')
  // Each command advances the clock by one nanosecond.
  fixture.world.now = (until - 2n) as Instant
  assert.equal(secretsOf(fixture, ['secret of one']), 'secret of one')
  assert.equal(secretsOf(fixture, ['secret of one', 'new']), 'new')
})

test('a later expiry does not extend an earlier one', () => {
  const fixture = new OAuthFixture()
  const at = (seconds: bigint) => (fixture.world.now + seconds * SECOND) as Instant
  const [soon, late] = [at(60n), at(600n)]
  add(fixture, 'second', soon)
  add(fixture, 'third', late)
  const ends = [...fixture.state.apps.values()][0]!.secrets.map(({ expiresAt }) => expiresAt)
  assert.deepEqual(ends, [soon, late, undefined])
})

test('an app without secrets cannot authenticate', () => {
  const fixture = new OAuthFixture()
  const { partnerId, clientId } = fixture
  const { id } = [...fixture.state.apps.values()][0]!.secrets[0]!
  fixture.submit({ kind: 'removeAppSecret', partnerId, clientId, secretId: id })
  assert.equal(fixture.exchange(digest('c')).outcome, 'oauthClientRefused')
  assert.equal(fixture.exchange(digest('c'), { secret: undefined }).outcome, 'oauthClientRefused')
})
