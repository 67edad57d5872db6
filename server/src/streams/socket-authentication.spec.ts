import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { issueTestToken, registerTestApp } from '../http/oauth/testing/apps.ts'
import { Client, dataClient, type Json, type Stage, stageFor } from './testing/sockets.ts'

const connected = [{ T: 'success', msg: 'connected' }]
const authenticated = [{ T: 'success', msg: 'authenticated' }]
const error = (code: number, msg: string) => [{ T: 'error', code, msg }]
const authOf = ({ keyId, secretKey }: Stage['key']) => ({ action: 'auth', key: keyId, secret: secretKey })
const wrong = { action: 'auth', key: 'nobody', secret: 'nothing' }

test('a client that never authenticates gets an error and is closed', async (t) => {
  const stage = await stageFor(t, { streamAuthTimeoutMs: 60 })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  assert.deepEqual(await client.untilClosed(), [connected, error(404, 'auth timeout')])
  assert.equal((await client.closed).code, 1008)
  const silent = await Client.open(`${stage.wsUrl}/stream`)
  assert.deepEqual(await silent.untilClosed(), [])
})

test('a refused client stays connected until the timeout and gets no second error', async (t) => {
  const stage = await stageFor(t, { streamAuthTimeoutMs: 1_000 })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  client.send(wrong)
  assert.deepEqual(await client.untilClosed(), [connected, error(402, 'auth failed')])
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
  assert.deepEqual(await third.untilClosed(), [connected, error(406, 'connection limit exceeded')])
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
