import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { auditFaults, formatInstant, type Instant, type KeyId, MINUTE } from '@quipu/core'
import { readingHandlers } from '../reading/index.ts'
import { readSse } from '../reading/testing/reading.ts'
import { call, openTestServer } from '../testing/server.ts'
import { keyHandlers } from './keys.ts'

const server = await openTestServer({
  handlers: {
    ...readingHandlers,
    createKey: (input, context) => keyHandlers(context.services.worlds).createKey(input, context),
    deleteKey: (input, context) => keyHandlers(context.services.worlds).deleteKey(input, context),
    listKeys: (input, context) => keyHandlers(context.services.worlds).listKeys(input, context),
  },
})
after(() => server.close())
const { world, clock, operatorKey, partnerKey, accountId } = server
const PATH = '/sim/v1/worlds/lab/keys'

type NewKey = KeyPair & { readonly expiresAt: string }
async function makeKey(minutes: number, body: object = {}): Promise<NewKey> {
  const expiresAt = formatInstant((world.engine.latest + BigInt(minutes) * MINUTE) as Instant)
  const created = await call(server, `POST ${PATH}`, {
    key: operatorKey,
    body: { ...body, expires_at: expiresAt },
  })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.equal(created.body.expires_at, expiresAt)
  return { keyId: created.body.key_id, secretKey: created.body.secret_key, expiresAt }
}
const advance = (by: bigint) => clock.advance((world.engine.latest + by) as Instant)
const keyRecord = async (keyId: string): Promise<Record<string, string> | undefined> =>
  (await call(server, `GET ${PATH}`, { key: operatorKey })).body.find(
    ({ key_id }: { key_id: string }) => key_id === keyId,
  )
const account = (key: KeyPair) => call(server, 'GET /v2/account', { key })

test('a key works until its expiry and is refused from that instant on', async () => {
  const key = await makeKey(10)
  assert.equal((await keyRecord(key.keyId))?.['expires_at'], key.expiresAt)
  await advance(10n * MINUTE - 2n)
  assert.equal((await account(key)).status, 200)
  assert.deepEqual(auditFaults(world.view), [])
  await advance(10n * MINUTE)
  assert.equal((await account(key)).status, 401)
  assert.equal(await keyRecord(key.keyId), undefined)
  assert.deepEqual(auditFaults(world.view), [])
  const { body } = await call(server, 'GET /sim/v1/worlds/lab/events?kind=keyRevoked&last=100', {
    key: operatorKey,
  })
  const { event } = body.events.at(-1)
  assert.deepEqual([event.keyId, event.expired, event.at], [key.keyId, true, key.expiresAt])
})

test('open streams of a key are closed at its expiry', async () => {
  const key = await makeKey(10, { kind: 'operator' })
  const reader = await readSse(server, '/sim/v1/worlds/lab/events', key)
  await reader.take(1)
  await advance(11n * MINUTE)
  await reader.ended()
})

test('a machine token expires with its key', async () => {
  const { keyId, secretKey } = await makeKey(10, { kind: 'partner' })
  const form = { grant_type: 'client_credentials', client_id: keyId, client_secret: secretKey }
  const requestToken = () =>
    call(server, 'POST /v1/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(form)),
    })
  const { body } = await requestToken()
  const listAccounts = () =>
    call(server, 'GET /v1/accounts', { headers: { authorization: `Bearer ${body.access_token}` } })
  assert.equal((await listAccounts()).status, 200)
  await advance(11n * MINUTE)
  assert.equal((await listAccounts()).status, 401)
  assert.equal((await requestToken()).status, 401)
})

test('a key that is revoked before its expiry leaves no scheduled expiry', async () => {
  const { keyId } = await makeKey(10)
  assert.equal((await call(server, `DELETE ${PATH}/${keyId}`, { key: operatorKey })).status, 204)
  assert.deepEqual(auditFaults(world.view), [])
  await advance(20n * MINUTE)
  assert.deepEqual(auditFaults(world.view), [])
})

for (const expires_at of ['2020-01-01T00:00:00Z', 'soon', 7])
  test(`a key with expires_at ${expires_at} is refused, and none is created`, async () => {
    const before = world.view.keys.size
    const { status, body } = await call(server, `POST ${PATH}`, { key: operatorKey, body: { expires_at } })
    assert.equal(status, 422)
    assert.match(body.message, /expires_at/)
    assert.equal(world.view.keys.size, before)
  })

test('a partner creates an account key with an expiry, and reads its last use', async () => {
  const expires_at = formatInstant((world.engine.latest + 100n * MINUTE) as Instant)
  const path = `/v1/accounts/${accountId}/keys`
  const { status, body } = await call(server, `POST ${path}`, { key: partnerKey, body: { expires_at } })
  assert.deepEqual([status, body.expires_at], [201, expires_at])
  const record = async () =>
    (await call(server, `GET ${path}`, { key: partnerKey })).body.find(
      ({ key_id }: { key_id: string }) => key_id === body.key_id,
    )
  assert.deepEqual(await record(), { key_id: body.key_id, created_at: body.created_at, expires_at })
  await account({ keyId: body.key_id, secretKey: body.secret_key })
  const minute = (world.engine.latest / MINUTE) * MINUTE
  assert.equal((await record()).last_used_at, formatInstant(minute as Instant))
})

test('the last use of a key has minute precision, and a wrong secret does not count', async () => {
  const key = await makeKey(1_000)
  await account({ keyId: key.keyId, secretKey: 'wrong' })
  assert.equal((await keyRecord(key.keyId))?.['last_used_at'], undefined)
  const seq = world.view.seq
  await account(key)
  const first = (await keyRecord(key.keyId))!['last_used_at']!
  assert.equal(world.view.seq, seq, 'a use records no event')
  assert.equal(first, formatInstant(((world.engine.latest / MINUTE) * MINUTE) as Instant))
  await advance(3n * MINUTE)
  assert.equal((await keyRecord(key.keyId))!['last_used_at'], first)
  await account(key)
  const second = (await keyRecord(key.keyId))!['last_used_at']!
  assert.equal(Date.parse(second) - Date.parse(first), 180_000)
  assert.ok(world.view.keys.has(key.keyId as KeyId))
})
