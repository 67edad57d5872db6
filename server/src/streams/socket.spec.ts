import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { KeyId } from '@quipu/core'
import { issueTestToken, registerTestApp } from '../http/oauth/testing/apps.ts'
import {
  advance,
  Client,
  dataClient,
  type Json,
  openStage,
  type Stage,
  updatesClient,
} from './testing/sockets.ts'

/** A stage for one test. */
async function stageFor(t: TestContext, ...args: Parameters<typeof openStage>): Promise<Stage> {
  const stage = await openStage(...args)
  t.after(() => stage.close())
  return stage
}

const connected = [{ T: 'success', msg: 'connected' }]
const authenticated = [{ T: 'success', msg: 'authenticated' }]
const error = (code: number, msg: string) => [{ T: 'error', code, msg }]
const authOf = ({ keyId, secretKey }: Stage['key']) => ({ action: 'auth', key: keyId, secret: secretKey })
const wrong = { action: 'auth', key: 'nobody', secret: 'nothing' }

async function receivedUntilClosed(client: Client): Promise<Json[]> {
  await client.closed
  return client.received()
}

test('a client that never authenticates gets an error and is closed', async (t) => {
  const stage = await stageFor(t, { streamAuthTimeoutMs: 60 })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  assert.deepEqual(await receivedUntilClosed(client), [connected, error(404, 'auth timeout')])
  assert.equal((await client.closed).code, 1008)
  const silent = await Client.open(`${stage.wsUrl}/stream`)
  assert.deepEqual(await receivedUntilClosed(silent), [])
})

test('a refused client stays connected until the timeout and gets no second error', async (t) => {
  const stage = await stageFor(t, { streamAuthTimeoutMs: 1_000 })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  client.send(wrong)
  assert.deepEqual(await receivedUntilClosed(client), [connected, error(402, 'auth failed')])
})

test('a client that authenticates in time stays connected', async (t) => {
  const stage = await stageFor(t, { streamAuthTimeoutMs: 1_000 })
  const client = await dataClient(stage, '/v2/iex')
  const never = await Client.open(`${stage.wsUrl}/v2/iex`)
  await never.closed
  assert.equal((await client.request({ action: 'subscribe' }))[0].T, 'subscription')
})

test('the response to wrong credentials is delayed, and the client may try again', async (t) => {
  const stage = await stageFor(t, { authFailureDelayMs: 800 })
  for (const path of ['/v2/iex', '/stream']) {
    const client = await Client.open(stage.wsUrl + path)
    if (path !== '/stream') await client.next()
    client.send(wrong)
    const response = await client.request(authOf(stage.key))
    assert.ok(JSON.stringify(response).includes('authenticate'))
    assert.ok(!JSON.stringify(response).includes('unauthorized'))
    const refusal = JSON.stringify(await client.next())
    assert.ok(refusal.includes('auth failed') || refusal.includes('access key verification failed'))
  }
})

test('a credential has a maximum of connections per endpoint; older ones stay open', async (t) => {
  const stage = await stageFor(t, { streamsMax: 1, streamAuthTimeoutMs: 2_000 })
  const first = await dataClient(stage, '/v2/iex')
  const otherEndpoint = await dataClient(stage, '/v2/sip')
  const second = await Client.open(`${stage.wsUrl}/v2/iex`)
  await second.next()
  assert.deepEqual(await second.request(authOf(stage.key)), error(406, 'connection limit exceeded'))
  await first.leave()
  assert.deepEqual(await second.request(authOf(stage.key)), authenticated)
  const third = await Client.open(`${stage.wsUrl}/v2/iex`)
  third.send(authOf(stage.key))
  assert.deepEqual(await receivedUntilClosed(third), [connected, error(406, 'connection limit exceeded')])
  assert.deepEqual(await third.closed, { code: 1006, reason: '' })
  assert.equal((await otherEndpoint.request({ action: 'subscribe' }))[0].T, 'subscription')
})

test('too many attempts close the connection', async (t) => {
  const stage = await stageFor(t, { authAttemptsMax: 3 })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  for (let attempt = 0; attempt < 10; attempt++) client.send(wrong)
  assert.equal((await client.closed).reason, 'too many attempts')
})

const headerKinds: readonly (readonly [name: string, headers: (stage: Stage) => Record<string, string>])[] = [
  ['a key pair', ({ key }) => ({ 'APCA-API-KEY-ID': key.keyId, 'APCA-API-SECRET-KEY': key.secretKey })],
  ['Basic', ({ key }) => ({ Authorization: `Basic ${btoa(`${key.keyId}:${key.secretKey}`)}` })],
]

