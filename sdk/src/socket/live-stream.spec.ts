import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { NetworkError, StreamError } from '../errors.ts'
import { createQuipu } from '../quipu.ts'

const update = (n: number) => ({ event: 'new', event_id: `0${n}`, order: { id: `o${n}` } })

type Responder = (url: URL, response: ServerResponse) => unknown

/** A server of trade updates. By default its HTTP has no event streams, unlike Quipu. */
async function serving(t: TestContext, respond: Responder = (_, response) => response.writeHead(404).end()) {
  const server = createServer((request, response) => respond(new URL(request.url!, 'http://a'), response))
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
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const publish = (n: number) =>
    listening.at(-1)!.send(JSON.stringify({ stream: 'trade_updates', data: update(n) }))
  return { url, received, listening, publish, quipu: createQuipu({ url, keyId: 'k', secretKey: 's' }) }
}

test('without positions a reconnect reports a gap, subscribes again, and goes on', async (t) => {
  const { received, listening, publish, quipu } = await serving(t)
  const stream = quipu.streams.tradeUpdates({ reconnectMs: 1 })
  t.after(() => stream.close())
  const gap = new Promise<Error>((resolve) => stream.onGap(resolve))
  const loop = stream[Symbol.asyncIterator]()
  await stream.subscribe()
  publish(1)
  assert.equal((await loop.next()).value?.eventId, '01')
  listening[0]!.terminate()
  assert.match((await gap).message, /may be missing/)
  publish(2)
  assert.equal((await loop.next()).value?.eventId, '02')
  assert.deepEqual(received.slice(received.lastIndexOf('authenticate')), ['authenticate', 'listen'])
  assert.equal(received.filter((action) => action === 'authenticate').length, 2)
})

test('a function returns the token of each connection and request; one that cannot be fetched is asked for again', async (t) => {
  const authorizations: (string | undefined)[] = []
  const { url, received, listening } = await serving(t, ({ pathname }, response) => {
    authorizations.push(`${pathname} ${response.req.headers.authorization}`)
    response.writeHead(404).end()
  })
  let count = 0
  const accessToken = async () => {
    count += 1
    if (count === 1) throw new NetworkError('no connection')
    return `token-${count}`
  }
  const quipu = createQuipu({ url, accessToken })
  const stream = quipu.streams.tradeUpdates({ reconnectMs: 1, refill: false })
  t.after(() => stream.close())
  await stream.subscribe()
  const reopened = new Promise<void>((resolve) => stream.onState((state) => state === 'open' && resolve()))
  listening[0]!.terminate()
  await reopened
  await assert.rejects(quipu.account.get(), { status: 404 })
  assert.equal(received.filter((action) => action === 'authenticate').length, 2)
  assert.deepEqual([count, authorizations], [4, ['/v2/account Bearer token-4']])
})

test('an update that arrives twice is delivered once, and one that arrives late is delivered', async (t) => {
  const { publish, quipu } = await serving(t)
  const stream = quipu.streams.tradeUpdates({ refill: false })
  t.after(() => stream.close())
  const loop = stream[Symbol.asyncIterator]()
  await stream.subscribe()
  for (const n of [1, 1, 3, 2, 3, 1, 4]) publish(n)
  const received: (string | undefined)[] = []
  while (received.at(-1) !== '04') received.push((await loop.next()).value?.eventId)
  assert.deepEqual(received, ['01', '03', '02', '04'])
})

test('a loop that is too far behind ends with an error after the messages that it has', async (t) => {
  const { publish, quipu } = await serving(t)
  const stream = quipu.streams.tradeUpdates({ queueMax: 2, refill: false })
  t.after(() => stream.close())
  const loop = stream[Symbol.asyncIterator]()
  await stream.subscribe()
  const [seen, third] = [Promise.withResolvers<void>(), '03']
  stream.onMessage(({ eventId: id }) => id === third && seen.resolve())
  for (const n of [1, 2, 3]) publish(n)
  await seen.promise
  assert.deepEqual([(await loop.next()).value?.eventId, (await loop.next()).value?.eventId], ['01', '02'])
  await assert.rejects(loop.next(), StreamError)
})

test('a credential that streams do not accept is an error of ready, not of the process', async () => {
  const quipu = createQuipu({ url: 'http://127.0.0.1:9', basic: { id: 'a', secret: 'b' } })
  await assert.rejects(quipu.streams.tradeUpdates().ready(), /streams need keyId and secretKey/)
})

test('a connection that breaks while missed updates are read loses none of them', async (t) => {
  const published: number[] = []
  const { listening, publish, quipu } = await serving(t, (url, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const [since, until] = ['since_id', 'until_id'].map((name) => url.searchParams.get(name))
    if (!since || !until) return response.write(`id: 0${published.at(-1) ?? 0}\n\n`)
    const missed = published.filter((n) => `0${n}` > since && `0${n}` <= until)
    for (const n of missed.slice(0, isBroken ? 1 : undefined))
      response.write(`id: 0${n}\ndata: ${JSON.stringify(update(n))}\n\n`)
    if (!isBroken) return response.end()
    isBroken = false
    published.push(5)
    publish(5)
    setTimeout(() => listening.at(-1)!.terminate(), 20)
    return undefined
  })
  let isBroken = true
  const stream = quipu.streams.tradeUpdates({ reconnectMs: 1 })
  t.after(() => stream.close())
  const received: string[] = []
  stream.onMessage(({ eventId: id }) => received.push(id))
  await stream.subscribe()
  published.push(1, 2, 3, 4)
  publish(1)
  while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  listening[0]!.terminate()
  while (!received.includes('05')) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual(received, ['01', '02', '03', '04', '05'])
})

test('nothing is sent on a connection that is closing', async (t) => {
  const { received, quipu } = await serving(t)
  const [opened, late]: [globalThis.WebSocket[], unknown[]] = [[], []]
  class Watched extends globalThis.WebSocket {
    constructor(address: string) {
      super(address)
      opened.push(this)
    }
    override send(data: string): void {
      if (this.readyState === globalThis.WebSocket.OPEN) super.send(data)
      else late.push(data)
    }
  }
  const stream = quipu.streams.tradeUpdates({ reconnectMs: 1, refill: false, WebSocket: Watched })
  t.after(() => stream.close())
  await stream.ready()
  opened[0]!.close()
  await stream.subscribe()
  assert.deepEqual([late, received.at(-1), opened.length], [[], 'listen', 2])
})
