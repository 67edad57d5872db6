import assert from 'node:assert/strict'
import test from 'node:test'
import { digest, OAuthFixture } from '../oauth/testing/oauth.ts'
import type { FactorProof } from './commands.ts'
import { hasFactor, PASSKEYS_MAX } from './factor.ts'

const passkey = { credential: 'c', publicKey: 'k', counter: 3 } as const
const userOf = ({ state, ann }: OAuthFixture) => state.users.get(ann)!

function withFactors(): OAuthFixture {
  const fixture = new OAuthFixture()
  const { ann: userId } = fixture
  assert.equal(fixture.submit({ kind: 'addTotp', userId, secret: 'encrypted', step: 100 }), 'totpAdded')
  assert.equal(fixture.submit({ kind: 'addPasskey', userId, name: 'laptop', ...passkey }), 'passkeyAdded')
  return fixture
}

const rows: readonly (readonly [string, readonly FactorProof[], string])[] = [
  ['the code of a later step', [{ by: 'totp', step: 101 }], 'factorUsed'],
  ['the code that added the app', [{ by: 'totp', step: 100 }], 'factorReplayed'],
  ['an earlier code', [{ by: 'totp', step: 99 }], 'factorReplayed'],
  [
    'the same code twice',
    [
      { by: 'totp', step: 101 },
      { by: 'totp', step: 101 },
    ],
    'factorReplayed',
  ],
  ['a passkey that counted on', [{ by: 'passkey', credential: 'c', counter: 4 }], 'factorUsed'],
  ['a passkey that did not count on', [{ by: 'passkey', credential: 'c', counter: 3 }], 'factorReplayed'],
  ['a passkey that counts no more', [{ by: 'passkey', credential: 'c', counter: 0 }], 'factorReplayed'],
  ['an unknown passkey', [{ by: 'passkey', credential: 'd', counter: 4 }], 'factorNotFound'],
]
for (const [title, proofs, then] of rows)
  test(`${title}: ${then}`, () => {
    const fixture = withFactors()
    const done = proofs.map((proof) => fixture.submit({ kind: 'useFactor', userId: fixture.ann, proof }))
    assert.equal(done.at(-1), then)
  })

test('a passkey that never counts is used again and again', () => {
  const fixture = new OAuthFixture()
  const { ann: userId } = fixture
  fixture.submit({ kind: 'addPasskey', userId, name: 'phone', ...passkey, counter: 0 })
  const proof = { by: 'passkey', credential: 'c', counter: 0 } as const
  for (const _ of [1, 2]) assert.equal(fixture.submit({ kind: 'useFactor', userId, proof }), 'factorUsed')
})

test('a user has one authenticator app, each passkey once, and a limited number of passkeys', () => {
  const fixture = withFactors()
  const { ann: userId } = fixture
  const add = (credential: string) =>
    fixture.submit({ kind: 'addPasskey', userId, name: 'n', ...passkey, credential })
  assert.equal(fixture.submit({ kind: 'addTotp', userId, secret: 's', step: 1 }), 'factorExists')
  assert.equal(add('c'), 'factorExists')
  for (let count = 1; count < PASSKEYS_MAX; count++) assert.equal(add(`c${count}`), 'passkeyAdded')
  assert.equal(add('one more'), 'factorExists')
})

test('factors are removed one by one, or all by a recovery, and the first one ends sessions in copies', () => {
  const fixture = withFactors()
  const { ann: userId } = fixture
  assert.equal(userOf(fixture).signInEpoch, 1)
  const passkeyId = userOf(fixture).passkeys![0]!.id
  assert.equal(fixture.submit({ kind: 'removeFactor', userId, passkeyId }), 'factorRemoved')
  assert.equal(fixture.submit({ kind: 'removeFactor', userId, passkeyId }), 'factorNotFound')
  assert.deepEqual([userOf(fixture).passkeys, userOf(fixture).totp?.secret], [undefined, 'encrypted'])
  assert.equal(fixture.submit({ kind: 'removeFactors', userId }), 'factorsRemoved')
  assert.deepEqual([hasFactor(userOf(fixture)), userOf(fixture).signInEpoch], [false, 2])
  assert.equal(fixture.submit({ kind: 'removeFactor', userId }), 'factorNotFound')
  assert.equal(fixture.submit({ kind: 'removeFactors', userId }), '')
})

test('the last factor stays where one is required', () => {
  const fixture = withFactors()
  const { ann: userId } = fixture
  const passkeyId = userOf(fixture).passkeys![0]!.id
  const remove = (of: object, isRequired: boolean) =>
    fixture.submit({ kind: 'removeFactor', userId, isRequired, ...of })
  assert.equal(remove({}, true), 'factorRemoved')
  assert.equal(remove({ passkeyId }, true), 'lastFactorRequired')
  assert.equal(remove({}, true), 'factorNotFound')
  assert.equal(hasFactor(userOf(fixture)), true)
  assert.equal(remove({ passkeyId }, false), 'factorRemoved')
})

test('a session is confirmed once a factor was given, and a copy carries neither', () => {
  const fixture = withFactors()
  const { ann: userId, state } = fixture
  const session = digest('s')
  fixture.submit({ kind: 'signIn', by: { userId }, session, nowMs: 1000, endsAtMs: 2000 })
  assert.equal(state.sessions.get(session)?.factor, undefined)
  const confirm = { kind: 'confirmSession', session, by: 'totp' } as const
  assert.equal(fixture.submit({ ...confirm, nowMs: 2000 }), 'signInRefused')
  assert.equal(fixture.submit({ ...confirm, nowMs: 1500 }), 'sessionConfirmed')
  assert.equal(state.sessions.get(session)?.factor, 'totp')
  fixture.submit({ kind: 'dropCredentials', of: 'copy' })
  assert.deepEqual([hasFactor(userOf(fixture)), state.sessions.size], [false, 0])
})