for (const [name, headers] of headerKinds)
  test(`${name} in the handshake authenticates a data stream`, async (t) => {
    const stage = await stageFor(t)
    const client = await Client.open(`${stage.wsUrl}/v2/sip`, { headers: headers(stage) })
    assert.deepEqual(await client.next(), connected)
    assert.deepEqual(await client.next(), authenticated)
    assert.deepEqual(await client.request(authOf(stage.key)), error(403, 'already authenticated'))
  })

test('wrong credentials in headers are refused like those in a message', async (t) => {
  const stage = await stageFor(t)
  const headers = { 'APCA-API-KEY-ID': stage.key.keyId, 'APCA-API-SECRET-KEY': 'wrong' }
  const client = await Client.open(`${stage.wsUrl}/v2/sip`, { headers })
  assert.deepEqual(await client.next(), connected)
  assert.deepEqual(await client.next(), error(402, 'auth failed'))
  assert.deepEqual(await client.request(authOf(stage.key)), authenticated)
})

test('a valid key is accepted on both streams after any number of failures from its address', async (t) => {
  const stage = await stageFor(t, {}, { failedAttempts: { failedAttemptsMax: 2 } })
  for (let n = 0; n < 4; n++) {
    const client = await Client.open(`${stage.wsUrl}/v2/sip`)
    await client.next()
    assert.deepEqual(
      await client.request(authOf({ ...stage.key, secretKey: 'wrong' })),
      error(402, 'auth failed'),
    )
  }
  const data = await Client.open(`${stage.wsUrl}/v2/sip`)
  await data.next()
  assert.deepEqual(await data.request(authOf(stage.key)), authenticated)
  const updates = await Client.open(`${stage.wsUrl}/stream`)
  const { keyId, secretKey } = stage.key
  const response = await updates.request({ action: 'auth', key: keyId, secret: secretKey })
  assert.equal(response.data.status, 'authorized')
})

/** A token index: `full` has the data scope, `narrow` does not. */
function tokens(stage: () => Stage) {
  return (token: string): Caller | undefined => {
    if (token !== 'full' && token !== 'narrow') return undefined
    const { world, accountId } = stage()
    const scopes = new Set(token === 'full' ? ['data'] : ['trading'])
    return { kind: 'account', world, accountId, credentialId: `token-${token}`, scopes }
  }
}

async function tokenStage(t: TestContext): Promise<Stage> {
  const opened: { stage?: Stage } = {}
  const byToken = tokens(() => opened.stage!)
  const credentials = {
    byKey: (keyId: string, secret: string) =>
      opened.stage!.services.worlds.access.credentials.byKey(keyId, secret),
    chosenKey: () => undefined,
    byToken,
  }
  opened.stage = await stageFor(t, {}, { security: { credentials } })
  return opened.stage
}

const tokenRows: readonly (readonly [path: string, request: Json, response: string])[] = [
  ['/v2/iex', { action: 'auth', key: 'oauth', secret: 'full' }, 'authenticated'],
  ['/v2/iex', { action: 'auth', key: 'access_token', secret: 'full' }, 'authenticated'],
  ['/v2/iex', { action: 'auth', key: 'oauth', secret: 'narrow' }, 'insufficient scope'],
  ['/v2/iex', { action: 'auth', key: 'oauth', secret: 'none' }, 'auth failed'],
  ['/stream', { action: 'authenticate', data: { oauth_token: 'narrow' } }, '"authorized"'],
  ['/stream', { action: 'authenticate', data: { oauth_token: 'none' } }, '"unauthorized"'],
]

for (const [path, request, response] of tokenRows)
  test(`${path}: ${JSON.stringify(request)} gets ${response}`, async (t) => {
    const stage = await tokenStage(t)
    const client = await Client.open(stage.wsUrl + path)
    if (path !== '/stream') await client.next()
    assert.ok(JSON.stringify(await client.request(request)).includes(response))
  })

test('a Bearer token in the handshake authenticates a data stream; its revocation closes the stream', async (t) => {
  const stage = await stageFor(t)
  const app = await registerTestApp(stage.world)
  const token = await issueTestToken(stage.world, app, stage.accountId, 'data')
  const headers = { Authorization: `Bearer ${token}` }
  const client = await Client.open(`${stage.wsUrl}/v2/iex`, { headers })
  await client.next()
  assert.deepEqual(await client.next(), authenticated)
  const { clientId, secret } = app
  const command = { clientId, secret: digestOf(secret), token: digestOf(token) }
  await stage.world.commands.submit({ kind: 'revokeAppToken', ...command }, () => undefined)
  assert.deepEqual(await client.closed, { code: 1008, reason: 'credential revoked' })
})

