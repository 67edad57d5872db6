import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { StreamError } from '../errors.ts'
import { createQuipu } from '../quipu.ts'

const update = (n: number) => ({ event: 'new', event_id: `0${n}`, order: { id: `o${n}` } })

/** A server of trade updates whose HTTP has no event streams, unlike Quipu. */
async function serving(t: TestContext) {
  const server = createServer((_, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ server })
  const received: string[] = []
  const listening: WebSocket[] = []
  sockets.on('connection', (socket) =>
    socket.on('message', (text) => {
      const { action } = JSON.parse(String(text))
      received.push(action)
      const data = action === 'listen' ? { streams: ['trade_updates'] } : { status: 'authorized', action }
      socket.send(JSON.stringify({ stream: action === 'listen' ? 'listening' : 'authorization', data }))
      if (action === 'listen') listening.push(socket)
    }),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const client of sockets.clients) client.terminate()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const publish = (n: number) =>
    listening.at(-1)!.send(JSON.stringify({ stream: 'trade_updates', data: update(n) }))
  return { received, listening, publish, quipu: createQuipu({ url, keyId: 'k', secretKey: 's' }) }
}

test('without positions a reconnect reports a gap, subscribes again, and goes on', async (t) => {
  const { received, listening, publish, quipu } = await serving(t)
  const stream = quipu.streams.tradeUpdates({ reconnectMs: 1 })
  t.after(() => stream.close())
  const gap = new Promise<Error>((resolve) => stream.onGap(resolve))
  const loop = stream[Symbol.asyncIterator]()
  await stream.subscribe()
  publish(1)
  assert.equal((await loop.next()).value?.event_id, '01')
  listening[0]!.terminate()
  assert.match((await gap).message, /may be missing/)
  publish(2)
  assert.equal((await loop.next()).value?.event_id, '02')
  assert.deepEqual(received.slice(received.lastIndexOf('authenticate')), ['authenticate', 'listen'])
  assert.equal(received.filter((action) => action === 'authenticate').length, 2)
})

test('a loop that is too far behind ends with an error after the messages that it has', async (t) => {
  const { publish, quipu } = await serving(t)
  const stream = quipu.streams.tradeUpdates({ queueMax: 2, refill: false })
  t.after(() => stream.close())
  const loop = stream[Symbol.asyncIterator]()
  await stream.subscribe()
  const [seen, third] = [Promise.withResolvers<void>(), '03']
  stream.onMessage(({ event_id: id }) => id === third && seen.resolve())
  for (const n of [1, 2, 3]) publish(n)
  await seen.promise
  assert.deepEqual([(await loop.next()).value?.event_id, (await loop.next()).value?.event_id], ['01', '02'])
  await assert.rejects(loop.next(), StreamError)
})
