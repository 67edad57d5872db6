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

async function openUpdates(as = key): Promise<Client> {
  const client = await Client.open(`${stage.wsUrl}/stream`)
  await client.request({ action: 'auth', key: as.keyId, secret: as.secretKey })
  await client.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  return client
}

async function openData(...symbols: string[]): Promise<Client> {
  const client = await Client.open(`${stage.wsUrl}/v2/sip`)
  await client.next()
  await client.request({ action: 'auth', key: key.keyId, secret: key.secretKey })
  await client.request({ action: 'subscribe', trades: symbols, bars: ['*'] })
  return client
}

test('an open stream is listed with its key, subscriptions and counts', async () => {
  const client = await openUpdates()
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

test('market-data subscriptions are listed by channel, at most 100 symbols each', async () => {
  const many = Array.from({ length: 150 }, (_, index) => `S${index}`)
  const client = await openData(...many)
  const { sockets } = (await read(`sockets?key_id=${key.keyId}`)).body
  const { subscriptions, symbols } = sockets.at(-1)
  assert.deepEqual([subscriptions.trades.length, subscriptions.bars, symbols], [100, ['*'], 151])
  client.ws.terminate()
  await client.closed
})

test('an operator closes a stream by its id; another world does not list it', async () => {
  const client = await openUpdates()
  const [socket] = (await read(`sockets?account_id=${accountId}`)).body.sockets
  assert.equal((await close(socket.id, 'main')).status, 404)
  assert.equal((await close(socket.id)).status, 204)
  assert.deepEqual(await client.closed, { code: 1012, reason: 'closed by the operator' })
  assert.equal((await close(socket.id)).status, 404)
  assert.deepEqual((await close('none')).body.reason, 'socketNotFound')
})

test('an unauthenticated stream is listed in main', async () => {
  const client = await Client.open(`${stage.wsUrl}/stream`)
  const { sockets } = (await read('sockets', 'main')).body
  assert.deepEqual(
    sockets.map(({ key_id, endpoint }: Record<string, string>) => [key_id, endpoint]),
    [[undefined, '/stream']],
  )
  client.ws.terminate()
  await client.closed
})

test('pages of sockets are complete, and a filter selects one key', async () => {
  const clients = [await openUpdates(), await openUpdates(otherKey), await openUpdates()]
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

test('a live list sends the open streams, then each open and close', async () => {
  const reader = await readSse(stage, '/sim/v1/worlds/lab/sockets', operatorKey)
  assert.equal((await reader.take(1))[0]!.event, 'sockets')
  const client = await openUpdates()
  const [opened] = await reader.take(1)
  assert.deepEqual([opened!.event, opened!.data['key_id']], ['socket', key.keyId])
  client.ws.terminate()
  let last = opened!
  while (last.event !== 'closed') last = (await reader.take(1))[0]!
  assert.equal(last.data['id'], opened!.data['id'])
  reader.close()
})

test('only operators list or close streams', async () => {
  for (const route of ['GET /sim/v1/worlds/lab/sockets', 'DELETE /sim/v1/worlds/lab/sockets/1'])
    assert.equal((await call(stage, route, { key })).status, 403)
})
