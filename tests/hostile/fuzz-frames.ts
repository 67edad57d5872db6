import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import type { Random } from '../support/random.ts'
import { brokenFrame, type StreamKind, wrongFrame } from './frames.ts'
import type { Setup } from './setup.ts'

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
