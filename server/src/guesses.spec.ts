import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limitGuesses } from './guesses.ts'
import { call, openTestServer } from './http/testing.ts'

test('wrong credentials are counted by address; others are not kept waiting', () => {
  const guesses = limitGuesses(2)
  assert.equal(guesses.waitSeconds('a'), 0)
  guesses.wrong('a')
  assert.equal(guesses.waitSeconds('a'), 0)
  guesses.wrong('a')
  assert.ok(guesses.waitSeconds('a') > 0)
  assert.equal(guesses.waitSeconds('b'), 0)
})

test('without a limit nobody waits', () => {
  const guesses = limitGuesses(0)
  for (let n = 0; n < 1000; n++) guesses.wrong('a')
  assert.equal(guesses.waitSeconds('a'), 0)
})

const server = await openTestServer({ services: { guesses: limitGuesses(3) } })
after(() => server.close())

test('over HTTP, even the right secret is not looked at while an address has to wait', async () => {
  const wrong = { keyId: server.key.keyId, secretKey: 'wrong' }
  const none = await call(server, 'GET /v2/account', { key: undefined })
  assert.equal(none.status, 401)
  for (let n = 0; n < 3; n++)
    assert.equal((await call(server, 'GET /v2/account', { key: wrong })).status, 401)
  const told = await call(server, 'GET /v2/account', { key: server.key })
  assert.equal(told.status, 429)
  assert.equal(told.body.code, 42910000)
  assert.match(told.body.message, /wrong credentials/)
  assert.match(told.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await call(server, 'GET /v2/account', { key: undefined })).status, 401)
})
