import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { call, openTestServer } from '../testing/server.ts'

const KIB = 1024
const BUDGET = 300 * KIB
const server = await openTestServer({
  limits: { largeBodyBytesPerMinute: BUDGET },
  settings: { trustProxy: true },
})
after(() => server.close())
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const padded = (kib: number) => ({ ...order, note: 'x'.repeat(kib * KIB) })
const place = (key: typeof server.key, body: unknown) => call(server, 'POST /v2/orders', { key, body })

test('large bodies have a budget per key; small ones and other keys are not affected', async () => {
  for (let n = 0; n < 2; n++) assert.equal((await place(server.key, padded(160))).status, 413)
  const { status, body, headers } = await place(server.key, padded(160))
  assert.deepEqual([status, body.code, body.reason], [429, 42910000, 'tooManyBodyBytes'])
  assert.match(body.message, new RegExp(`large_body_bytes_per_minute: ${BUDGET}`))
  assert.ok(Number(headers.get('retry-after')) >= 1)
  assert.equal(headers.get('connection'), 'close')
  assert.equal((await place(server.key, padded(15))).status, 200)
  assert.equal((await place(server.otherKey, padded(160))).status, 413)
})

/** Sends the head of a request and then bytes for as long as the server reads them. */
async function flood(head: string, chunkHead = '', chunkEnd = '') {
  const socket = connect(server.serving.port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  const accepted = new Promise<string>((resolve) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (part) => (text += part))
    socket.on('end', () => resolve(text)).on('close', () => resolve(text))
  })
  socket.write(head)
  const chunk = `${chunkHead}${'x'.repeat(64 * KIB)}${chunkEnd}`
  const timer = setInterval(() => {
    if (socket.writable && socket.writableLength < 10 * 64 * KIB) socket.write(chunk)
  }, 1)
  const text = await accepted
  clearInterval(timer)
  socket.destroy()
  return text
}

const auth = ({ keyId, secretKey }: typeof server.key) =>
  `Host: localhost\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\n`

test('a body of a key without budget is not read, and the client gets the response', async () => {
  const spend = () =>
    call(server, 'POST /v1/accounts', { key: server.partnerKey, body: { x: 'x'.repeat(200 * KIB) } })
  for (let n = 0; n < 2; n++) assert.equal((await spend()).status, 413)
  const read = new Promise<number>((resolve) => {
    server.serving.server.once('connection', (socket) =>
      socket.once('close', () => resolve(socket.bytesRead)),
    )
  })
  const length = 50_000_000
  const text = await flood(
    `POST /v1/accounts HTTP/1.1\r\n${auth(server.partnerKey)}Content-Length: ${length}\r\n\r\n`,
  )
  assert.match(text, /^HTTP\/1\.1 429 .*tooManyBodyBytes/s)
  const bytes = await read
  assert.ok(bytes < 1_000_000, `${bytes} bytes read`)
})

test('a body in chunks is counted while it arrives', async () => {
  const text = await flood(
    `POST /v1/accounts HTTP/1.1\r\n${auth(server.operatorKey)}Transfer-Encoding: chunked\r\n\r\n`,
    `${(64 * KIB).toString(16)}\r\n`,
    '\r\n',
  )
  assert.match(text, /^HTTP\/1\.1 429 .*tooManyBodyBytes/s)
})

/** Status and Connection header of the response to a body of a stranger, which is refused before it is read. */
const stranger = (address: string): Promise<readonly [number | undefined, string | undefined]> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}/v2/orders`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': address },
    })
    outgoing.on('response', (response) => {
      response.resume()
      resolve([response.statusCode, response.headers.connection])
    })
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(padded(160)))
  })

test('bodies that are refused unread count for the address; without budget they are not read to their end', async () => {
  const responses = []
  for (let n = 0; n < 3; n++) responses.push(await stranger('192.0.2.7'))
  assert.deepEqual(responses, [
    [401, 'keep-alive'],
    [401, 'keep-alive'],
    [401, 'close'],
  ])
  assert.deepEqual(await stranger('192.0.2.8'), [401, 'keep-alive'])
})
