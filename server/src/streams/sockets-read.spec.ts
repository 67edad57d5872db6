import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readingHandlers } from '../http/reading/index.ts'
import { readSse } from '../http/reading/testing/reading.ts'
import { call } from '../http/testing/server.ts'
import { Client, openStage } from './testing/sockets.ts'

const stage = await openStage({}, { handlers: readingHandlers })
after(() => stage.close())
const { key, otherKey, operatorKey, accountId } = stage

const read = (path = 'sockets', world = 'lab') =>
  call(stage, `GET /sim/v1/worlds/${world}/${path}`, { key: operatorKey })
const close = (id: string, world = 'lab') =>
  call(stage, `DELETE /sim/v1/worlds/${world}/sockets/${id}`, { key: operatorKey })

async function listening(of = key): Promise<Client> {
  const client = await Client.open(`${stage.wsUrl}/stream`)
  await client.ask({ action: 'auth', key: of.keyId, secret: of.secretKey })
  await client.ask({ action: 'listen', data: { streams: ['trade_updates'] } })
  return client
}

async function watching(...symbols: string[]): Promise<Client> {
  const client = await Client.open(`${stage.wsUrl}/v2/sip`)
  await client.next()
  await client.ask({ action: 'auth', key: key.keyId, secret: key.secretKey })
  await client.ask({ action: 'subscribe', trades: symbols, bars: ['*'] })
  return client
}

test('an open stream shows whose it is, what it wants and what it got', async () => {
  const client = await listening()
  const { body } = await read()
  const { id, opened_at, address, sent_bytes, lag_ms, ...socket } = body.sockets[0]
  assert.deepEqual(socket, {
    endpoint: '/stream',
    key_id: key.keyId,
    account_id: accountId,
    subscriptions: { trade_updates: ['*'] },
    symbols: 1,
    sent_messages: 2,
    waiting_bytes: 0,
  })
  assert.ok(sent_bytes > 0 && lag_ms === 0 && Date.parse(opened_at) > 0 && address && id)
  client.ws.terminate()
  await client.closed
})

test('subscriptions of market data are told by channel, at most a hundred symbols of each', async () => {
  const many = Array.from({ length: 150 }, (_, index) => `S${index}`)
  const client = await watching(...many)
  const { sockets } = (await read(`sockets?key_id=${key.keyId}`)).body
  const { subscriptions, symbols } = sockets.at(-1)
  assert.deepEqual([subscriptions.trades.length, subscriptions.bars, symbols], [100, ['*'], 151])
  client.ws.terminate()
  await client.closed
})

test('a stream is closed by its id, its client is told, and another world does not see it', async () => {
  const client = await listening()
  const [socket] = (await read(`sockets?account_id=${accountId}`)).body.sockets
  assert.equal((await close(socket.id, 'main')).status, 404)
  assert.equal((await close(socket.id)).status, 204)
  assert.deepEqual(await client.closed, { code: 1001, reason: 'closed by the operator' })
  assert.equal((await close(socket.id)).status, 404)
  assert.deepEqual((await close('none')).body.reason, 'socketNotFound')
})

test('a stream that has not said who it is stands with main', async () => {
  const client = await Client.open(`${stage.wsUrl}/stream`)
  const { sockets } = (await read('sockets', 'main')).body
  assert.deepEqual(
    sockets.map(({ key_id, endpoint }: Record<string, string>) => [key_id, endpoint]),
    [[undefined, '/stream']],
  )
  client.ws.terminate()
  await client.closed
})

test('pages of sockets join, and a filter shows one key', async () => {
  const clients = [await listening(), await listening(otherKey), await listening()]
  const first = await read('sockets?limit=2')
  const rest = await read(`sockets?limit=2&cursor=${first.body.next_cursor}`)
  assert.equal(rest.body.next_cursor, null)
  assert.deepEqual(
    [...first.body.sockets, ...rest.body.sockets].map(({ key_id }) => key_id),
    [key.keyId, otherKey.keyId, key.keyId],
  )
  const mine = await read(`sockets?key_id=${otherKey.keyId}`)
  assert.equal(mine.body.sockets.length, 1)
  for (const client of clients) {
    client.ws.terminate()
    await client.closed
  }
})

test('live: what is open, then who comes and goes', async () => {
  const reader = await readSse(stage, '/sim/v1/worlds/lab/sockets', operatorKey)
  const client = await listening()
  const [opened] = await reader.take(1)
  assert.deepEqual([opened!.event, opened!.data['key_id']], ['socket', key.keyId])
  client.ws.terminate()
  let last = opened!
  while (last.event !== 'closed') last = (await reader.take(1))[0]!
  assert.equal(last.data['id'], opened!.data['id'])
  reader.close()
})

test('only operators see or close streams', async () => {
  for (const route of ['GET /sim/v1/worlds/lab/sockets', 'DELETE /sim/v1/worlds/lab/sockets/1'])
    assert.equal((await call(stage, route, { key })).status, 403)
})
