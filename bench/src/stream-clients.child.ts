import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientsReply, ClientsRequest } from './stream-clients.ts'

/** Stream clients in a separate process. All of them count bytes; only the first reads the messages. */
const AT_ONCE = 50
/** Several source addresses, because one address has too few ports. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
const BAR = '"T":"b"'
const DEADLINE_MS = 120_000
/** More often than the ping interval of the server. */
const PONG_EVERY_MS = 5_000
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
/** Allowed difference in bytes: less than a bar, because clients receive pings at different times. */
const PINGS_BYTES = 64

/** Bytes that one client received since the last count; the first client also keeps the text. */
type Client = { bytes: number; text: string; isWatched: boolean }
const clients: Client[] = []

/** One read buffer for all clients; separate buffers would need more memory than the server. */
const sharedBuffer = Buffer.alloc(64 * 1024)

function open({ port, headers, path, subscribe }: ClientsRequest['open'] & {}): Promise<void> {
  const client: Client = { bytes: 0, text: '', isWatched: true }
  const isFirst = clients.push(client) === 1
  return new Promise((resolve, reject) => {
    const onBytes = (length: number): boolean => {
      client.bytes += length
      if (!client.isWatched) return true
      client.text += sharedBuffer.toString('latin1', 0, length)
      if (client.text.includes('"subscription"')) {
        client.isWatched = isFirst
        resolve()
      }
      return true
    }
    const socket = connect({
      port,
      host: '127.0.0.1',
      localAddress: ADDRESSES[clients.length % ADDRESSES.length]!,
      onread: { buffer: sharedBuffer, callback: onBytes },
    })
    setInterval(() => socket.write(PONG), PONG_EVERY_MS).unref()
    socket.on('error', reject)
    socket.on('close', () => {
      throw new Error(`${path}: the server has closed a connection`)
    })
    const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${headerLines.join('')}\r\n`,
    )
    socket.write(textFrame(JSON.stringify({ action: 'subscribe', ...subscribe })))
  })
}

/** Masked with zeros: a client must mask its frames, and any mask is allowed. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const header = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([header, payload])
}

/** Waits until the first client has `bars` bars and the others as many bytes, then resets the counts. */
async function waitForBars(bars: number): Promise<void> {
  const [first] = clients
  const hasBars = () => first!.text.split(BAR).length - 1 >= bars
  const areEqual = () => clients.every(({ bytes }) => Math.abs(bytes - first!.bytes) < PINGS_BYTES)
  for (const deadline = performance.now() + DEADLINE_MS; !(hasBars() && areEqual()); await sleep(20))
    if (performance.now() > deadline)
      throw new Error(`expected ${bars} bars each, the first has ${first!.text.split(BAR).length - 1}`)
  resetCounts()
}

function resetCounts(): void {
  for (const client of clients) {
    client.bytes = 0
    client.text = ''
  }
}

process.on('message', async (request: ClientsRequest) => {
  if (request.open) {
    for (let left = request.open.count; left > 0; left -= AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => open(request.open!)))
    resetCounts()
  } else if (request.bars) await waitForBars(request.bars)
  process.send!('done' satisfies ClientsReply)
})
process.on('disconnect', () => process.exit(0))
