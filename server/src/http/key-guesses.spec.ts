import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, openTestServer } from './testing.ts'

// docs/decisions/guesses-at-keys.md says why.
test("guesses at a key's secret hold up who guesses, and from no number of addresses its owner", async (t) => {
  const limits = { guessesMax: 3, appGuessesMax: 2, appGuessesTotalMax: 3, personGuessesTotalMax: 3 }
  const server = await openTestServer({ services: { trustProxy: true }, guesses: limits })
  t.after(() => server.close())
  const asked = async (keyId: string, secretKey: string, address: string) => {
    const headers = { 'x-forwarded-for': address }
    const { status, body } = await call(server, 'GET /v2/account', { key: { keyId, secretKey }, headers })
    return [status, body.reason]
  }
  const { keyId, secretKey } = server.key
  for (let host = 1; host <= 20; host++) {
    const stranger = `192.0.2.${host}`
    for (let guess = 0; guess < 3; guess++)
      assert.deepEqual(await asked(keyId, `guess ${guess}`, stranger), [401, 'unauthorized'])
    assert.deepEqual(await asked(keyId, 'guess', stranger), [429, 'tooManyGuesses'])
    assert.deepEqual(
      await asked(keyId, secretKey, stranger),
      [429, 'tooManyGuesses'],
      'not even the right one',
    )
    assert.deepEqual(
      await asked(server.otherKey.keyId, 'guess', stranger),
      [429, 'tooManyGuesses'],
      'any key',
    )
  }
  assert.deepEqual(
    await asked(keyId, secretKey, '198.51.100.7'),
    [200, undefined],
    'the owner, from anywhere',
  )
})
