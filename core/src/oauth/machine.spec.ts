import assert from 'node:assert/strict'
import test from 'node:test'
import type { KeyOwner } from '../account/account.ts'
import type { KeyId } from '../ids.ts'
import type { Instant } from '../time.ts'
import { MACHINE_TOKEN_LIFETIME } from './lifetimes.ts'
import { keyOfMachineToken } from './machine.ts'
import { digest, Office } from './testing/oauth.ts'

function office(): Office {
  const made = new Office()
  const key = (keyId: string, owner: KeyOwner) =>
    made.say({ kind: 'issueKey', keyId: keyId as KeyId, owner, digest: digest(keyId) })
  key('CK1', { kind: 'partner', partnerId: made.partnerId, operator: false })
  key('CK2', { kind: 'partner', partnerId: made.other, operator: true })
  key('PK1', { kind: 'account', accountId: made.account('A') })
  return made
}

const issue = (made: Office, keyId: string, token: string): string =>
  made.say({ kind: 'issueMachineToken', keyId: keyId as KeyId, token: digest(token) })

const keyOf = ({ state, world }: Office, token: string): string | undefined =>
  keyOfMachineToken(state, digest(token), world.now)?.id

for (const [keyId, then] of [
  ['CK1', 'machineTokenIssued'],
  ['CK2', 'machineTokenIssued'],
  ['PK1', 'oauthClientRefused'],
  ['none', 'oauthClientRefused'],
] as const)
  test(`a machine with the key ${keyId}: ${then}`, () => {
    const made = office()
    assert.equal(issue(made, keyId, 't'), then)
    assert.equal(keyOf(made, 't'), then === 'machineTokenIssued' ? keyId : undefined)
  })

for (const [after, alive] of [
  [MACHINE_TOKEN_LIFETIME - 1n, true],
  [MACHINE_TOKEN_LIFETIME, false],
] as const)
  test(`a machine's token ${after} ns later ${alive ? 'is good' : 'has ended'}`, () => {
    const made = office()
    issue(made, 'CK1', 't')
    made.world.now = (made.world.now + after) as Instant
    assert.equal(keyOf(made, 't') !== undefined, alive)
  })

test('one key has several tokens; what has ended goes when the next is issued', () => {
  const made = office()
  for (const token of ['a', 'b']) issue(made, 'CK1', token)
  made.world.run('wait 450')
  issue(made, 'CK2', 'c')
  assert.deepEqual([keyOf(made, 'a'), keyOf(made, 'b'), keyOf(made, 'c')], ['CK1', 'CK1', 'CK2'])
  made.world.run('wait 450')
  issue(made, 'CK1', 'd')
  assert.deepEqual([...made.state.machineTokens.keys()], [digest('c'), digest('d')])
})

test('only the key itself gives its token up', () => {
  const made = office()
  issue(made, 'CK1', 't')
  const revoke = (keyId: string) =>
    made.say({ kind: 'revokeMachineToken', keyId: keyId as KeyId, token: digest('t') })
  assert.deepEqual([revoke('CK2'), revoke('none'), keyOf(made, 't')], ['', '', 'CK1'])
  assert.deepEqual([revoke('CK1'), keyOf(made, 't'), revoke('CK1')], ['machineTokenRevoked', undefined, ''])
})

test('the journal says whose machine it was', () => {
  const made = office()
  issue(made, 'CK2', 't')
  const event = made.world.events.at(-1)
  assert.equal(event?.kind === 'machineTokenIssued' && event.partnerId, made.other)
})
