import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientsAsked, ClientsTold } from './stream-clients.ts'

/** Clients of a stream, in a process of their own. They count what comes and look into it for one of them. */
const AT_ONCE = 50
/** Where they call from: an address has only so many ports. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
const BAR = '"T":"b"'
const DEADLINE_MS = 120_000
/** Oftener than a server asks whether someone is still there. */
const PONG_EVERY_MS = 5_000
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
/** Less than a bar: pings come to some before they are counted and to others after. */
const PINGS_BYTES = 64

/** What one client has got since it was last asked; of the first one also the text. */
type Client = { bytes: number; text: string; isWatched: boolean }
const clients: Client[] = []

/** Read into by all of them in turn: memory of theirs would be more than that of the server. */
const shared = Buffer.alloc(64 * 1024)

function open({ port, headers, path, subscribe }: ClientsAsked['open'] & {}): Promise<void> {
  const client: Client = { bytes: 0, text: '', isWatched: true }
  const isFirst = clients.push(client) === 1
  return new Promise((resolve, reject) => {
    const heard = (length: number): boolean => {
      client.bytes += length
      if (!client.isWatched) return true
      client.text += shared.toString('latin1', 0, length)
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
      onread: { buffer: shared, callback: heard },
    })
    setInterval(() => socket.write(PONG), PONG_EVERY_MS).unref()
    socket.on('error', reject)
    socket.on('close', () => {
      throw new Error(`${path}: the server has closed a connection`)
    })
    const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${given.join('')}\r\n`,
    )
    socket.write(textFrame(JSON.stringify({ action: 'subscribe', ...subscribe })))
  })
}

/** Masked with zeros: a client has to mask, and what with is its own affair. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const header = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([header, payload])
}

/** Waits until the first client has so many bars, and all others as many bytes, pings aside; then all start anew. */
async function heardBars(bars: number): Promise<void> {
  const [first] = clients
  const isThere = () => first!.text.split(BAR).length - 1 >= bars
  const areAlike = () => clients.every(({ bytes }) => Math.abs(bytes - first!.bytes) < PINGS_BYTES)
  for (const deadline = performance.now() + DEADLINE_MS; !(isThere() && areAlike()); await sleep(20))
    if (performance.now() > deadline)
      throw new Error(`expected ${bars} bars each, the first has ${first!.text.split(BAR).length - 1}`)
  forget()
}

function forget(): void {
  for (const client of clients) {
    client.bytes = 0
    client.text = ''
  }
}

process.on('message', async (asked: ClientsAsked) => {
  if (asked.open) {
    for (let left = asked.open.count; left > 0; left -= AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => open(asked.open!)))
    forget()
  } else if (asked.bars) await heardBars(asked.bars)
  process.send!('done' satisfies ClientsTold)
})
process.on('disconnect', () => process.exit(0))
