import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { isReset, resetConnection } from '@quipu/server/http/connection/reset-connection.ts'
import { withoutHops } from './headers.ts'

/** The proxy that the environment of the run names, and the hosts that do not use it. */
export type OuterProxy = {
  readonly url: URL
  /** As in NO_PROXY. */
  readonly except: readonly string[]
}

type Target = { readonly host: string; readonly port: number }

/** The answer to `CONNECT`. */
export const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'

/** The host and port of `CONNECT host:port`. */
export function proxyTarget(authority: string): Target | undefined {
  const url = URL.parse(`http://${authority}`)
  if (!url?.hostname || !/:\d+$/.test(authority)) return undefined
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
}

/** Opens a connection to another host for `CONNECT`, through the outer proxy if there is one. */
export async function openTunnel(target: Target, outer: OuterProxy | undefined): Promise<Socket> {
  if (!outer || isExcepted(target.host, outer.except)) return connected(connectTcp(target))
  const { url } = outer
  const { hostname } = url
  const isTls = url.protocol === 'https:'
  const port = Number(url.port || (isTls ? 443 : 80))
  const name = target.host.includes(':') ? `[${target.host}]` : target.host
  const outgoing = (isTls ? httpsRequest : httpRequest)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: 'CONNECT',
    path: `${name}:${target.port}`,
    headers: { host: `${name}:${target.port}`, ...proxyAuthorization(url) },
    agent: false,
  })
  return new Promise((resolve, reject) => {
    outgoing.on('connect', ({ statusCode }, socket: Socket, head) => {
      if (statusCode !== 200) {
        socket.destroy()
        reject(new Error(`the proxy ${url.host} answered ${statusCode}`))
      } else {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      }
    })
    outgoing.on('response', ({ statusCode }) =>
      reject(new Error(`the proxy ${url.host} answered ${statusCode}`)),
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const connected = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** Joins two connections until one of them ends. A reset is passed on before the pipeline closes both. */
export function joinSockets(one: Duplex, other: Duplex): void {
  one.on('error', (error) => isReset(error) && resetConnection(other))
  other.on('error', (error) => isReset(error) && resetConnection(one))
  pipeline(one, other, one, () => {
    one.destroy()
    other.destroy()
  })
}

/** Answers a request in absolute form to another host, as axios sends them: the proxy makes the request itself. */
export async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  outer: OuterProxy | undefined,
): Promise<void> {
  const url = new URL(request.url ?? '')
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  try {
    const tunnel = await openTunnel({ host, port: Number(url.port || (isTls ? 443 : 80)) }, outer)
    const outgoing = httpRequest({
      createConnection: () => (isTls ? connectTls({ socket: tunnel, servername: host }) : tunnel),
      method: request.method,
      path: url.pathname + url.search,
      headers: withoutHops(request.rawHeaders),
    })
    outgoing.on('response', (received) => {
      response.sendDate = false
      response.writeHead(received.statusCode ?? 502, received.statusMessage, withoutHops(received.rawHeaders))
      pipeline(received, response, () => {})
    })
    outgoing.on('error', (error) => badGateway(response, error))
    response.on('close', () => outgoing.destroy())
    request.pipe(outgoing)
  } catch (error) {
    badGateway(response, error as Error)
  }
}

function badGateway(response: ServerResponse, error: Error): void {
  if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' })
  response.end(`${error.message}\n`)
}

/** Whether NO_PROXY lists a host: `*`, a name, or the end of names. */
export function isExcepted(host: string, except: readonly string[]): boolean {
  const name = host.toLowerCase()
  return except.some((entry) => {
    const end = entry
      .toLowerCase()
      .replace(/^\*?\./, '')
      .replace(/:\d+$/, '')
    return entry === '*' || (end !== '' && (name === end || name.endsWith(`.${end}`)))
  })
}
