import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import { type Broker, call, startBroker } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'
import { brokenFrame, wrongFrame } from './frames.ts'
import { assertUnharmed, dial, drained, gauge, residentMiB, untilClosed } from './send.ts'

const PATHS = ['/stream', '/v2/iex', '/v2/sip', '/v2/test'] as const
const FRAME_MAX = 64 * 1024
const BUFFER_MAX = 256 * 1024

let broker: Broker
let beforeMiB: number

before(async () => {
  const limits = [
    '--stream-auth-timeout-ms',
    '1500',
    '--auth-failure-delay-ms',
    '0',
    '--close-timeout-ms',
    '300',
  ]
  const buffers = ['--socket-buffer-max-bytes', String(BUFFER_MAX), '--auth-attempts-max', '1000']
  broker = await startBroker([
    '--data',
    'memory',
    '--log',
    'warn',
    '--keep-alive-ms',
    '1000',
    ...limits,
    ...buffers,
  ])
  for (let number = 0; number < 100; number++) await call(broker, 'GET', '/v2/account')
  beforeMiB = await residentMiB(broker)
})
after(() => broker.stop())

/** Opens a stream and authenticates if requested. */
async function open(path: string, { isAuthenticated = false, isPacked = false } = {}): Promise<WebSocket> {
  const headers: Record<string, string> = isPacked ? { 'Content-Type': 'application/msgpack' } : {}
  const socket = new WebSocket(broker.url.replace('http', 'ws') + path, { headers })
  socket.on('error', () => undefined)
  await once(socket, 'open')
  if (!isAuthenticated) return socket
  const auth = { action: 'auth', key: broker.keyId, secret: broker.secretKey }
  const authenticated = new Promise<void>((resolve) => {
    socket.on('message', (data) => /authoriz|authenticated/.test(String(data)) && resolve())
  })
  socket.send(isPacked ? encode(auth) : JSON.stringify(auth))
  await authenticated
  socket.removeAllListeners('message')
  return socket
}

/** Waits until all sent frames are processed or the connection is closed. */
async function untilProcessed(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return
  const processed = Promise.race([once(socket, 'pong'), once(socket, 'close')])
  socket.ping()
  await processed
}

/** A stream that was opened before the wrong frames still works. */
async function assertServed(witness: WebSocket): Promise<void> {
  const message = once(witness, 'message')
  witness.send(JSON.stringify({ action: 'subscribe', bars: ['AAPL'] }))
  assert.match(String((await message)[0]), /"T":"subscription"/)
}

for (const path of PATHS)
  test(`${path}: 600 wrong frames, authenticated or not, JSON and MessagePack (SEED=${seed})`, async () => {
    const random = new Random(seed, path)
    const witness = await open('/v2/iex', { isAuthenticated: true })
    for (const isAuthenticated of [true, false])
      for (const isPacked of [true, false]) {
        let socket = await open(path, { isAuthenticated, isPacked })
        for (let number = 0; number < 150; number++) {
          if (socket.readyState !== WebSocket.OPEN) socket = await open(path, { isAuthenticated, isPacked })
          // A broken frame usually closes the connection, so no other frame may be in flight.
          const isBroken = number % 10 === 9
          const { bytes, isBinary } = (isBroken ? brokenFrame : wrongFrame)(random, { path, isPacked })
          socket.send(bytes, { binary: isBinary })
          if (isBroken) await untilProcessed(socket)
        }
        await untilProcessed(socket)
        socket.terminate()
      }
    await assertServed(witness)
    witness.terminate()
  })

const handshake = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

test(`400 handshakes followed by random bytes end in a closed connection (SEED=${seed})`, async () => {
  const random = new Random(seed, 'noise')
  for (let round = 0; round < 8; round++)
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = await dial(broker.url)
        socket.resume()
        socket.write(handshake(random.pick(PATHS)))
        socket.end(random.bytes(random.integer(1, 1_500)))
        await untilClosed(socket)
      }),
    )
})

/** The header of a masked frame; the mask is zero, so the payload is unchanged. */
function frameHead(opcode: number, length: bigint, isFinal = true): Buffer {
  const head = Buffer.alloc(14)
  head[0] = (isFinal ? 0x80 : 0) | opcode
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(length, 2)
  return head
}

const invalidFrames: readonly (readonly [string, Buffer])[] = [
  ['a frame a byte over the limit', frameHead(1, BigInt(FRAME_MAX + 1))],
  ['a frame of 4 GiB', frameHead(2, 1n << 32n)],
  ['a frame of 2^63 bytes', frameHead(2, (1n << 63n) - 1n)],
  ['an unknown opcode', frameHead(3, 1n)],
  ['a continuation of no message', frameHead(0, 1n)],
  ['a fragmented ping', frameHead(9, 1n, false)],
  ['a ping of 60,000 bytes', frameHead(9, 60_000n)],
  ['a frame without a mask', Buffer.from([0x81, 0x01, 0x61])],
  ['reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
]

for (const [name, bytes] of invalidFrames)
  test(`${name} closes its connection, on both streams`, async () => {
    for (const path of ['/stream', '/v2/iex']) {
      const socket = await dial(broker.url)
      socket.resume()
      socket.write(handshake(path))
      socket.write(bytes)
      await untilClosed(socket)
    }
  })

test('a fragmented message without end closes the connection', async () => {
  const piece = Buffer.concat([frameHead(0, 100n, false), Buffer.alloc(100, 'a')])
  for (const path of ['/stream', '/v2/iex']) {
    const socket = await dial(broker.url)
    socket.resume()
    socket.write(handshake(path))
    socket.write(Buffer.concat([frameHead(1, 1n, false), Buffer.from('{')]))
    while (!socket.closed && socket.writable) if (!socket.write(piece)) await drained(socket)
    await untilClosed(socket)
  }
})

test('150 sockets that never authenticate are closed at the timeout', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 150 }, (_, index) => open(PATHS[index % PATHS.length]!)),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'close')))
})

// The short run has the same test with one client in server/src/streams/socket.spec.ts.
const isShort = process.env['FUZZ_INPUTS'] === undefined

test('clients that listen but read nothing are closed', { skip: isShort }, async (t) => {
  const slow = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = await open('/stream', { isAuthenticated: true })
      socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
      await untilProcessed(socket)
      socket.pause()
      return socket
    }),
  )
  const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'day' }
  const streams = () => gauge(broker, 'quipu_streams')
  let batches = 0
  for (; (await streams()) > 0 && batches < BATCHES_MAX; batches++)
    await Promise.all(Array.from({ length: 8 }, (_, index) => placeAndCancel(order, index)))
  assert.equal(await streams(), 0, `after ${batches} batches of orders`)
  t.diagnostic(`${batches} batches`)
  for (const socket of slow) socket.terminate()
})

const BATCHES_MAX = 600

/** Uses long client order ids, so that messages are long. */
async function placeAndCancel(order: object, index: number): Promise<void> {
  const name = `${'n'.repeat(90)}-${performance.now()}-${index}`
  const { body } = await call(broker, 'POST', '/v2/orders', { ...order, client_order_id: name })
  await call(broker, 'DELETE', `/v2/orders/${body.id}`)
}

test('after all tests, no connection is open, and memory grew by less than 200 MiB', async () => {
  await waitUntil('all streams are closed', async () => (await gauge(broker, 'quipu_streams')) === 0)
  await assertUnharmed(broker, beforeMiB, 200)
})
