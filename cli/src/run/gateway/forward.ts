import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  ServerResponse,
} from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { pipeline, type Writable } from 'node:stream'
import { isReset, resetConnection } from '@quipu/server/http/connection/reset-connection.ts'
import type { LockStep } from '../lock-step/runner.ts'
import { withoutHops } from './headers.ts'
import type { GatewayKeys } from './keys.ts'
import type { Traffic } from './traffic.ts'
import type { GatewayUpstream } from './upstream.ts'

/** The parts that all listeners share. */
export type Gateway = {
  readonly upstream: GatewayUpstream
  /** Keeps connections to the broker open between requests. */
  readonly agent: Agent
  readonly traffic: Traffic
  /** Absent: keys pass unchanged. */
  readonly keys?: GatewayKeys | undefined
  /** Only in a replay. */
  readonly lockStep?: LockStep | undefined
}

const MESSAGE_MAX = 4096

export function brokerAgent({ url, tls }: GatewayUpstream): Agent {
  const agent = new (url.startsWith('https:') ? TlsAgent : Agent)({ keepAlive: true })
  const { createConnection } = tls ?? {}
  return createConnection ? Object.assign(agent, { createConnection }) : agent
}

/** Sends a request of the program to the broker. The Host header stays. */
export async function forwardToBroker(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
  path = request.url ?? '/',
): Promise<void> {
  gateway.traffic.requests += 1
  const end = await beginIn(gateway.lockStep, response)
  await send(gateway, request, response, path, end).catch((error: Error) => fail(response, error))
}

/** Begins a request of the program. In a replay it may wait; then the returned function ends it. */
export function beginIn(
  lockStep: LockStep | undefined,
  answered: Writable,
): Promise<(() => void) | undefined> | undefined {
  if (!lockStep) return undefined
  const socket = answered instanceof ServerResponse ? answered.req.socket : answered
  return new Promise((resolve) =>
    lockStep.requests.begin((end) => {
      const close = (): void => {
        // The program has yet to see the end of a connection without a whole response.
        if (!answered.writableFinished) lockStep.requests.broke(socket)
        end()
      }
      if (answered.closed) close()
      else answered.once('close', close)
      void lockStep.clock.atTime(() => resolve(end))
    }),
  )
}

async function send(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  end: (() => void) | undefined,
): Promise<void> {
  const { upstream, agent } = gateway
  const url = new URL(upstream.url)
  const isTls = url.protocol === 'https:'
  const outgoing = (isTls ? httpsRequest : httpRequest)({
    ...upstream.tls,
    agent,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: request.method,
    path,
    headers: await upstreamHeaders(gateway, request),
  })
  observe(gateway, request, path, outgoing, response)
  outgoing.on('response', (received) => {
    // An event stream has no end.
    if (received.headers['content-type']?.startsWith('text/event-stream')) end?.()
    answerWith(gateway, request, path, received, response)
  })
  outgoing.on('error', (error) => fail(response, error))
  response.on('close', () => outgoing.destroy())
  request.pipe(outgoing)
}

/** The headers of the request without those of the connection, and with a key that the broker knows. */
export async function upstreamHeaders({ keys }: Gateway, request: IncomingMessage): Promise<string[]> {
  const raw = withoutHops(request.rawHeaders)
  return [...((await keys?.inHeaders(raw, request.headers.host ?? '', request.url)) ?? raw)]
}

function answerWith(
  { traffic }: Gateway,
  request: IncomingMessage,
  path: string,
  received: IncomingMessage,
  response: ServerResponse,
): void {
  const { statusCode: status = 502, statusMessage } = received
  response.sendDate = false
  response.writeHead(status, statusMessage, withoutHops(received.rawHeaders))
  // An event stream sends its headers long before its first event.
  response.flushHeaders()
  if (status >= 400) {
    let body = ''
    received.on('data', (bytes: Buffer) => {
      if (body.length < MESSAGE_MAX) body += bytes.toString('utf8')
    })
    received.on('end', () =>
      traffic.refused({
        method: request.method ?? '',
        path: path.replace(/\?.*/, ''),
        status,
        message: messageInBody(body),
        reason: reasonInBody(body),
        requestId: received.headers['x-request-id'] as string | undefined,
      }),
    )
  }
  pipeline(received, response, () => {})
}

/** Reports the request and its response to the observer of the run. */
function observe(
  { traffic: { observer } }: Gateway,
  request: IncomingMessage,
  path: string,
  outgoing: ClientRequest,
  response: ServerResponse,
): void {
  const end = observer?.request(request.method ?? '', path)
  if (!end) return
  const body: Buffer[] = []
  let result: IncomingMessage | undefined
  request.on('data', (bytes: Buffer) => body.push(bytes))
  const answered: Buffer[] = []
  outgoing.on('response', (received) => {
    result = received
    if (observer?.keepsResponses) received.on('data', (bytes: Buffer) => answered.push(bytes))
  })
  response.on('close', () =>
    end(Buffer.concat(body).toString('utf8'), {
      status: result?.statusCode,
      seq: Number(result?.headers['x-quipu-seq'] ?? 0),
      fault: result?.headers['x-quipu-fault'] as string | undefined,
      isComplete: result?.complete === true && response.writableFinished,
      ...(observer?.keepsResponses && { body: Buffer.concat(answered).toString('utf8') }),
    }),
  )
}

export function messageInBody(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // Not JSON: the text itself is the message.
  }
  return body.trim().slice(0, 200)
}

function reasonInBody(body: string): string | undefined {
  try {
    const { reason } = JSON.parse(body) as { reason?: unknown }
    return typeof reason === 'string' ? reason : undefined
  } catch {
    return undefined
  }
}

/** The program sees a lost connection as it is, because the outcome of its request is unknown. */
function fail(response: ServerResponse, error: NodeJS.ErrnoException): void {
  if (isReset(error) && response.socket) return resetConnection(response.socket)
  if (response.headersSent || response.destroyed || error.code === 'ECONNRESET') {
    response.destroy()
    return
  }
  response.writeHead(502, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ message: `the broker does not answer: ${error.message}` }))
}
