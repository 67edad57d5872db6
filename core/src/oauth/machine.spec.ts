import assert from 'node:assert/strict'
import test from 'node:test'
import type { KeyOwner } from '../account/account.ts'
import type { KeyId } from '../ids.ts'
import type { Instant } from '../time.ts'
import { MACHINE_TOKEN_LIFETIME } from './lifetimes.ts'
import { keyOfMachineToken } from './machine.ts'
import { digest, OAuthFixture } from './testing/oauth.ts'

function createFixture(): OAuthFixture {
  const fixture = new OAuthFixture()
  const key = (keyId: string, owner: KeyOwner) =>
    fixture.submit({ kind: 'issueKey', keyId: keyId as KeyId, owner, digest: digest(keyId) })
  key('CK1', { kind: 'partner', partnerId: fixture.partnerId, operator: false })
  key('CK2', { kind: 'partner', partnerId: fixture.other, operator: true })
  key('PK1', { kind: 'account', accountId: fixture.account('A') })
  return fixture
}

const issue = (fixture: OAuthFixture, keyId: string, token: string): string =>
  fixture.submit({ kind: 'issueMachineToken', keyId: keyId as KeyId, token: digest(token) })

const keyOf = ({ state, world }: OAuthFixture, token: string): string | undefined =>
  keyOfMachineToken(state, digest(token), world.now)?.id

for (const [keyId, then] of [
  ['CK1', 'machineTokenIssued'],
  ['CK2', 'machineTokenIssued'],
  ['PK1', 'oauthClientRefused'],
  ['none', 'oauthClientRefused'],
] as const)
  test(`a machine token for key ${keyId}: ${then}`, () => {
    const fixture = createFixture()
    assert.equal(issue(fixture, keyId, 't'), then)
    assert.equal(keyOf(fixture, 't'), then === 'machineTokenIssued' ? keyId : undefined)
  })

for (const [after, alive] of [
  [MACHINE_TOKEN_LIFETIME - 1n, true],
  [MACHINE_TOKEN_LIFETIME, false],
] as const)
  test(`a machine token after ${after} ns ${alive ? 'is valid' : 'has expired'}`, () => {
    const fixture = createFixture()
    issue(fixture, 'CK1', 't')
    fixture.world.now = (fixture.world.now + after) as Instant
    assert.equal(keyOf(fixture, 't') !== undefined, alive)
  })

test('one key has several tokens; expired tokens are deleted when the next is issued', () => {
  const fixture = createFixture()
  for (const token of ['a', 'b']) issue(fixture, 'CK1', token)
  fixture.world.run('wait 450')
  issue(fixture, 'CK2', 'c')
  assert.deepEqual([keyOf(fixture, 'a'), keyOf(fixture, 'b'), keyOf(fixture, 'c')], ['CK1', 'CK1', 'CK2'])
  fixture.world.run('wait 450')
  issue(fixture, 'CK1', 'd')
  assert.deepEqual([...fixture.state.machineTokens.keys()], [digest('c'), digest('d')])
})

test('only the key of a machine token can revoke it', () => {
  const fixture = createFixture()
  issue(fixture, 'CK1', 't')
  const revoke = (keyId: string) =>
    fixture.submit({ kind: 'revokeMachineToken', keyId: keyId as KeyId, token: digest('t') })
  assert.deepEqual([revoke('CK2'), revoke('none'), keyOf(fixture, 't')], ['', '', 'CK1'])
  assert.deepEqual(
    [revoke('CK1'), keyOf(fixture, 't'), revoke('CK1')],
    ['machineTokenRevoked', undefined, ''],
  )
})

test('the event names the partner of the key', () => {
  const fixture = createFixture()
  issue(fixture, 'CK2', 't')
  const event = fixture.world.events.at(-1)
  assert.equal(event?.kind === 'machineTokenIssued' && event.partnerId, fixture.other)
})
