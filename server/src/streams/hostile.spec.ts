import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Client, dataClient, type Stage, stageFor, updatesClient } from './testing/sockets.ts'

const handshake = (path: string, headers: readonly string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    ...headers,
    '',
    '',
  ].join('\r\n')
const VALID = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

/** A connection without a WebSocket library, to send raw bytes. */
async function rawSocket(stage: Stage, path: string, headers = VALID): Promise<Socket> {
  const socket = connect(Number(new URL(stage.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(handshake(path, headers))
  await once(socket, 'readable')
  return socket
}

async function responseTo(
  stage: Stage,
  path: string,
  headers = VALID,
): Promise<{ head: string; body: unknown }> {
  const socket = await rawSocket(stage, path, headers)
  let text = ''
  for await (const chunk of socket) text += chunk
  const [head, body] = text.split('\r\n\r\n')
  return { head: head!, body: JSON.parse(body!) }
}

const paths: readonly (readonly [path: string, served: boolean])[] = [
  ['/stream', true],
  ['/stream/', true],
  ['/stream?x=1', true],
  ['/v2/iex', true],
  ['/v2/sip', true],
  ['/v2/delayed_sip', true],
  ['/v2/test', true],
  ['/v1beta1/boats', true],
  ['/v1beta1/overnight', true],
  ['/', false],
  ['/v2', false],
  ['/v2/iex/AAPL', false],
  ['/v1beta1/news', true],
  ['/v1beta3/crypto/us', true],
  ['/v1beta3/crypto/moon', false],
  ['/v1beta3/crypto/{loc}', false],
  ['//stream', false],
  ['///stream', false],
  ['//v2/iex', false],
  ['/v2/account', false],
]

for (const [path, served] of paths)
  test(`${path} is ${served ? 'a stream' : 'not a stream: 404'}`, async (t) => {
    const stage = await stageFor(t)
    if (served) {
      const socket = await rawSocket(stage, path)
      assert.match(String(socket.read()), /^HTTP\/1.1 101 /)
      socket.destroy()
      return
    }
    const { head, body } = await responseTo(stage, path)
    assert.match(head, /^HTTP\/1.1 404 .*X-Request-ID: /s)
    assert.deepEqual(body, { code: 40410000, message: 'endpoint not found', reason: 'endpointNotFound' })
  })

test('a malformed handshake gets a JSON error', async (t) => {
  const stage = await stageFor(t)
  for (const headers of [[], ['Sec-WebSocket-Version: 13'], ['Sec-WebSocket-Version: 7', VALID[1]!]]) {
    const { head, body } = await responseTo(stage, '/stream', headers)
    assert.match(head, /^HTTP\/1.1 400 /)
    assert.equal((body as { code: number }).code, 40010000)
  }
})

for (const limit of ['connectionsMax', 'unauthenticatedMax', 'unauthenticatedPerAddressMax'] as const)
  test(`above ${limit} a client gets 503, and is accepted when a slot is free`, async (t) => {
    const stage = await stageFor(t, { [limit]: 2 })
    const clients = [await Client.open(`${stage.wsUrl}/stream`), await Client.open(`${stage.wsUrl}/v2/iex`)]
    const { head } = await responseTo(stage, '/stream')
    assert.match(head, /^HTTP\/1.1 503 .*Retry-After: /s)
    await clients[0]!.leave()
    while (stage.streams.stats().unauthenticated === 2) await sleep(1)
    await updatesClient(stage)
    if (limit === 'connectionsMax') assert.match((await responseTo(stage, '/stream')).head, / 503 /)
    else await Client.open(`${stage.wsUrl}/stream`)
  })

test('permessage-deflate is never negotiated', async (t) => {
  const stage = await stageFor(t)
  const offer = 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits'
  const socket = await rawSocket(stage, '/v2/iex', [...VALID, offer])
  assert.ok(!String(socket.read()).includes('Sec-WebSocket-Extensions'))
  socket.destroy()
})

test('a fragmented message is one message', async (t) => {
  const stage = await stageFor(t)
  const client = await dataClient(stage, '/v2/iex')
  const text = JSON.stringify({ action: 'subscribe', bars: ['AAPL'] })
  client.ws.send(text.slice(0, 10), { fin: false })
  client.ws.send(text.slice(10), { fin: false })
  client.ws.send('', { fin: true })
  assert.deepEqual((await client.next())[0].bars, ['AAPL'])
})

test('a message above the size limit closes only its connection', async (t) => {
  const stage = await stageFor(t, { frameMaxBytes: 10_000 })
  const other = await dataClient(stage, '/v2/iex')
  for (const path of ['/v2/iex', '/stream']) {
    const client = await Client.open(stage.wsUrl + path)
    client.ws.send(Buffer.alloc(10_001))
    assert.equal((await client.closed).code, 1009)
  }
  const fragmented = await Client.open(`${stage.wsUrl}/stream`)
  for (let piece = 0; piece < 30; piece++) fragmented.ws.send(Buffer.alloc(1_000), { fin: false })
  assert.equal((await fragmented.closed).code, 1009)
  assert.equal((await other.request({ action: 'subscribe' }))[0].T, 'subscription')
})

test('random bytes instead of frames close only their connection', async (t) => {
  const stage = await stageFor(t, { closeTimeoutMs: 50 })
  const other = await dataClient(stage, '/v2/iex')
  const paths = ['/stream', '/v2/iex', '/v2/sip']
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.uint8Array({ minLength: 1, maxLength: 500 }),
      async (path, bytes) => {
        const socket = await rawSocket(stage, path)
        socket.write(bytes)
        socket.end()
        socket.resume()
        await once(socket, 'close')
      },
    ),
    { numRuns: 60 },
  )
  assert.equal((await other.request({ action: 'subscribe' }))[0].T, 'subscription')
  assert.deepEqual(
    stage.lines.filter((line) => line.includes('error')),
    [],
  )
})

test('random messages are refused or accepted, without other errors', async (t) => {
  const stage = await stageFor(t, { authAttemptsMax: 1_000 })
  const data = await dataClient(stage, '/v2/iex')
  const packed = await dataClient(stage, '/v2/iex', stage.key, { codec: 'messagePack' })
  const message = fc.record(
    {
      action: fc.constantFrom('auth', 'subscribe', 'unsubscribe', 'listen', 'authenticate', '__proto__', 7),
      bars: fc.anything(),
      key: fc.anything(),
      data: fc.anything(),
      constructor: fc.anything(),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(message, async (request) => {
      const json = JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      for (const client of [data, packed]) {
        client.ws.send(json)
        const [response] = await client.next()
        assert.ok(
          response.T === 'subscription' || [400, 403, 410].includes(response.code),
          JSON.stringify(response),
        )
      }
      const client = await Client.open(`${stage.wsUrl}/stream`)
      assert.ok(['error', 'authorization'].includes((await client.request(JSON.parse(json))).stream))
      client.ws.terminate()
    }),
    { numRuns: 60 },
  )
})

test('pongs to a client that does not read stay within the buffer limit', async (t) => {
  const stage = await stageFor(t, { socketBufferMaxBytes: 50_000, closeTimeoutMs: 50 })
  const socket = await rawSocket(stage, '/stream')
  socket.pause()
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125]), randomBytes(4 + 125)])
  const pings = Buffer.concat(Array.from({ length: 2_000 }, () => ping))
  while (!socket.destroyed && stage.streams.stats().slowClients === 0) {
    socket.write(pings)
    await sleep(1)
    assert.ok(stage.streams.stats().bufferedBytes <= 50_200)
  }
  socket.destroy()
})

test('a broken connection is removed, and one that does not close is terminated', async (t) => {
  const stage = await stageFor(t, { closeTimeoutMs: 40, streamAuthTimeoutMs: 1_000 })
  const broken = await dataClient(stage, '/v2/iex')
  await broken.request({ action: 'subscribe', bars: ['*'], trades: ['*'] })
  broken.ws.terminate()
  const mute = await rawSocket(stage, '/v2/iex')
  const terminated = once(mute.resume(), 'close')
  while (Object.keys(stage.streams.stats().open).length > 0) await sleep(5)
  await terminated
  assert.equal(stage.streams.stats().unauthenticated, 0)
})
