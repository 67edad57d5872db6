import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Body, Broker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { HostileRequest } from './inputs.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

export type HostileResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Body
}

/** Sends unchanged bytes; `fetch` would correct them. */
export function send(url: string, { method, path, headers, body }: HostileRequest): Promise<HostileResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const length: Record<string, string> = body ? { 'content-length': String(body.length) } : {}
    const sent = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        // An event stream stays open, so its headers are the response.
        if (response.headers['content-type'] === 'text/event-stream') {
          resolve({ status: response.statusCode!, headers: response.headers, text: '', body: undefined })
          response.destroy()
          return
        }
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.includes('json') && text !== ''
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Opens a raw connection and ignores its errors. */
export async function dial(url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), untilClosed(socket)])
  return socket
}

export const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

/** Resolves when the socket accepts more data or is closed. */
export const drained = (socket: Socket): Promise<unknown> =>
  Promise.race([new Promise((resolve) => socket.once('drain', resolve)), untilClosed(socket)])

/** Reads until the server closes the connection. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await untilClosed(socket)
  return Buffer.concat(chunks).toString('latin1')
}

/** A metric of the process, summed over its labels. */
export async function gauge({ url, brokerKey, brokerSecret }: Broker, name: string): Promise<number> {
  const headers = { 'APCA-API-KEY-ID': brokerKey, 'APCA-API-SECRET-KEY': brokerSecret }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  )
  return values.reduce((sum, value) => sum + value, 0)
}

const MIB = 1024 * 1024
export const residentMiB = async (broker: Broker): Promise<number> =>
  Math.round((await gauge(broker, 'process_resident_memory_bytes')) / MIB)

/** Connections that the HTTP pool of this test keeps open. */
const POOL_MAX = 4

/** The process runs, has closed every connection but those of this test, and its memory growth is bounded. */
export async function assertUnharmed(broker: Broker, beforeMiB: number, growthMaxMiB: number): Promise<void> {
  assert.equal(broker.process.exitCode, null)
  await waitUntil(
    'all connections are closed',
    async () => (await gauge(broker, 'quipu_open_connections')) <= POOL_MAX,
  )
  await waitUntil(`no more than ${growthMaxMiB} MiB above ${beforeMiB}`, async () => {
    return (await residentMiB(broker)) <= beforeMiB + growthMaxMiB
  })
  assert.doesNotMatch(broker.log(), /"level":"error"/)
}
