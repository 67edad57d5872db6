import assert from 'node:assert/strict'
import test from 'node:test'
import type { Command } from '../commands.ts'
import type { ClientId, PartnerId, SecretId } from '../ids.ts'
import { type Instant, SECOND } from '../time.ts'
import type { AddAppSecret, RegisterApp } from './commands.ts'
import { SECRETS_MAX } from './lifetimes.ts'
import { clientIdFor, digest, Office, type Patch } from './testing/oauth.ts'

const nobody = 'nobody' as PartnerId
for (const [when, patch, then] of [
  ['all is right', () => ({}), 'appRegistered'],
  ['another partner may use it', ({ other }) => ({ shared: [other] }), 'appRegistered'],
  ['its owner is unknown', () => ({ owner: nobody }), 'partnerNotFound'],
  ['who may use it is unknown', () => ({ shared: [nobody] }), 'partnerNotFound'],
  ['its client id is taken', ({ clientId }) => ({ clientId }), 'keyTaken'],
  [
    'its client id is taken, in other letters',
    ({ clientId }) => ({
      clientId: `${clientId.slice(0, 8)}-${clientId.slice(8).toUpperCase()}` as ClientId,
    }),
    'keyTaken',
  ],
] as readonly (readonly [string, (office: Office) => Patch<RegisterApp>, string])[])
  test(`an app is registered when ${when}: ${then}`, () => {
    const office = new Office()
    office.register('two')
    const [app] = office.state.apps.values()
    const command = { ...app!, kind: 'registerApp', clientId: clientIdFor('three'), ...patch(office) }
    assert.equal(office.say(command as never), then)
  })

test('a public app is registered without a secret, whoever brings one', () => {
  const office = new Office({ isPublic: true })
  assert.deepEqual([...office.state.apps.values()][0]?.secrets, [])
})

test('an owner is among those who may use an app, however they are named', () => {
  const office = new Office()
  const { partnerId, other, clientId } = office
  const partners = () => [...office.state.apps.values()][0]?.partners
  const share = (shared: readonly PartnerId[]) =>
    office.say({ kind: 'changeApp', partnerId, clientId, change: { shared } })
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
  test(`${command.kind}: only its owner may, not who else may use it, and to others there is no app`, () => {
    const office = new Office()
    const { partnerId, other, clientId } = office
    office.say({ kind: 'changeApp', partnerId, clientId, change: { shared: [other] } })
    const asked = (ask: object) => office.say({ ...command, ...ask } as Command)
    assert.equal(asked({ partnerId: other, clientId }), 'oauthClientRefused')
    assert.equal(asked({ partnerId, clientId: '0' }), 'oauthClientRefused')
    assert.notEqual(asked({ partnerId, clientId: clientId.toUpperCase() }), 'oauthClientRefused')
  })

test('a status that stays is no event, one that changes beside other things is', () => {
  const office = new Office()
  const { partnerId, clientId } = office
  const status = (to: 'active' | 'disabled') =>
    office.say({ kind: 'changeAppStatus', partnerId, clientId, status: to })
  assert.deepEqual([status('active'), status('disabled'), status('disabled')], ['', 'appStatusChanged', ''])
  const change = { name: 'new', status: 'active' } as const
  const said = () => office.say({ kind: 'changeApp', partnerId, clientId, change })
  assert.deepEqual([said(), said()], ['appChanged appStatusChanged', 'appChanged'])
  const [app] = office.state.apps.values()
  assert.deepEqual([app?.name, app?.status, app?.clientId], ['new', 'active', clientId])
})

/** Which of the secrets the app may come with. */
function secretsOf(office: Office, names: readonly string[]): string {
  const good = names.filter((name) => {
    const { said } = office.exchange(digest('no code'), { secret: digest(name) })
    return said === 'oauthCodeInvalid'
  })
  return good.join()
}

const add = (office: Office, name: string, othersUntil?: Instant): string => {
  const { partnerId, clientId } = office
  const until = othersUntil === undefined ? {} : { othersUntil }
  const command: AddAppSecret = { kind: 'addAppSecret', partnerId, clientId, secret: digest(name), ...until }
  return office.say(command)
}

test('secrets are good beside each other, as many as there may be', () => {
  const office = new Office()
  const names = Array.from({ length: SECRETS_MAX }, (_, n) => (n === 0 ? 'secret of one' : `s${n}`))
  for (const name of names.slice(1)) assert.equal(add(office, name), 'appSecretAdded')
  assert.equal(secretsOf(office, names), names.join())
  assert.equal(add(office, 'one more'), 'oauthTooManySecrets')
  const { partnerId, clientId } = office
  const [first] = [...office.state.apps.values()][0]!.secrets
  const remove = { kind: 'removeAppSecret', partnerId, clientId, secretId: first!.id } as const
  assert.equal(office.say(remove), 'appSecretRemoved')
  assert.equal(office.say(remove), 'oauthSecretNotFound')
  assert.equal(secretsOf(office, names), names.slice(1).join())
  assert.equal(add(office, 'one more'), 'appSecretAdded')
})

test('a replaced secret is good to its last nanosecond', () => {
  const office = new Office()
  const until = (office.world.now + 60n * SECOND) as Instant
  add(office, 'new', until)
  assert.equal(secretsOf(office, ['secret of one', 'new']), 'secret of one,new')
  // Each command takes one.
  office.world.now = (until - 2n) as Instant
  assert.equal(secretsOf(office, ['secret of one']), 'secret of one')
  assert.equal(secretsOf(office, ['secret of one', 'new']), 'new')
})

test('a later end does not lengthen an earlier one', () => {
  const office = new Office()
  const at = (seconds: bigint) => (office.world.now + seconds * SECOND) as Instant
  const [soon, late] = [at(60n), at(600n)]
  add(office, 'second', soon)
  add(office, 'third', late)
  const ends = [...office.state.apps.values()][0]!.secrets.map(({ expiresAt }) => expiresAt)
  assert.deepEqual(ends, [soon, late, undefined])
})

test('one whose secrets are all gone comes with none', () => {
  const office = new Office()
  const { partnerId, clientId } = office
  const { id } = [...office.state.apps.values()][0]!.secrets[0]!
  office.say({ kind: 'removeAppSecret', partnerId, clientId, secretId: id })
  assert.equal(office.exchange(digest('c')).said, 'oauthClientRefused')
  assert.equal(office.exchange(digest('c'), { secret: undefined }).said, 'oauthClientRefused')
})
