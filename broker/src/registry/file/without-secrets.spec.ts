import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokerEvents, type Digest, type KeyId } from '@quipu/core'
import { eventOf, storedEntry, storedRecord } from '../../journal/stored-event.ts'
import { SecretRemover, sealedFields } from './without-secrets.ts'

type Described = { readonly fields?: Record<string, Described>; readonly optional?: Described }

/** The names of all fields that hold a value, also in nested records. */
function* namesOf({ fields, optional }: Described): Generator<string> {
  if (optional) yield* namesOf(optional)
  for (const [name, field] of Object.entries(fields ?? {}))
    if (field.fields || field.optional?.fields) yield* namesOf(field)
    else yield name
}

test('every sealed field of every event is classified', () => {
  const names = Object.values(brokerEvents).flatMap((schema) => {
    const { sealed } = schema.fields as unknown as Record<string, Described>
    return sealed ? [...namesOf(sealed)] : []
  })
  assert.deepEqual([...new Set(names)].sort(), Object.keys(sealedFields).sort())
})

test('digests become numbers, equal ones the same number; the hashed part stays', () => {
  const secrets = new SecretRemover()
  const issued = (keyId: string, digest: string) =>
    storedEntry(
      {
        kind: 'keyIssued',
        at: 1n as never,
        owner: { kind: 'partner', partnerId: 'p' as never, operator: false },
        sealed: { keyId: keyId as KeyId, digest: digest as Digest },
      },
      {
        id: 'ab'.repeat(16),
        op: 'createKey',
        by: { kind: 'key', key: 'CK1' },
        from: '20260105-0123456789abcdef',
      },
    )
  const digests = ['a', 'b', 'a'].map((letter, index) => {
    const entry = issued(`CK${index}`, letter.repeat(64))
    const cleaned = secrets.clean(entry)
    assert.deepEqual(cleaned.open, entry.open)
    assert.deepEqual([storedRecord(cleaned)?.op, storedRecord(cleaned)?.from], ['createKey', ''])
    const event = eventOf(cleaned)
    assert.ok(event.kind === 'keyIssued')
    assert.equal(event.sealed.keyId, `CK${index}`)
    return BigInt(event.sealed.digest)
  })
  assert.deepEqual(digests, [1n, 2n, 1n])
})

test('only the secrets of people are removed; events of one session keep the same number', () => {
  const secrets = new SecretRemover()
  const [at, userId, sessionId] = [1n as never, 'u' as never, 's' as never]
  const session = 'a'.repeat(64) as Digest
  const times = { nowMs: 1, endsAtMs: 2 }
  const cleaned = [
    storedEntry({
      kind: 'userChanged',
      at,
      userId,
      endsSessions: true,
      sessions: [],
      sealed: { password: 'p' },
    }),
    storedEntry({ kind: 'signedIn', at, userId, sessionId, by: 'password', sealed: { session, ...times } }),
    storedEntry({ kind: 'sessionConfirmed', at, userId, sessionId, by: 'totp', sealed: { session } }),
    storedEntry({ kind: 'totpAdded', at, userId, sealed: { sealedSecret: 'x', step: 3 } }),
  ].map((entry) => eventOf(secrets.cleanPeople(entry)))
  const number = '1'.padStart(64, '0')
  assert.deepEqual(
    cleaned.map((event) => 'sealed' in event && event.sealed),
    [{ password: '' }, { session: number, ...times }, { session: number }, { sealedSecret: '', step: 3 }],
  )
  const key = storedEntry({
    kind: 'keyIssued',
    at,
    owner: { kind: 'partner', partnerId: 'p' as never, operator: false },
    sealed: { keyId: 'CK' as KeyId, digest: session },
  })
  assert.equal(secrets.cleanPeople(key), key)
})
