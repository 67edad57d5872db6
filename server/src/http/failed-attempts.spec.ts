import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '@quipu/broker/access/issue-keys.ts'
import { call, openTestServer } from './testing/server.ts'

// docs/decisions/people.md gives the reasons.
test('wrong secrets of a key get 429 beyond the limit, and its owner is never refused', async (t) => {
  const limits = {
    failedAttemptsMax: 3,
    appFailedAttemptsMax: 2,
    appFailedAttemptsTotalMax: 3,
    userFailedAttemptsTotalMax: 3,
  }
  const server = await openTestServer({ settings: { trustProxy: true }, failedAttempts: limits })
  t.after(() => server.close())
  const statusOf = async (keyId: string, secretKey: string, address: string) => {
    const headers = { 'x-forwarded-for': address }
    const { status, body } = await call(server, 'GET /v2/account', { key: { keyId, secretKey }, headers })
    return [status, body.reason]
  }
  const { keyId, secretKey } = server.key
  for (let host = 1; host <= 20; host++) {
    const stranger = `192.0.2.${host}`
    for (let guess = 0; guess < 3; guess++)
      assert.deepEqual(await statusOf(keyId, `guess ${guess}`, stranger), [401, 'unauthorized'])
    assert.deepEqual(await statusOf(keyId, 'guess', stranger), [429, 'tooManyFailedAttempts'])
    assert.deepEqual(
      await statusOf(keyId, secretKey, stranger),
      [200, undefined],
      'the owner, from that address',
    )
    assert.deepEqual(
      await statusOf(server.otherKey.keyId, 'guess', stranger),
      [429, 'tooManyFailedAttempts'],
      'any key',
    )
  }
  assert.deepEqual(
    await statusOf(keyId, secretKey, '198.51.100.7'),
    [200, undefined],
    'the owner, from another address',
  )
})

test('a key whose secret a person chose is limited by name and address, the right secret too', async (t) => {
  const server = await openTestServer({
    settings: { trustProxy: true },
    failedAttempts: { appFailedAttemptsMax: 2 },
  })
  t.after(() => server.close())
  const chosen = { keyId: 'PKCHOSEN', secretKey: 'password1' }
  await issueKey(server.world, { kind: 'account', accountId: server.accountId }, chosen)
  const statusOf = async (secretKey: string, address: string) => {
    const key = { keyId: chosen.keyId, secretKey }
    return (await call(server, 'GET /v2/account', { key, headers: { 'x-forwarded-for': address } })).status
  }
  const statuses = []
  for (const secret of ['guess 1', 'guess 2', chosen.secretKey])
    statuses.push(await statusOf(secret, '192.0.2.1'))
  assert.deepEqual(statuses, [401, 401, 429])
  assert.equal(await statusOf(chosen.secretKey, '198.51.100.7'), 200, 'the owner at another address')
  const generated = await call(server, 'GET /v2/account', {
    headers: { 'x-forwarded-for': '192.0.2.1' },
    key: server.key,
  })
  assert.equal(generated.status, 200, 'a key with a generated secret, from that address')
})
