import assert from 'node:assert/strict'
import test from 'node:test'
import { digest, OAuthFixture } from '../oauth/testing/oauth.ts'
import type { Instant } from '../time.ts'

/** A world in which every kind of credential is in use. */
function inUse(): OAuthFixture {
  const fixture = new OAuthFixture()
  const { ann: userId, partnerId, world } = fixture
  const [nowMs, endsAtMs] = [1000, 2000]
  fixture.submit({ kind: 'changeUser', userId, operator: true })
  fixture.submit({ kind: 'signIn', by: { userId }, session: digest('s'), nowMs, endsAtMs })
  fixture.submit({ kind: 'raiseOperatorRights', session: digest('s'), nowMs, untilMs: 1500 })
  fixture.submit({ kind: 'issueSignInLink', userId, link: digest('l'), nowMs, endsAtMs })
  fixture.authorize()
  fixture.consent()
  const owner = { kind: 'partner', partnerId, operator: true } as const
  const keyId = 'CK1' as never
  const expiresAt = (world.now + 3_600_000_000_000n) as Instant
  fixture.submit({ kind: 'issueKey', keyId, owner, digest: digest('k'), expiresAt })
  fixture.submit({ kind: 'issueMachineToken', keyId, token: digest('m') })
  return fixture
}

const peopleOf = ({ state }: OAuthFixture) => [
  ...[...state.users.values()].map(({ id: _, createdAt: __, ...user }) => user),
  state.sessions.size,
  state.signInLinks.size,
]
const NO_CREDENTIALS = [{ name: 'ann', password: '' }, { name: 'bob', password: '' }, 0, 0]

for (const [of, keys, grants] of [
  ['copy', 0, 0],
  ['reset', 1, 2],
] as const)
  test(`a ${of} has no password, session, link or right of people, and ${keys} keys`, () => {
    const fixture = inUse()
    const { state } = fixture
    assert.equal(fixture.submit({ kind: 'dropCredentials', of }), 'credentialsDropped')
    assert.deepEqual(peopleOf(fixture), NO_CREDENTIALS)
    const { codes, tokens, machineTokens } = state
    assert.deepEqual(
      [state.keys.size, machineTokens.size, codes.size, state.grants.size],
      [keys, keys, grants, grants],
    )
    assert.equal(tokens.size, 0)
    assert.equal(
      state.accounts.get(fixture.account('A'))?.userId,
      fixture.ann,
      'the owner of an account stays',
    )
    assert.equal(state.apps.size, 1)
    assert.equal(fixture.submit({ kind: 'dropCredentials', of }), '', 'nothing is left to drop')
  })

test('a disabled user stays disabled', () => {
  const fixture = new OAuthFixture()
  fixture.disable(fixture.ann)
  fixture.submit({ kind: 'dropCredentials', of: 'reset' })
  assert.equal(fixture.state.users.get(fixture.ann)?.disabled, true)
})
