import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { peerHeaders } from '../../http/forwarding/peer.ts'
import { openStreams } from '../index.ts'
import { encodeMessagePack } from '../msgpack.ts'
import { closeReasons } from '../session.ts'
import { Holder, type Upstream } from '../testing/holder.ts'
import { CLUSTER_SECRET, key, listen, listening, RelayStage, updateOf } from '../testing/relay-stage.ts'
import { Client } from '../testing/sockets.ts'
import { Relay, type StreamRelayParts } from './relay.ts'
import { relayProtocol } from './relay-protocol.ts'

let stage: RelayStage
before(async () => {
  stage = await RelayStage.open()
})
after(() => stage.close())
beforeEach(async () => {
  stage.holder = await Holder.start()
})
afterEach(() => stage.holder.stop())

test('the next holder receives the number of the last update, and the client no response twice', async () => {
  const { client, upstream } = await stage.listener()
  upstream.send(updateOf('01JBQ5V7WD000000000000001A'))
  await client.next()
  upstream.socket.terminate()
  const next = await stage.resumed()
  assert.deepEqual(stage.holder.forwarded.at(-1).stream, { after: 42 })
  assert.deepEqual(await next.next(), listen)
  next.send(listening)
  const update = updateOf('01JBQ5V7WD000000000000001B')
  next.send(update)
  assert.deepEqual(await client.next(), update)
  await client.leave()
})

test('before the first update, the position of the holder counts', async () => {
  const { client, upstream } = await stage.listener()
  upstream.send({ stream: 'position', data: { event_id: '00000000000000000000000010' } })
  upstream.socket.close(1001, 'the server is stopping')
  await stage.resumed()
  assert.deepEqual(stage.holder.forwarded.at(-1).stream, { after: 32 })
  assert.deepEqual(await client.rest(), [])
  await client.leave()
})

for (const reason of ['released', 'unavailable'] as const)
  test(`the next holder receives requests that one that is ${reason} has not answered`, async () => {
    const { client, upstream } = await stage.listener()
    const unlisten = { action: 'unlisten', data: { streams: ['trade_updates'] } }
    client.send(unlisten)
    await upstream.next()
    const [code, text] = closeReasons[reason]
    upstream.socket.close(code, text)
    const next = await stage.resumed()
    assert.deepEqual(await next.next(), listen)
    next.send(listening)
    assert.deepEqual(await next.next(), unlisten)
    const response = { stream: 'listening', data: { streams: [] } }
    next.send(response)
    assert.deepEqual(await client.next(), response)
    await client.leave()
  })

test('a client whose world was unknown at first continues at the holder of its world', async (t) => {
  const { client, upstream } = await stage.listener()
  t.after(() => {
    stage.world = 'main'
  })
  stage.world = 'friday'
  upstream.socket.terminate()
  await stage.resumed()
  assert.deepEqual(
    stage.holder.forwarded.map((one) => one.world),
    ['main', 'friday'],
  )
  await client.leave()
})

test('a client leaves a node that does not answer, when another node holds the world', async () => {
  const { client, upstream } = await stage.listener()
  upstream.socket.terminate()
  const silent = stage.holder
  await silent.next()
  stage.holder = await Holder.start()
  const next = await stage.resumed()
  assert.deepEqual(await next.next(), listen)
  next.send(listening)
  next.send(updateOf('01JBQ5V7WD000000000000001B'))
  await client.next()
  await client.leave()
  silent.stop()
})

test('a client leaves a holder that sends nothing, not even pings', async (t) => {
  const { services, streams: usual } = stage
  stage.streams = openStreams({ ...services, limits: { ...services.limits, pingIntervalMs: 100 } })
  t.after(() => stage.streams.close().then(() => (stage.streams = usual)))
  const { client } = await stage.listener()
  await stage.resumed()
  await client.leave()
})

test('a client that the next holder refuses is closed, so that it reconnects', async () => {
  const { client, upstream } = await stage.listener()
  upstream.socket.terminate()
  const next = await stage.holder.next()
  next.send({ stream: 'authorization', data: { status: 'unauthorized', action: 'authenticate' } })
  const reason = 'the next node of the world did not accept the credential'
  assert.deepEqual(await client.closed, { code: 1012, reason })
})

/** Until the end of the test no node holds the world. */
function loseHolder(t: TestContext, { socket }: Upstream): void {
  t.after(() => {
    stage.isHeld = true
  })
  stage.isHeld = false
  socket.terminate()
}

test('a client whose world has no node for long is closed, so that it connects again later', async () => {
  const closed = Promise.withResolvers<unknown>()
  new Relay({
    socket: { connection: { closeWith: (...how: unknown[]) => closed.resolve(how) } },
    cluster: { locations: { holderOf: () => undefined }, view: { refresh: async () => undefined } },
    world: () => 'main',
    protocol: relayProtocol('/stream'),
    holderMs: 1,
  } as unknown as StreamRelayParts)
  assert.deepEqual(await closed.promise, [1013, 'no node holds the world'])
})

