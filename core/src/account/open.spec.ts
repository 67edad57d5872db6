import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccountId, Digest, KeyId, PartnerId, UserId } from '../ids.ts'
import { plainWorld, TestWorld } from '../testing/world.ts'

const digest = 'digest' as Digest
const worldAfter = () => {
  const world = new TestWorld()
  world.run('open A 1000')
  world.run('open L 1000 live')
  return world
}
type Submit = Parameters<TestWorld['submit']>[0]

for (const [title, command, then] of [
  ['a world is opened twice', () => ({ kind: 'openWorld', settings: plainWorld }), 'worldAlreadyOpen'],
  [
    'an account of an unknown partner is opened',
    () => ({ kind: 'openAccount', flavour: 'paper', partnerId: 'x' as PartnerId, cash: 0n as never }),
    'partnerNotFound',
  ],
  [
    'an account of an unknown user is opened',
    ({ partnerId }) => ({
      kind: 'openAccount',
      flavour: 'paper',
      partnerId,
      userId: 'x' as UserId,
      cash: 0n as never,
    }),
    'userNotFound',
  ],
  [
    'an unknown account gets a key',
    () => ({
      kind: 'issueKey',
      keyId: 'k' as KeyId,
      owner: { kind: 'account', accountId: 'x' as AccountId },
      digest,
    }),
    'accountNotFound',
  ],
  [
    'an unknown partner gets a key',
    () => ({
      kind: 'issueKey',
      keyId: 'k' as KeyId,
      owner: { kind: 'partner', partnerId: 'x' as PartnerId, operator: false },
      digest,
    }),
    'partnerNotFound',
  ],
  ['an unknown key is revoked', () => ({ kind: 'revokeKey', keyId: 'x' as KeyId }), 'keyNotFound'],
] as readonly (readonly [string, (world: TestWorld) => Submit, string])[])
  test(`when ${title}: ${then}`, () => {
    const world = worldAfter()
    const decision = world.submit(command(world))
    assert.equal(decision.ok ? 'ok' : decision.reason.code, then)
  })

for (const [name, number] of [
  ['A', /^PA[0-9A-F]{10}$/],
  ['L', /^LA[0-9A-F]{10}$/],
] as const)
  test(`the prefix of the number of ${name} shows paper or live`, () => {
    const world = worldAfter()
    assert.match(world.state.accounts.get(world.accounts.get(name)!)!.number, number)
  })

test('a key is stored, refused if it exists, and deleted when revoked', () => {
  const world = worldAfter()
  const keyId = 'PKEXISTING' as KeyId
  const owner = { kind: 'partner', partnerId: world.partnerId, operator: true } as const
  assert.ok(world.submit({ kind: 'issueKey', keyId, owner, digest }).ok)
  const repeated = world.submit({ kind: 'issueKey', keyId, owner, digest })
  assert.equal(!repeated.ok && repeated.reason.code, 'keyTaken')
  const last = world.submit({ kind: 'revokeKey', keyId, keepsOperator: true })
  assert.equal(!last.ok && last.reason.code, 'lastOperatorKey')
  assert.ok(world.submit({ kind: 'revokeKey', keyId }).ok)
  assert.equal(world.state.keys.size, 0)
})

test('ids depend on the account and its event count, so a refusal does not change later ids', () => {
  const [one, other] = [worldAfter(), worldAfter()]
  one.run('quote AAPL 99 100')
  other.run('quote AAPL 99 100')
  other.run('buy A refused AAPL 1000000')
  one.run('buy A o1 AAPL 1')
  other.run('buy A o1 AAPL 1')
  assert.equal(one.orders.get('o1'), other.orders.get('o1'))
})
