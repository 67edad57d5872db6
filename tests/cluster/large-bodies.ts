import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Broker } from '../support/broker.ts'

const order = JSON.stringify({ symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' })
const KIB = 1024
/** Above the limit of an order. */
const LARGE = 17 * KIB

/** The statuses of a request whose client sends only these bytes. A `100 Continue` gets the rest. */
async function statusesOf(url: string, bytes: string, rest = ''): Promise<readonly number[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(bytes)
  let received = ''
  const statuses = () => [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status))
  while ((statuses().at(-1) ?? 100) < 200) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    received += chunk
    if (rest !== '' && statuses().length === 1) socket.write(rest)
  }
  socket.destroy()
  return statuses()
}

const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/**
 * A stranger gets 401 before the rest of a body is sent, and a client with a key gets 413 or its answer. It is the same at
 * the node that holds the world and at one that forwards the request.
 */
export async function checkLargeBodies(nodes: readonly Broker[]): Promise<void> {
  for (const { url, keyId, secretKey } of nodes) {
    const head = (secret: string, headers: string, path = '/v2/orders') =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secret}\r\n${headers}\r\n\r\n`
    const known = (headers: string) => head(secretKey, headers)
    const stranger = (headers: string, path?: string) => head('wrong', headers, path)
    const length = (bytes: number) => `Content-Length: ${bytes}`
    const waits = 'Expect: 100-continue\r\n'
    const chunks = 'Transfer-Encoding: chunked'
    const large = 'x'.repeat(LARGE)
    const requests: readonly [statuses: readonly number[], sent: string, rest?: string][] = [
      [[401], stranger(length(LARGE)) + large],
      [[401], `${stranger(length(40 * KIB * KIB))}{`],
      [[401], `${stranger(length(40 * KIB * KIB), '/sim/v1/worlds/load')}{`],
      [[401], `${stranger(length(order.length))}{`],
      [[401], `${stranger(chunks)}1\r\n{\r\n`],
      [[401], stranger(waits + length(order.length))],
      [[413], known(length(LARGE)) + large],
      [[413], known(waits + length(LARGE))],
      [[413], known(chunks) + chunked(large)],
      [[100, 200], known(waits + length(order.length)), order],
      [[100, 200], known(waits + chunks), chunked(order)],
      [[200], known(length(order.length)) + order],
      [[200], known(chunks) + chunked(order)],
    ]
    for (const [expected, sent, rest] of requests)
      assert.deepEqual(await statusesOf(url, sent, rest), expected, sent.slice(0, 300))
  }
}