test('a client that sends too much while its world has no node is closed', async (t) => {
  const { client, upstream } = await stage.listener()
  loseHolder(t, upstream)
  const { frameMaxBytes, socketBufferMaxBytes } = stage.services.limits
  const message = { ...listen, padding: '.'.repeat(frameMaxBytes - 200) }
  const count = Math.ceil(socketBufferMaxBytes / frameMaxBytes) + 2
  for (let left = count; left > 0; left--) client.send(message)
  const reason = 'too many messages wait for the node of the world'
  assert.deepEqual(await client.closed, { code: 1013, reason })
})

for (const [title, secret, status] of [
  ['with a wrong secret of the cluster', 'wrong', 403],
  ['for a world that this node does not hold', CLUSTER_SECRET, 503],
] as const)
  test(`a handshake of another node ${title} is refused`, async () => {
    const peer = { world: 'main', address: '10.0.0.1', scheme: 'http' } as const
    const flat = peerHeaders(secret, peer)
    const headers = { [flat[0]!]: flat[1]!, [flat[2]!]: flat[3]! }
    const [error] = await once(new WebSocket(`${stage.wsUrl}/stream`, { headers }), 'error')
    assert.equal(error.message, `Unexpected server response: ${status}`)
  })

for (const [code, reason] of [
  [1008, 'credential revoked'],
  [1012, 'the world is being reset'],
  [4000, 'a fault'],
] as const)
  test(`the client receives the close code of its holder: ${code} ${reason}`, async () => {
    const { client, upstream } = await stage.listener()
    upstream.socket.close(code, reason)
    assert.deepEqual(await client.closed, { code, reason })
  })

test('a connection that the holder ends before authentication ends without a close frame', async () => {
  const client = await Client.open(`${stage.wsUrl}/stream`)
  client.send(key)
  const upstream = await stage.holder.next()
  upstream.send({ stream: 'authorization', data: { status: 'unauthorized', action: 'authenticate' } })
  await client.next()
  upstream.socket.terminate()
  assert.equal((await client.closed).code, 1006)
})

test('a client that does not read is closed as slow, and its connection to the holder ends', async () => {
  const { client, upstream } = await stage.listener()
  const [{ slowClients }, closed] = [stage.streams.stats(), once(upstream.socket, 'close')]
  client.ws.pause()
  // More than the buffers of the sockets and of the node hold.
  const megabyte = Buffer.alloc(1 << 20, '.')
  for (let left = 32; left > 0; left--) upstream.socket.send(megabyte)
  await closed
  assert.equal(stage.streams.stats().slowClients, slowClients + 1)
  client.ws.terminate()
})

test('a ping that asks whether the client is done reaches the client', async () => {
  const { client, upstream } = await stage.listener()
  const asked = once(client.ws, 'ping')
  upstream.socket.ping('7')
  const [response] = await once(upstream.socket, 'pong')
  assert.deepEqual([String((await asked)[0]), String(response)], ['7', '7'])
  await client.leave()
})

test('market data is subscribed again, in the codec of the client, with one welcome', async () => {
  const options = { codec: 'messagePack' } as const
  const client = await Client.open(`${stage.wsUrl}/v2/iex`, options)
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'connected' }])
  client.send(key)
  const pack = ({ socket }: Upstream, message: object) => socket.send(encodeMessagePack(message))
  const authenticated = [{ T: 'success', msg: 'authenticated' }]
  const upstream = await stage.holder.next()
  pack(upstream, [{ T: 'success', msg: 'connected' }])
  pack(upstream, authenticated)
  assert.deepEqual(await client.next(), authenticated)
  const subscription = [{ T: 'subscription', trades: ['AAPL'], quotes: [] }]
  pack(upstream, subscription)
  assert.deepEqual(await client.next(), subscription)
  upstream.socket.terminate()
  const next = await stage.holder.next()
  pack(next, [{ T: 'success', msg: 'connected' }])
  assert.deepEqual(await next.next(), key)
  pack(next, authenticated)
  assert.deepEqual(await next.next(), { action: 'subscribe', trades: ['AAPL'] })
  pack(next, subscription)
  pack(next, [{ T: 't', S: 'AAPL' }])
  assert.deepEqual(await client.next(), [{ T: 't', S: 'AAPL' }])
  await client.leave()
})

test('a node that loses the world after the handshake of a relay refuses no credential', async () => {
  const { keyId, secretKey } = stage.server.key
  const forwarded = { world: 'main', address: '127.0.0.1', scheme: 'http', stream: {} } as const
  const flat = peerHeaders(CLUSTER_SECRET, forwarded)
  const headers = { [flat[0]!]: flat[1]!, [flat[2]!]: flat[3]! }
  stage.isHere = true
  const client = await Client.open(`${stage.wsUrl}/stream`, { headers })
  stage.isHere = false
  client.send({ action: 'auth', key: keyId, secret: secretKey })
  const [code, reason] = closeReasons.released
  assert.deepEqual(await Promise.race([client.closed, client.next()]), { code, reason })
})
