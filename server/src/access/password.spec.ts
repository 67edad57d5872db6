import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { DUMMY_HASH, hashGeneratedPassword, hashPassword, verifyPassword } from './password.ts'

test('a password matches its hash, which does not reveal it and is different each time', async () => {
  const digest = await hashPassword('correct horse')
  assert.ok(await verifyPassword('correct horse', digest))
  assert.ok(!(await verifyPassword('correct horsf', digest)))
  assert.ok(!digest.includes('horse'))
  assert.notEqual(digest, await hashPassword('correct horse'))
})

test('a generated password matches its hash only', async () => {
  const digest = hashGeneratedPassword('Zk3-generated')
  assert.ok(await verifyPassword('Zk3-generated', digest))
  for (const wrong of ['', 'Zk3-generatee', digest]) assert.ok(!(await verifyPassword(wrong, digest)))
  assert.ok(!digest.includes('generated'))
})

test('nobody can sign in without a password', async () => {
  assert.ok(!(await verifyPassword('', '')))
  assert.ok(!(await verifyPassword('', 'scrypt:1::')))
})

test('the check for an unknown user takes as long, and no password matches', async () => {
  const parts = (digest: string) => digest.split(':').map((part, at) => (at < 2 ? part : part.length))
  assert.deepEqual(parts(DUMMY_HASH), parts(await hashPassword('any')))
  for (const password of ['', 'any']) assert.ok(!(await verifyPassword(password, DUMMY_HASH)))
})

test('many hashes leave threads for files', async () => {
  let ended = 0
  const hashes = Array.from({ length: 12 }, async () => {
    await verifyPassword('any', DUMMY_HASH)
    ended += 1
  })
  await stat('.')
  assert.ok(ended <= 2, `${ended} hashes ended before the file operation`)
  await Promise.all(hashes)
  assert.equal(ended, 12)
})