test('an internal error is sent, logged, and closes only that connection; a login that cannot be checked is no error', async (t) => {
  const credentials = {
    byKey: (keyId: string): undefined => {
      if (keyId === 'broken') throw new Error('bug: this index is broken')
      if (keyId === 'away') throw new NotApplied('worldRestarting')
    },
    chosenKey: () => undefined,
  }
  const stage = await stageFor(t, {}, { security: { credentials } })
  const other = await Client.open(`${stage.wsUrl}/v2/iex`)
  for (const path of ['/v2/iex', '/stream']) {
    const client = await Client.open(stage.wsUrl + path)
    client.send({ action: 'auth', key: 'broken', secret: '' })
    assert.equal((await client.closed).code, 1011)
    const last = JSON.stringify(client.received().at(-1))
    assert.ok(last.includes('internal error') || last.includes('internal server error'))
  }
  assert.deepEqual(await other.rest(), [connected])
  assert.ok(stage.lines.some((line) => line.includes('this index is broken')))
  const client = await Client.open(`${stage.wsUrl}/stream`)
  client.send({ action: 'auth', key: 'away', secret: '' })
  assert.equal((await client.closed).code, 1013)
  assert.ok(!stage.lines.some((line) => line.includes('worldRestarting')))
})

test('an unknown key is logged, its secret never', async (t) => {
  const stage = await stageFor(t)
  for (const path of ['/v2/iex', '/stream']) {
    const client = await Client.open(stage.wsUrl + path)
    client.send({ action: 'auth', key: 'AKNOBODY', secret: 'not-for-the-log' })
    await client.rest()
  }
  stage.services.log.flush()
  assert.ok(stage.lines.join('').includes('unknown API key'))
  assert.ok(!stage.lines.join('').includes('not-for-the-log'))
})

test('a revoked key closes only its own streams', async (t) => {
  const stage = await stageFor(t)
  const revoked = [await dataClient(stage, '/v2/iex'), await updatesClient(stage)]
  const other = await updatesClient(stage, stage.otherKey)
  const keyId = stage.key.keyId as KeyId
  await stage.world.commands.submit({ kind: 'revokeKey', keyId }, () => undefined)
  for (const client of revoked) assert.equal((await client.closed).reason, 'credential revoked')
  assert.deepEqual(await other.rest(), [])
})

test('a client that misses two pings is disconnected', async (t) => {
  const stage = await stageFor(t, { pingIntervalMs: 300 })
  const alive = await dataClient(stage, '/v2/iex')
  const dead = await Client.open(`${stage.wsUrl}/v2/iex`, { autoPong: false })
  assert.equal((await dead.closed).code, 1006)
  assert.deepEqual(await alive.rest(), [])
})

test('a stop closes all streams', async (t) => {
  const stage = await stageFor(t)
  const clients = [await dataClient(stage, '/v2/iex'), await Client.open(`${stage.wsUrl}/stream`)]
  await stage.streams.close()
  for (const client of clients)
    assert.deepEqual(await client.closed, { code: 1001, reason: 'the server is stopping' })
  assert.deepEqual(stage.streams.stats().open, {})
})

/** Sends requests from a client that does not read, until the responses wait in the server. */
async function fillUp(stage: Stage, client: Client, isFull: () => boolean): Promise<void> {
  client.ws.pause()
  const lulds = Array.from({ length: 3_000 }, (_, index) => `SYMBOL${index}`)
  client.send({ action: 'subscribe', lulds })
  while (!isFull()) {
    for (let index = 0; index < 20; index++) client.send({ action: 'subscribe' })
    await sleep(1)
    assert.ok(stage.streams.stats().bufferedBytes < 40_000_000)
  }
}

test('a client that does not read is closed with an error and uses at most its buffer', async (t) => {
  const stage = await stageFor(t, { socketBufferMaxBytes: 200_000, closeTimeoutMs: 60_000 })
  const client = await dataClient(stage, '/v2/iex')
  await fillUp(stage, client, () => {
    const { bufferedBytes, slowClients } = stage.streams.stats()
    assert.ok(bufferedBytes < 201_000)
    return slowClients === 1
  })
  client.ws.resume()
  assert.deepEqual((await receivedUntilClosed(client)).at(-1), error(407, 'slow client'))
})

test('a client that does not read delays a virtual clock only for the drain timeout', async (t) => {
  const stage = await stageFor(t, {
    drainTimeoutMs: 400,
    closeTimeoutMs: 100,
    socketBufferMaxBytes: 30_000_000,
  })
  const [slow, quick] = [await dataClient(stage, '/v2/iex'), await dataClient(stage, '/v2/iex')]
  for (const client of [slow, quick]) await client.request({ action: 'subscribe', bars: ['AAPL'] })
  await fillUp(stage, slow, () => stage.streams.stats().bufferedBytes > 1_000_000)
  await advance(stage, 3)
  assert.equal(stage.streams.stats().slowClients, 1)
  assert.deepEqual(stage.streams.stats().open, { '/v2/iex': 1 })
  assert.equal((await quick.rest()).length, 3)
})
