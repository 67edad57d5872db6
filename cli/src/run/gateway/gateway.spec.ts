import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { type Environment, outerProxy } from '../environment.ts'
import { certificateFiles } from './certificate-files.ts'
import { type OpenGateway, openGateway } from './gateway.ts'
import { isExcepted } from './proxy.ts'
import { Traffic } from './traffic.ts'

/** Answers with what it received, except to `/lost`, `/half`, `/reset` and `/half-reset`. */
const echo = (name: string): Server =>
  createServer((incoming, response) => {
    const { method, url, headers } = incoming
    if (url === '/lost') return incoming.socket.destroy()
    if (url === '/reset') return incoming.socket.resetAndDestroy()
    if (url?.startsWith('/half')) {
      response.writeHead(200, { 'content-length': '100' })
      const end = url === '/half' ? 'destroy' : 'resetAndDestroy'
      return response.write('half', () => setTimeout(() => incoming.socket[end](), 20))
    }
    return response.end(JSON.stringify({ name, method, url, host: headers.host }))
  })

const folder = mkdtempSync(join(tmpdir(), 'quipu-'))
const [broker, other] = [echo('broker'), echo('other')]
const traffic = new Traffic()
/** The names that the outer proxy was asked to connect to. */
const asked: string[] = []
const outer = createServer().on('connect', ({ url = '', headers }: IncomingMessage, socket) => {
  asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`)
  const far = connect(portOf(other), '127.0.0.1')
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  far.pipe(socket).pipe(far)
})
let gateway: OpenGateway

const portOf = (server: Server): number => (server.address() as AddressInfo).port

before(async () => {
  for (const server of [broker, other, outer]) await once(server.listen(0, '127.0.0.1'), 'listening')
  const { server: certificate } = await certificateFiles(join(folder, 'authority'))
  const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${portOf(outer)}`, NO_PROXY: 'localhost' }
  gateway = await openGateway({
    upstream: { url: `http://127.0.0.1:${portOf(broker)}` },
    traffic,
    certificate,
    outer: outerProxy(env) as Exclude<ReturnType<typeof outerProxy>, 'unusable'>,
  })
})
after(async () => {
  await gateway.close()
  for (const server of [broker, other, outer]) server.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

type Received = {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly host: string
}

const proxy = () => {
  const { hostname, port } = new URL(gateway.proxyUrl)
  return { hostname, port }
}

const credentials = () => {
  const { username, password } = new URL(gateway.proxyUrl)
  return { 'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Sends a request in absolute form to the proxy, as axios does. */
async function absolute(url: string): Promise<Received> {
  const { host } = new URL(url)
  const outgoing = request({
    ...proxy(),
    method: 'GET',
    path: url,
    headers: { host, ...credentials() },
  }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return JSON.parse(Buffer.concat(await response.toArray()).toString())
}

/** Sends a request through a tunnel that CONNECT opens. */
async function tunneled(authority: string): Promise<Received> {
  const outgoing = request({ ...proxy(), method: 'CONNECT', path: authority, headers: credentials() }).end()
  const [, socket] = await once(outgoing, 'connect')
  const inner = request({ createConnection: () => socket, path: '/x', headers: { host: authority } }).end()
  const [response] = (await once(inner, 'response')) as [IncomingMessage]
  return JSON.parse(Buffer.concat(await response.toArray()).toString())
}

test('an absolute-form request to an official host goes to the broker, with its Host header', async () => {
  const before = traffic.requests
  assert.deepEqual(await absolute('https://api.alpaca.markets/v2/orders?status=all'), {
    name: 'broker',
    method: 'GET',
    url: '/v2/orders?status=all',
    host: 'api.alpaca.markets',
  })
  assert.equal(traffic.requests, before + 1)
})

test('other hosts are passed on through the proxy that was set before, and are not counted', async () => {
  const before = traffic.requests
  asked.length = 0
  assert.equal((await absolute('http://example.com/x')).name, 'other')
  assert.equal((await tunneled('example.com:80')).name, 'other')
  const password = Buffer.from('me:p@ss').toString('base64')
  assert.deepEqual(asked, [`example.com:80 Basic ${password}`, `example.com:80 Basic ${password}`])
  assert.equal(traffic.requests, before)
})

test('a host of NO_PROXY is reached without the other proxy', async () => {
  asked.length = 0
  const authority = `localhost:${portOf(other)}`
  assert.equal((await tunneled(authority)).host, authority)
  assert.deepEqual(asked, [])
})

for (const [host, list, expected] of [
  ['api.example.com', '.example.com', true],
  ['example.com', 'example.com', true],
  ['badexample.com', 'example.com', false],
  ['example.com', '*', true],
  ['example.com', 'example.com:443', true],
  ['example.com', '', false],
] as const)
  test(`NO_PROXY=${list} ${expected ? 'excepts' : 'does not except'} ${host}`, () =>
    assert.equal(isExcepted(host, list.split(',')), expected))

test('a proxy of another protocol is not usable, and no proxy is none', () => {
  const read = (env: Environment) => outerProxy(env)
  assert.equal(read({ ALL_PROXY: 'socks5://127.0.0.1:1080' }), 'unusable')
  assert.equal(read({}), undefined)
})

/** The error of a request over TLS through a tunnel, or directly to the TLS listener. */
async function failureOf(path: string, isTunneled: boolean): Promise<string> {
  const name = 'api.alpaca.markets'
  let socket: Socket = connect(gateway.tlsPort, '127.0.0.1')
  if (isTunneled) {
    const to = { ...proxy(), method: 'CONNECT', path: `${name}:443`, headers: credentials() }
    const outgoing = request(to).end()
    ;[, socket] = (await once(outgoing, 'connect')) as [unknown, Socket]
  }
  const secure = connectTls({ socket, servername: name, rejectUnauthorized: false })
  const inner = request({ createConnection: () => secure, path, headers: { host: name } }).end()
  return new Promise((resolve) => {
    inner.on('error', ({ message }) => resolve(message))
    inner.on('response', (response) => response.resume().on('error', ({ message }) => resolve(message)))
  })
}

test('a reset reaches the program as a reset, and a close as a close', async () => {
  for (const isTunneled of [true, false]) {
    assert.equal(await failureOf('/reset', isTunneled), 'read ECONNRESET')
    assert.match(await failureOf('/half-reset', isTunneled), /read ECONNRESET|aborted/)
    assert.equal(await failureOf('/lost', isTunneled), 'socket hang up')
  }
  await assert.rejects(absolute('https://api.alpaca.markets/reset'), /read ECONNRESET/)
})

test('a connection that the broker loses is lost for the program too', async () => {
  await assert.rejects(absolute('https://api.alpaca.markets/lost'), /socket hang up/)
  await assert.rejects(absolute('https://api.alpaca.markets/half'), /aborted/)
  assert.equal((await absolute('https://api.alpaca.markets/x')).name, 'broker')
})

/** The status of a request to the proxy. */
async function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const outgoing = request({ ...proxy(), method, path, headers, agent: false }).end()
  const [response] = (await once(outgoing, method === 'CONNECT' ? 'connect' : 'response')) as [
    IncomingMessage,
  ]
  outgoing.destroy()
  return response.statusCode!
}

test('the proxy serves nobody without the secret of the run', async () => {
  const before = traffic.requests
  const wrong = { 'proxy-authorization': `Basic ${Buffer.from('run:wrong').toString('base64')}` }
  for (const headers of [{}, wrong]) {
    assert.equal(await statusOf('CONNECT', 'api.alpaca.markets:443', headers), 407)
    assert.equal(await statusOf('CONNECT', `localhost:${portOf(other)}`, headers), 407)
    assert.equal(await statusOf('GET', 'https://api.alpaca.markets/v2/account', headers), 407)
    assert.equal(await statusOf('GET', `http://localhost:${portOf(other)}/`, headers), 407)
  }
  assert.equal(await statusOf('CONNECT', 'api.alpaca.markets:443', credentials()), 200)
  assert.equal(traffic.requests, before)
})

test('the proxy is no server: a page whose name leads to this machine gets nothing from it', async () => {
  const before = traffic.requests
  for (const host of ['evil.example', 'api.alpaca.markets', 'localhost'])
    assert.equal(await statusOf('GET', '/v2/account', { host, ...credentials() }), 403)
  assert.equal(traffic.requests, before)
})
