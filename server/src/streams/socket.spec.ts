import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { KeyId } from '@quipu/core'
import { advance, Client, dataClient, type Stage, stageFor, updatesClient } from './testing/sockets.ts'

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
  assert.deepEqual(await other.rest(), [[{ T: 'success', msg: 'connected' }]])
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
  assert.deepEqual((await client.untilClosed()).at(-1), [{ T: 'error', code: 407, msg: 'slow client' }])
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
