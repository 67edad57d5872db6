import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

/** The limit of concurrent requests per connection in this test. */
const REQUESTS_MAX = 3
const UNSENT_MAX = 8_000_000

/** The work of the clock handler; each test sets it. */
let work: (n: number) => Promise<void>
let begun = 0
let server: TestServer

before(async () => {
  server = await openTestServer({
    limits: { connectionRequestsMax: REQUESTS_MAX, unsentMaxBytes: UNSENT_MAX },
    handlers: {
      getClock: async () => {
        const number = begun++
        await work(number)
        return { timestamp: String(number), is_open: true, next_open: '', next_close: '' }
      },
    },
  })
})
after(() => server.close())
beforeEach(() => {
  begun = 0
  work = async () => undefined
})

const textOf = (path: string, { keyId, secretKey }: KeyPair = server.key): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\n\r\n`

async function dial(): Promise<Socket> {
  const socket = connect(server.serving.port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** A connection, and a promise that resolves when the server has noticed that it is closed. */
async function dialWatched(): Promise<{ readonly socket: Socket; readonly noticed: Promise<unknown> }> {
  const accepted = once(server.serving.server, 'connection')
  const socket = await dial()
  const [serverSocket] = (await accepted) as [Socket]
  return { socket, noticed: once(serverSocket, 'close') }
}

/** Reads until `count` responses have arrived. */
function responses(socket: Socket, count: number): Promise<readonly string[]> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      const all = text.split('HTTP/1.1 ').slice(1)
      if (all.length >= count && all.at(-1)!.includes('}')) resolve(all)
    })
  })
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5)
}

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', time_in_force: 'gtc', limit_price: '1' }

async function assertOrdersPass(): Promise<void> {
  const { status } = await call(server, 'POST /v2/orders', { key: server.otherKey, body: order })
  assert.equal(status, 200)
}

test('requests of one connection run concurrently up to the limit, and are answered in order', async () => {
  let working = 0
  let workingMax = 0
  work = async (number) => {
    workingMax = Math.max(workingMax, ++working)
    // Later requests end first.
    for (let turns = 4 - (number % 4); turns > 0; turns--) await turn()
    working -= 1
  }
  const socket = await dial()
  socket.write(textOf('/v2/clock').repeat(200))
  const timestamps = (await responses(socket, 200)).map((text) => /"timestamp":"(\d+)"/.exec(text)?.[1])
  socket.destroy()
  assert.deepEqual(
    timestamps,
    Array.from({ length: 200 }, (_, n) => String(n)),
  )
  assert.equal(workingMax, REQUESTS_MAX)
})

test('after a thousand requests in one packet are answered, the server reads the next ones', async () => {
  const socket = await dial()
  socket.write(textOf('/v2/clock').repeat(1000))
  const all = responses(socket, 1100)
  await until(() => begun > 0)
  socket.write(textOf('/v2/clock').repeat(100))
  assert.equal((await all).length, 1100)
  socket.destroy()
})

for (const how of ['destroy', 'end'] as const)
  test(`waiting requests of a client that disconnects (${how}) are never begun`, async () => {
    const gate = Promise.withResolvers<void>()
    work = () => gate.promise
    const { socket, noticed } = await dialWatched()
    socket.write(textOf('/v2/clock').repeat(20))
    await until(() => begun === REQUESTS_MAX)
    socket[how]()
    await noticed
    gate.resolve()
    await assertOrdersPass()
    assert.equal(begun, REQUESTS_MAX)
  })

test('work for a client that disconnects ends at the next pause', async () => {
  let chunks = 0
  const gate = Promise.withResolvers<void>()
  work = async () => {
    for (; chunks < 1000; chunks++) {
      await pauseWork()
      if (chunks === 10) await gate.promise
    }
  }
  const { socket, noticed } = await dialWatched()
  socket.write(textOf('/v2/clock'))
  await until(() => chunks === 10)
  socket.destroy()
  await noticed
  gate.resolve()
  await assertOrdersPass()
  assert.equal(chunks, 11)
})

test('long work of one caller does not delay orders or pages of another', async () => {
  let [chunks, pages] = [0, 0]
  work = async () => {
    for (let n = 0; n < 30; n++) {
      await pauseWork()
      if (n === 0) pages += 1
      const end = performance.now() + 3
      while (performance.now() < end);
      chunks += 1
    }
  }
  const sockets = await Promise.all(Array.from({ length: 20 }, dial))
  for (const socket of sockets) socket.write(textOf('/v2/clock').repeat(10))
  await until(() => chunks > 0)
  const path = '/v2/stocks/bars?symbols=AAPL,MSFT&timeframe=1Min&start=2026-10-28&limit=1000'
  await assertOrdersPass()
  const page = await call(server, `GET ${path}`, { key: server.otherKey })
  assert.equal(page.status, 200)
  // All work together is 6,000 chunks; on a busy machine a few more turns pass before the responses.
  assert.ok(chunks < 600, `${chunks} chunks ran before the responses`)
  assert.ok(pages <= 5 + REQUESTS_MAX, `${pages} pages were begun at a time`)
  for (const socket of sockets) socket.destroy()
})

test('unread responses are bounded: large responses become 503, orders pass, and 200 returns afterwards', async () => {
  const sockets = await Promise.all(Array.from({ length: 12 }, dial))
  for (const socket of sockets) socket.pause().write(textOf('/v2/calendar').repeat(10))
  let refused: Awaited<ReturnType<typeof call>>
  do refused = await call(server, 'GET /v2/calendar', { key: server.otherKey })
  while (refused.status === 200)
  assert.deepEqual(
    [refused.status, refused.body.code, refused.headers.get('retry-after')],
    [503, 50310008, '1'],
  )
  assert.ok(
    server.services.connections.unsent.bytes <= UNSENT_MAX,
    `${server.services.connections.unsent.bytes} bytes`,
  )
  await assertOrdersPass()
  for (const socket of sockets) socket.destroy()
  await until(() => server.services.connections.unsent.bytes === 0)
  assert.equal((await call(server, 'GET /v2/calendar', { key: server.otherKey })).status, 200)
})
