import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { brokerAgent, forward, type Gateway } from './forward.ts'
import { isOfficial } from './hosts.ts'
import type { LockStep } from './lock-step/runner.ts'
import { join, type OuterProxy, openTunnel, passOn, targetOf } from './proxy.ts'
import { relay } from './relay.ts'

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
  /** The plain listener on 127.0.0.1: a proxy, and the broker itself under this address. */
  readonly url: string
  /** The address of `alsoAt`. */
  readonly address?: string | undefined
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/** Listens for the program: TLS under the official names, and a proxy. Both send requests to the broker. */
export async function openGateway(settings: GatewayOptions): Promise<OpenGateway> {
  const pem = readFileSync(settings.certificate)
  const connections = new Set<Socket>()
  const options = { ...settings, agent: brokerAgent(settings.upstream) }
  const makeTls = (): Server =>
    tracking(connections, serving(createTlsServer({ cert: pem, key: pem }), options))
  const tls = makeTls()
  const tlsPort = await listen(tls, HOST, 0)
  const tls6 = makeTls()
  // Some programs try only the first address of localhost. Not every machine has IPv6.
  await listen(tls6, '::1', tlsPort).catch(() => {})
  const proxy = tracking(connections, makeProxy(options, tlsPort))
  const proxyPort = await listen(proxy, HOST, 0)
  const servers: NetServer[] = [tls, tls6, proxy]
  const { lockStep } = options
  if (lockStep)
    servers.push(tracking(connections, await servePrograms(serving(createServer(), options), lockStep)))
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
    return { tlsPort, url: `http://${HOST}:${proxyPort}`, address, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listenAtFirst(
  server: Server,
  { addresses, port }: NonNullable<GatewayOptions['alsoAt']>,
): Promise<string> {
  let problem: unknown
  for (const address of addresses) {
    try {
      await listen(server, address, port)
      return address
    } catch (error) {
      problem = error
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') break
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

function serving(server: Server, gateway: Gateway): Server {
  server.on('request', (request, response) => void forward(gateway, request, response))
  server.on('upgrade', (request, socket, head) => void relay(gateway, request, socket, head))
  return server
}

/** Listens for Node processes in lock-step. The first line of their connections is an id, which their reports name. */
async function servePrograms(server: Server, lockStep: LockStep): Promise<NetServer> {
  const listener = createNetServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (bytes: Buffer) => {
      const end = bytes.indexOf('\n')
      lockStep.connected(bytes.toString('latin1', 0, end), socket)
      socket.pause()
      if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1))
      server.emit('connection', socket)
      socket.resume()
    })
  })
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  listener.listen(lockStep.gate)
  await once(listener, 'listening')
  return listener
}

function makeProxy(options: Gateway & GatewayOptions, tlsPort: number): Server {
  const server = createServer()
  server.on('request', (request, response) => {
    const url = /^https?:\/\//i.test(request.url ?? '') ? URL.parse(request.url ?? '') : undefined
    if (!url) void forward(options, request, response)
    else if (isOfficial(url.hostname) || isOurs(url, tlsPort))
      void forward(options, request, response, url.pathname + url.search)
    else void passOn(request, response, options.outer)
  })
  server.on('upgrade', (request, socket, head) => void relay(options, request, socket, head))
  server.on('connect', (request, socket, head) => {
    if (head.length > 0) socket.unshift(head)
    socket.on('error', () => socket.destroy())
    void tunnel(request.url ?? '', socket, options.outer, tlsPort)
  })
  return server
}

/** Whether a URL names the TLS listener itself, as APCA_API_BASE_URL does. */
const isOurs = ({ hostname, port }: URL, tlsPort: number): boolean =>
  Number(port) === tlsPort && ['localhost', HOST, '[::1]'].includes(hostname)

async function tunnel(
  authority: string,
  socket: Duplex,
  outer: OuterProxy | undefined,
  tlsPort: number,
): Promise<void> {
  const target = targetOf(authority)
  if (!target) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  try {
    // An official host always is the gateway, also through a proxy that was set before.
    const far = isOfficial(target.host)
      ? connect({ host: HOST, port: tlsPort })
      : await openTunnel(target, outer)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    join(socket, far)
  } catch (error) {
    const body = `${(error as Error).message}\n`
    socket.end(
      `HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  // A program may keep a connection open between requests for as long as it runs.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  server.listen({ host, port })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
