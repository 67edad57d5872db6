import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { NotApplied } from '../journal/not-applied.ts'
import {
  CHECKS_WAITING_MAX,
  DUMMY_HASH,
  HASHES_AT_ONCE,
  hashGeneratedPassword,
  hashPassword,
  verifyPassword,
} from './password.ts'

test('a password matches its hash, which does not reveal it and is different each time', async () => {
  const digest = await hashPassword('correct horse')
  assert.ok(await verifyPassword('correct horse', digest, 'stranger'))
  assert.ok(!(await verifyPassword('correct horsf', digest, 'stranger')))
  assert.ok(!digest.includes('horse'))
  assert.notEqual(digest, await hashPassword('correct horse'))
})

test('a generated password matches its hash only', async () => {
  const digest = hashGeneratedPassword('Zk3-generated')
  assert.ok(await verifyPassword('Zk3-generated', digest, 'stranger'))
  for (const wrong of ['', 'Zk3-generatee', digest])
    assert.ok(!(await verifyPassword(wrong, digest, 'stranger')))
  assert.ok(!digest.includes('generated'))
})

test('nobody can sign in without a password', async () => {
  assert.ok(!(await verifyPassword('', '', 'stranger')))
  assert.ok(!(await verifyPassword('', 'scrypt:1::', 'stranger')))
})

test('the check for an unknown user takes as long, and no password matches', async () => {
  const parts = (digest: string) => digest.split(':').map((part, at) => (at < 2 ? part : part.length))
  assert.deepEqual(parts(DUMMY_HASH), parts(await hashPassword('any')))
  for (const password of ['', 'any']) assert.ok(!(await verifyPassword(password, DUMMY_HASH, 'stranger')))
})

test('many hashes leave threads for files', async () => {
  let ended = 0
  const hashes = Array.from({ length: 12 }, async () => {
    await verifyPassword('any', DUMMY_HASH, 'stranger')
    ended += 1
  })
  await stat('.')
  assert.ok(ended <= 2, `${ended} hashes ended before the file operation`)
  await Promise.all(hashes)
  assert.equal(ended, 12)
})

test('known browsers and operators go before strangers, of whom only some may wait', async () => {
  const ended: string[] = []
  const note = async (who: string, hash: Promise<unknown>) => {
    await hash
    ended.push(who)
  }
  const strangers = Array.from({ length: CHECKS_WAITING_MAX + HASHES_AT_ONCE }, () =>
    note('stranger', verifyPassword('any', DUMMY_HASH, 'stranger')),
  )
  const refused = verifyPassword('any', DUMMY_HASH, 'stranger')
  const first = [
    note('known', verifyPassword('any', DUMMY_HASH, 'known')),
    note('operator', hashPassword('any')),
  ]
  await assert.rejects(refused, new NotApplied('queueFull'))
  await Promise.all(first)
  assert.ok(ended.length <= 6, `${ended.length} hashes before those of known people`)
  await Promise.all(strangers)
  assert.equal(await verifyPassword('any', DUMMY_HASH, 'stranger'), false)
})
