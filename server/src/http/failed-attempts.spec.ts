import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '../access/issue-keys.ts'
import { call, openTestServer } from './testing/server.ts'

// docs/decisions/failed-attempts.md says why.
test('wrong secrets of a key get 429 beyond the limit, and its owner is never refused', async (t) => {
  const limits = {
    failedAttemptsMax: 3,
    appFailedAttemptsMax: 2,
    appFailedAttemptsTotalMax: 3,
    userFailedAttemptsTotalMax: 3,
  }
  const server = await openTestServer({ services: { trustProxy: true }, failedAttempts: limits })
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
    assert.deepEqual(await asked(keyId, 'guess', stranger), [429, 'tooManyFailedAttempts'])
    assert.deepEqual(await asked(keyId, secretKey, stranger), [200, undefined], 'the owner, from there too')
    assert.deepEqual(
      await asked(server.otherKey.keyId, 'guess', stranger),
      [429, 'tooManyFailedAttempts'],
      'any key',
    )
  }
  assert.deepEqual(
    await asked(keyId, secretKey, '198.51.100.7'),
    [200, undefined],
    'the owner, from anywhere',
  )
})

test('a key whose secret a person chose is limited by name and address, the right secret too', async (t) => {
  const server = await openTestServer({
    services: { trustProxy: true },
    failedAttempts: { appFailedAttemptsMax: 2 },
  })
  t.after(() => server.close())
  const chosen = { keyId: 'PKCHOSEN', secretKey: 'password1' }
  await issueKey(server.world, { kind: 'account', accountId: server.accountId }, chosen)
  const asked = async (secretKey: string, address: string) => {
    const key = { keyId: chosen.keyId, secretKey }
    return (await call(server, 'GET /v2/account', { key, headers: { 'x-forwarded-for': address } })).status
  }
  const statuses = []
  for (const secret of ['guess 1', 'guess 2', chosen.secretKey])
    statuses.push(await asked(secret, '192.0.2.1'))
  assert.deepEqual(statuses, [401, 401, 429])
  assert.equal(await asked(chosen.secretKey, '198.51.100.7'), 200, 'elsewhere its owner need not wait')
  const made = await call(server, 'GET /v2/account', {
    headers: { 'x-forwarded-for': '192.0.2.1' },
    key: server.key,
  })
  assert.equal(made.status, 200, 'at that address a key that Quipu made need not wait')
})
