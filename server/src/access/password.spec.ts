import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPassword, nobodysPassword, slowDigest } from './password.ts'

test('a password is known by its digest, which never shows it and is never the same twice', async () => {
  const digest = await slowDigest('correct horse')
  assert.ok(await isPassword('correct horse', digest))
  assert.ok(!(await isPassword('correct horsf', digest)))
  assert.ok(!digest.includes('horse'))
  assert.notEqual(digest, await slowDigest('correct horse'))
})

test('nobody signs in where no password was set', async () => {
  assert.ok(!(await isPassword('', '')))
  assert.ok(!(await isPassword('', 'scrypt:1::')))
})

test('what is looked at where there is nobody is as much work, and no password is the right one', async () => {
  const parts = (digest: string) => digest.split(':').map((part, at) => (at < 2 ? part : part.length))
  assert.deepEqual(parts(nobodysPassword), parts(await slowDigest('any')))
  for (const password of ['', 'any']) assert.ok(!(await isPassword(password, nobodysPassword)))
})
