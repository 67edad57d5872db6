import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { errorCode, errorMessage } from '@quipu/core/values'
import { makeLoopbackGuard } from '@quipu/server/http/connection/host.ts'
import { brokerAgent, forwardToBroker, type Gateway } from './forward.ts'
import { isOfficial } from './hosts.ts'
import { servePrograms } from './program-gate.ts'
import { ESTABLISHED, joinSockets, type OuterProxy, openTunnel, passOn, proxyTarget } from './proxy.ts'
import { relay } from './relay.ts'
import { RunConnections, SECRET_LINE } from './run-connections.ts'

export type GatewayOptions = Omit<Gateway, 'agent'> & {
  /** A file with the certificate of the listener and its key. */
  readonly certificate: string
  readonly outer?: OuterProxy | undefined
  /** Also listen for TLS on this port, at the first of these addresses that is free. */
  readonly alsoAt?: { readonly addresses: readonly string[]; readonly port: number } | undefined
}

export type OpenGateway = {
  /** The port of the TLS listener on 127.0.0.1. */
  readonly tlsPort: number
  /** The port of the proxy. */
  readonly proxyPort: number
  /** The proxy on 127.0.0.1, with its credentials. */
  readonly proxyUrl: string
  /** What Node and Python programs send to the TLS listener before TLS. */
  readonly secretLine: string
  /** The address of `alsoAt`. */
  readonly address?: string | undefined
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const LINE_MAX_BYTES = 256
const CLOSE = 'Connection: close\r\nContent-Length: 0\r\n\r\n'
const REALM = 'Basic realm="quipu run"'

/** Listens for the program: TLS under the official names, and a proxy. Both send requests to the broker. */
export async function openGateway(settings: GatewayOptions): Promise<OpenGateway> {
  const pem = readFileSync(settings.certificate)
  const connections = new Set<Socket>()
  const run = new RunConnections()
  const options: Listening = { ...settings, agent: brokerAgent(settings.upstream), run }
  const tls = serving(createTlsServer({ cert: pem, key: pem }), options)
  const makeTls = (): NetServer =>
    tracking(
      connections,
      createNetServer((socket) => acceptTls(tls, run, socket)),
    )
  const [tls4, tls6] = [makeTls(), makeTls()]
  const tlsPort = await listen(tls4, HOST, 0)
  // Some programs try only the first address of localhost. Not every machine has IPv6.
  await listen(tls6, '::1', tlsPort).catch(() => {})
  const proxy = tracking(connections, makeProxy(options, tls, tlsPort))
  const proxyPort = await listen(proxy, HOST, 0)
  const servers: NetServer[] = [tls4, tls6, proxy]
  const { lockStep } = options
  const isBroker = (authority: string): boolean => {
    const url = URL.parse(`https://${authority}`)
    return url !== null && (isOfficial(url.hostname) || isOurs(url, tlsPort))
  }
  if (lockStep)
    servers.push(tracking(connections, await servePrograms({ broker: tls, proxy, isBroker, run, lockStep })))
  const close = async (): Promise<void> => {
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
    // A process that the program left behind must not keep the run alive.
    for (const connection of connections) connection.destroy()
    options.agent.destroy()
    await Promise.all(closed)
  }
  try {
    const another = options.alsoAt && makeTls()
    if (another) servers.push(another)
    const address = another && (await listenAtFirst(another, options.alsoAt!))
    const secretLine = `${SECRET_LINE}${run.secret}\n`
    return { tlsPort, proxyPort, proxyUrl: run.proxyUrl(proxyPort), secretLine, address, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Listening = Gateway & Pick<GatewayOptions, 'outer' | 'alsoAt'> & { readonly run: RunConnections }

async function listenAtFirst(
  server: NetServer,
  { addresses, port }: NonNullable<GatewayOptions['alsoAt']>,
): Promise<string> {
  let problem: unknown
  for (const address of addresses) {
    try {
      await listen(server, address, port)
      return address
    } catch (error) {
      problem = error
      if (errorCode(error) !== 'EADDRINUSE') break
    }
  }
  throw problem
}

/** Streams and tunnels leave the list of the server, so we keep our own. */
function tracking<Listener extends NetServer>(connections: Set<Socket>, server: Listener): Listener {
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return server
}

function serving(server: Server, options: Listening): Server {
  // A program may keep a connection open between requests for as long as it runs.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  const isServed = makeLoopbackGuard()
  server.on('request', (request, response) => {
    if (isServed(request.headers.host)) void forwardToBroker(gatewayFor(options, request), request, response)
    else refuseHost(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    if (isServed(request.headers.host)) void relay(gatewayFor(options, request), request, socket, head)
    else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
  })
  return server
}

/** Keys of requests that do not belong to the run stay as they are. */
function gatewayFor({ run, ...gateway }: Listening, { socket }: IncomingMessage): Gateway {
  if (run.has(socket)) return gateway
  gateway.traffic.requestsOfOthers += 1
  return { ...gateway, keys: undefined }
}

/** As the broker does. */
function refuseHost({ headers: { host = '' } }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ code: 40310000, message: `host "${host}" is not served here` }))
}

/** Begins TLS, after the line with the secret of the run if there is one. */
function acceptTls(tls: Server, run: RunConnections, socket: Socket): void {
  let received = Buffer.alloc(0)
  const read = (bytes: Buffer): void => {
    received = Buffer.concat([received, bytes])
    const text = received.toString('latin1', 0, LINE_MAX_BYTES)
    const isLine = text.startsWith(SECRET_LINE.slice(0, text.length))
    const end = text.indexOf('\n')
    if (isLine && end < 0 && text.length < LINE_MAX_BYTES) return
    socket.off('data', read).pause()
    if (isLine && run.isSecret(text.slice(SECRET_LINE.length, end))) run.add(socket)
    socket.unshift(isLine ? received.subarray(end + 1) : received)
    tls.emit('connection', socket)
  }
  socket.on('error', () => socket.destroy()).on('data', read)
}

/** The proxy. Only connections of the run may use it: it could have the password of the proxy behind it. */
function makeProxy(options: Listening, tls: Server, tlsPort: number): Server {
  const { run, outer } = options
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 })
  server.on('request', (request, response) => {
    const url = /^https?:\/\//i.test(request.url ?? '') ? URL.parse(request.url ?? '') : undefined
    if (!url) refuseHost(request, response)
    else if (!run.isAuthorized(request)) response.writeHead(407, { 'proxy-authenticate': REALM }).end()
    else if (isOfficial(url.hostname) || isOurs(url, tlsPort))
      void forwardToBroker(options, request, response, url.pathname + url.search)
    else void passOn(request, response, outer)
  })
  server.on('upgrade', (_, socket) => socket.end(`HTTP/1.1 403 Forbidden\r\n${CLOSE}`))
  server.on('connect', (request, socket: Socket, head) => {
    if (head.length > 0) socket.unshift(head)
    socket.on('error', () => socket.destroy())
    if (run.isAuthorized(request)) void tunnel(request.url ?? '', socket, { tls, ...options })
    else socket.end(`HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${REALM}\r\n${CLOSE}`)
  })
  return server
}

/** Whether a URL names the TLS listener itself, as APCA_API_BASE_URL does. */
const isOurs = ({ hostname, port }: URL, tlsPort: number): boolean =>
  Number(port) === tlsPort && ['localhost', HOST, '[::1]'].includes(hostname)

async function tunnel(
  authority: string,
  socket: Socket,
  { tls, run, outer }: Pick<Listening, 'run' | 'outer'> & { readonly tls: Server },
): Promise<void> {
  const target = proxyTarget(authority)
  if (!target) return void socket.end(`HTTP/1.1 400 Bad Request\r\n${CLOSE}`)
  try {
    // An official host always is the gateway, also through a proxy that was set before.
    const far = isOfficial(target.host) ? undefined : await openTunnel(target, outer)
    socket.write(ESTABLISHED)
    if (far) return joinSockets(socket, far)
    run.add(socket)
    acceptTls(tls, run, socket)
  } catch (error) {
    const body = `${errorMessage(error)}\n`
    socket.end(
      `HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

async function listen(server: NetServer, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
