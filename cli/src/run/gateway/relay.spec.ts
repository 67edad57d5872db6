import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { after, before, test } from 'node:test'
import { decode, encode } from '@msgpack/msgpack'
import { WebSocket, WebSocketServer } from 'ws'
import { certificateFiles } from './certificate-files.ts'
import { type OpenGateway, openGateway } from './gateway.ts'
import { GatewayKeys } from './keys.ts'
import { Traffic } from './traffic.ts'

/** A broker that returns every message, reports pings, and refuses /refused. */
const broker = createServer()
const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'second' })
const connections: Duplex[] = []
broker.on('upgrade', (request, socket, head) => {
  connections.push(socket)
  if (request.url === '/refused') {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 21\r\n\r\n{"message":"not you"}')
    return
  }
  sockets.handleUpgrade(request, socket, head, (connection) => {
    connection.send(`host ${request.headers.host}`)
    connection.on('message', (data, binary) => connection.send(data, { binary }))
    connection.on('ping', () => connection.send('ping'))
  })
})

const folder = mkdtempSync(join(tmpdir(), 'quipu-'))
const traffic = new Traffic()
let gateway: OpenGateway
let ca: Buffer

before(async () => {
  await once(broker.listen(0, '127.0.0.1'), 'listening')
  const files = await certificateFiles(join(folder, 'authority'))
  ca = readFileSync(files.authority)
  const account = { keyId: 'PKWORLD', secretKey: 'of-the-world' }
  gateway = await openGateway({
    upstream: { url: `http://127.0.0.1:${(broker.address() as AddressInfo).port}` },
    traffic,
    keys: new GatewayKeys({ account }, async () => false, traffic),
    certificate: files.server,
  })
})
after(async () => {
  await gateway.close()
  broker.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

const NAME = 'stream.data.alpaca.markets'

/** Connects as the preload does: to the listener, under the official name. */
function open(path: string, protocols: string[] = []): WebSocket {
  const options = { ca, servername: NAME, headers: { Host: NAME } }
  return new WebSocket(`wss://127.0.0.1:${gateway.tlsPort}${path}`, protocols, options)
}

async function next(socket: WebSocket): Promise<Buffer> {
  const [data] = (await once(socket, 'message')) as [Buffer]
  return data
}

test('the name of the host, messages, pings and the close code pass', async () => {
  const socket = open('/stream', ['first', 'second'])
  assert.equal(String(await next(socket)), `host ${NAME}`)
  assert.equal(socket.protocol, 'second')
  socket.send('text')
  assert.equal(String(await next(socket)), 'text')
  socket.ping()
  assert.equal(String(await next(socket)), 'ping')
  const [connection] = sockets.clients
  connection?.close(4321, 'enough')
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  assert.deepEqual([code, String(reason)], [4321, 'enough'])
})

test('the key of a login is replaced, in JSON and in MessagePack, before later messages pass', async () => {
  const socket = open('/v2/iex')
  await next(socket)
  const received: Buffer[] = []
  socket.on('message', (data: Buffer) => received.push(data))
  const login = { action: 'auth', key: 'PKOTHER', secret: 'of-the-program' }
  socket.send(JSON.stringify(login))
  socket.send(encode(login))
  socket.send('last')
  while (received.length < 3) await once(socket, 'message')
  const expected = { action: 'auth', key: 'PKWORLD', secret: 'of-the-world' }
  const [json, packed, last] = received
  assert.deepEqual([JSON.parse(String(json)), decode(packed!), String(last)], [expected, expected, 'last'])
  socket.terminate()
})

test('a reset of the stream reaches the program as a reset', async () => {
  const socket = open('/stream')
  const [{ socket: connection }] = (await once(socket, 'upgrade')) as [IncomingMessage]
  const ended = new Promise((resolve) => {
    connection.on('error', ({ message }) => resolve(message)).on('close', () => resolve('closed'))
  })
  await next(socket)
  ;(connections.at(-1) as Socket).resetAndDestroy()
  assert.equal(await ended, 'read ECONNRESET')
})

test('a refused connection has the status of the broker, and is listed as refused', async () => {
  const socket = open('/refused')
  const [, response] = await once(socket, 'unexpected-response')
  assert.equal(response.statusCode, 403)
  response.resume()
  const [refusal] = traffic.refusals
  assert.deepEqual([refusal?.path, refusal?.status], ['/refused', 403])
  socket.on('error', () => {})
  socket.terminate()
})
