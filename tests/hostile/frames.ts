import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import type { Random } from '../support/random.ts'
import { hostileName, hostileValue } from './hostile-values.ts'
import type { Setup } from './setup.ts'

/** The path and the encoding of a stream. */
export type StreamKind = { readonly path: string; readonly isPacked: boolean }
export type HostileFrame = { readonly bytes: string | Buffer; readonly isBinary: boolean }
type Fields = Record<string, unknown>

const set = (fields: Fields, name: string, value: unknown): void => {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

const someFields = (random: Random, names: readonly string[]): Fields => {
  const fields: Fields = {}
  for (let left = random.integer(0, 4); left > 0; left--)
    set(fields, random.chance(0.9) ? random.pick(names) : hostileName(random), hostileValue(random))
  return fields
}

const symbols = ['AAPL', '*', 'NOSUCH', 'aapl', 'BRK.B', '', 'A'.repeat(40), '💥', '__proto__']
const someSymbols = (random: Random): unknown =>
  random.chance(0.3)
    ? hostileValue(random)
    : Array.from({ length: random.integer(0, 6) }, () =>
        random.chance(0.9) ? random.pick(symbols) : hostileValue(random),
      )

/** A message of the trade-update stream, which closes the connection at any other message. */
function tradeMessage(random: Random): Fields {
  const action = random.pick(['auth', 'authenticate', 'listen', 'listen', 'unlisten'])
  const names = ['key', 'secret', 'key_id', 'secret_key', 'oauth_token', 'streams', 'data']
  const message: Fields = { action, ...someFields(random, names) }
  if (random.chance(0.7))
    set(message, 'data', random.chance(0.7) ? someFields(random, names) : hostileValue(random))
  return message
}

/** A message of the data streams, which answer a wrong message and stay open. */
function dataMessage(random: Random): Fields {
  const action = random.pick(['auth', 'subscribe', 'subscribe', 'unsubscribe', 'listen', '__proto__', 7])
  const message: Fields = { action, ...someFields(random, ['key', 'secret', 'bars', 'trades', 'oauth']) }
  for (const channel of ['bars', 'trades', 'quotes', 'dailyBars', 'statuses', 'lulds', 'news', 'orderbooks'])
    if (random.chance(0.25)) set(message, channel, someSymbols(random))
  return message
}

/** A wrong but readable message, so that the server also reads the next message. */
export function wrongFrame(random: Random, { path, isPacked }: StreamKind): HostileFrame {
  const message = path === '/stream' ? tradeMessage(random) : dataMessage(random)
  return isPacked
    ? { bytes: Buffer.from(encode(message, { ignoreUndefined: true })), isBinary: true }
    : { bytes: JSON.stringify(message), isBinary: false }
}

/** A partial message, another encoding, another type or random bytes; the server may close the connection. */
export function brokenFrame(random: Random, { path, isPacked }: StreamKind): HostileFrame {
  const isBinary = random.chance(0.5)
  const draw = random.next()
  if (draw < 0.2) return { bytes: random.bytes(random.integer(0, 400)), isBinary }
  if (draw < 0.4) return wrongFrame(random, { path, isPacked: !isPacked })
  if (draw < 0.5) return { bytes: JSON.stringify(hostileValue(random)), isBinary }
  if (draw < 0.6) return { bytes: Buffer.from(encode(hostileValue(random))), isBinary }
  const bytes = Buffer.from(wrongFrame(random, { path, isPacked }).bytes)
  if (draw < 0.8) return { bytes: bytes.subarray(0, random.integer(0, bytes.length)), isBinary }
  if (bytes.length > 0) bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
  return { bytes, isBinary }
}

const PATHS = ['/stream', '/v2/iex', '/v2/sip', '/v2/test'] as const
const BURST = 25

/** Both encodings, on every path, with and without authentication. */
type Kind = StreamKind & { readonly isAuthenticated: boolean }

/** A stream client that sends only wrong frames and checks that no response reveals a victim. */
export class FuzzStream {
  readonly #setup: Setup
  readonly #random: Random
  readonly #kind: Kind
  #socket: WebSocket | undefined
  #wire: Socket | undefined
  #received = 0

  constructor(setup: Setup, random: Random) {
    this.#setup = setup
    this.#random = random
    this.#kind = {
      path: random.pick(PATHS),
      isPacked: random.chance(0.5),
      isAuthenticated: random.chance(0.6),
    }
  }

  get received(): number {
    return this.#received
  }

  /** Sends frames in one packet and waits until they are processed; returns how many certainly were. */
  async burst(): Promise<number> {
    const socket = this.#socket?.readyState === WebSocket.OPEN ? this.#socket : await this.#open()
    const frames = Array.from({ length: BURST }, () => wrongFrame(this.#random, this.#kind))
    const isLast = this.#random.chance(0.4)
    if (isLast) frames.push(brokenFrame(this.#random, this.#kind))
    this.#wire!.cork()
    for (const { bytes, isBinary } of frames) socket.send(bytes, { binary: isBinary })
    this.#wire!.uncork()
    const isOpen = await untilProcessed(socket)
    return isOpen || isLast ? frames.length : 1
  }

  close(): void {
    this.#socket?.terminate()
  }

  async #open(): Promise<WebSocket> {
    const { path, isPacked, isAuthenticated } = this.#kind
    const { url, keyId, secretKey } = path === '/stream' ? this.#setup.attacker : this.#setup.idleAttacker
    const headers: Record<string, string> = isPacked ? { 'Content-Type': 'application/msgpack' } : {}
    const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
    this.#socket = socket
    socket.on('error', () => undefined)
    socket.on('upgrade', (response) => {
      this.#wire = response.socket
    })
    socket.on('message', (data: Buffer) => this.#check(data))
    await once(socket, 'open')
    const send = (message: unknown) => socket.send(isPacked ? encode(message) : JSON.stringify(message))
    if (isAuthenticated) {
      send({ action: 'auth', key: keyId, secret: secretKey })
      const all = { bars: ['*'], trades: ['AAPL'], quotes: ['AAPL'] }
      send(
        path === '/stream'
          ? { action: 'listen', data: { streams: ['trade_updates'] } }
          : { action: 'subscribe', ...all },
      )
    }
    await untilProcessed(socket)
    return socket
  }

  #check(data: Buffer): void {
    this.#received++
    const text = data.toString('latin1')
    assert(!this.#setup.revealsVictims(text), `a stream revealed a victim: ${text.slice(0, 1_000)}`)
  }
}

/** Waits until all sent frames are processed or the connection is closed; returns whether it is open. */
function untilProcessed(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      socket.off('pong', end).off('close', end)
      resolve(socket.readyState === WebSocket.OPEN)
    }
    if (socket.readyState !== WebSocket.OPEN) return end()
    socket.on('pong', end).on('close', end)
    socket.ping()
  })
}
