import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Broker, call, startBroker } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'
import { assertUnharmed, dial, drained, gauge, readUntilClosed, residentMiB, untilClosed } from './send.ts'

const CONNECTIONS_MAX = 600

let broker: Broker
let beforeMiB: number

before(async () => {
  const times = { headers: 800, request: 1_500, 'response-read': 1_000 }
  const limits = Object.entries(times).flatMap(([name, ms]) => [`--${name}-timeout-ms`, String(ms)])
  const connections = ['--keep-alive-ms', '1000', '--connections-max', String(CONNECTIONS_MAX)]
  broker = await startBroker(['--data', 'memory', '--log', 'warn', ...connections, ...limits])
  for (let number = 0; number < 200; number++) await call(broker, 'GET', '/v2/account')
  beforeMiB = await residentMiB(broker)
})
after(() => broker.stop())

const head = (method: string, path: string, ...headers: string[]) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `APCA-API-KEY-ID: ${broker.keyId}`,
    `APCA-API-SECRET-KEY: ${broker.secretKey}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

const many = <Value>(count: number, make: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** Another client is served at the same time. */
async function assertServed(): Promise<void> {
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
}

/** Writes pieces until the server closes the connection. */
async function writeUntilClosed(
  socket: Socket,
  piece: () => Buffer | string,
  pauseMs: number,
): Promise<void> {
  socket.resume()
  while (!socket.closed && socket.writable) {
    if (!socket.write(piece())) await drained(socket)
    await sleep(pauseMs)
  }
  await untilClosed(socket)
}

test('300 clients that send a byte at a time: each is closed at its timeout, and other clients are served', async () => {
  const text = head('GET', '/v2/account')
  const slow = many(300, async () => {
    const socket = await dial(broker.url)
    let at = 0
    await writeUntilClosed(socket, () => text[at++] ?? 'x', 100)
  })
  await sleep(300)
  await assertServed()
  await slow
})

test('100 clients that send a body byte by byte are closed at their timeout', async () => {
  const slow = many(100, async () => {
    const socket = await dial(broker.url)
    socket.write(head('POST', '/v2/orders', 'Content-Length: 100000'))
    await writeUntilClosed(socket, () => ' ', 100)
  })
  await assertServed()
  await slow
})

test('a chunked body without end closes the connection', async () => {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')])
  await many(8, async () => {
    const socket = await dial(broker.url)
    socket.write(head('POST', '/v2/orders', 'Transfer-Encoding: chunked'))
    await writeUntilClosed(socket, () => chunk, 0)
  })
  await assertServed()
})

test('bodies of 1 MB, 2 MB and 40 MB: one response or a closed connection', async () => {
  for (const size of [1_048_577, 2_000_000, 40_000_000]) {
    const socket = await dial(broker.url)
    const received = readUntilClosed(socket)
    socket.write(head('POST', '/v2/orders', `Content-Length: ${size}`))
    socket.write(Buffer.alloc(size, '"'))
    // The budget of the key for large bodies may be used up.
    assert.match(await received, /^(?:HTTP\/1\.1 (?:413 .*"code":41310000|429 .*"code":42910000).*)?$/s)
  }
})

test('headers without end: 431 or a closed connection', async () => {
  for (const header of ['a: b\r\n', `x-${'n'.repeat(3_000)}: v\r\n`, `x: ${'v'.repeat(60_000)}\r\n`]) {
    const socket = await dial(broker.url)
    const received = readUntilClosed(socket)
    socket.write(head('GET', '/v2/account').slice(0, -2))
    await writeUntilClosed(socket, () => header.repeat(50), 0)
    assert.match(await received, /^(?:HTTP\/1\.1 (?:431|400) .*"code":\d+.*)?$/s)
  }
})

test('2,000 requests in one packet are answered, each once, in order', async () => {
  const socket = await dial(broker.url)
  const received = readUntilClosed(socket)
  const requests = Array.from({ length: 2_000 }, (_, index) =>
    head('GET', index % 2 ? '/v2/clock' : '/nowhere'),
  )
  socket.write(requests.join('') + head('GET', '/healthz', 'Connection: close'))
  const statuses = (await received).match(/HTTP\/1\.1 \d+/g) ?? []
  assert.equal(statuses.length, 2_001)
  assert(statuses.slice(0, -1).every((status, index) => status.endsWith(index % 2 ? '200' : '404')))
})

test('a client that sends many requests and reads no response is closed', async () => {
  const requests = 40
  const length = Buffer.byteLength(await (await fetch(`${broker.url}/openapi.json`)).text())
  const sockets = await many(20, async () => {
    const socket = await dial(broker.url)
    socket.pause()
    for (let number = 0; number < requests; number++) socket.write(head('GET', '/openapi.json'))
    return socket
  })
  await assertServed()
  await waitUntil(
    'the connections are closed',
    async () => (await gauge(broker, 'quipu_open_connections')) < 10,
  )
  // A machine may be too busy to see them open: that the server closed them shows in what is missing.
  for (const socket of sockets) socket.resume()
  for (const received of await Promise.all(sockets.map(readUntilClosed)))
    assert(received.length < (requests * length) / 2, `${received.length} bytes`)
})

test('half-open connections that send nothing more are closed', async () => {
  const sockets = await many(100, async (index) => {
    const socket = await dial(broker.url)
    if (index % 2) socket.write(head('POST', '/v2/orders', 'Content-Length: 10'))
    if (index % 3 === 0) socket.end()
    return socket.resume()
  })
  await Promise.all(sockets.map(untilClosed))
})

test(`more than ${CONNECTIONS_MAX} connections: the rest are refused, and new ones are accepted afterwards`, async () => {
  const sockets = await many(CONNECTIONS_MAX + 300, () => dial(broker.url))
  await waitUntil('300 connections are refused', () => sockets.filter(({ closed }) => closed).length >= 300)
  for (const socket of sockets) socket.destroy()
  await waitUntil('a new connection is served', async () => {
    return call(broker, 'GET', '/v2/account').then(
      ({ status }) => status === 200,
      () => false,
    )
  })
})

test(`noise: HTTP/0.9, TLS, HTTP/2, and 300 times random bytes (SEED=${seed})`, async () => {
  const random = new Random(seed, 'noise')
  const greetings: readonly (string | Buffer)[] = [
    'GET /\r\n',
    'GET / HTTP/0.9\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('16030100c8010000c40303', 'hex'),
    Buffer.from('80670103010057', 'hex'),
    'SSH-2.0-OpenSSH_9.0\r\n',
    '*1\r\n$4\r\nPING\r\n',
    '\r\n\r\n\r\n',
    '\0'.repeat(100),
    ...Array.from({ length: 300 }, () => random.bytes(random.integer(1, 2_000))),
  ]
  for (let from = 0; from < greetings.length; from += 50)
    await Promise.all(
      greetings.slice(from, from + 50).map(async (greeting) => {
        const socket = await dial(broker.url)
        const received = readUntilClosed(socket)
        socket.end(greeting)
        assert.doesNotMatch(await received, /HTTP\/1\.1 5/)
      }),
    )
  await assertServed()
})

test('after all tests, no connection is open, and memory grew by less than 150 MiB', () =>
  assertUnharmed(broker, beforeMiB, 150))
