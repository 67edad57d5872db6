import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import type { Random } from '../random.ts'
import { brokenFrame, type Spoken, wrongFrame } from './frames.ts'
import type { Stage } from './stage.ts'

const PATHS = ['/stream', '/v2/iex', '/v2/sip', '/v2/test'] as const
const BURST = 25

/** Both protocols, on every path, by those who said who they are and those who did not. */
type Kind = Spoken & { readonly isKnown: boolean }

/** A stream client that says nothing but wrong things, and reads every answer for what it should not be told. */
export class StormStream {
  readonly #stage: Stage
  readonly #random: Random
  readonly #kind: Kind
  #socket: WebSocket | undefined
  #wire: Socket | undefined
  #heard = 0

  constructor(stage: Stage, random: Random) {
    this.#stage = stage
    this.#random = random
    this.#kind = { path: random.pick(PATHS), isPacked: random.chance(0.5), isKnown: random.chance(0.6) }
  }

  get heard(): number {
    return this.#heard
  }

  /** Sends some frames in one packet and waits until they were dealt with; gives how many certainly were. */
  async burst(): Promise<number> {
    const socket = this.#socket?.readyState === WebSocket.OPEN ? this.#socket : await this.#open()
    const frames = Array.from({ length: BURST }, () => wrongFrame(this.#random, this.#kind))
    const isLast = this.#random.chance(0.4)
    if (isLast) frames.push(brokenFrame(this.#random, this.#kind))
    this.#wire!.cork()
    for (const { bytes, isBinary } of frames) socket.send(bytes, { binary: isBinary })
    this.#wire!.uncork()
    const isOpen = await settled(socket)
    return isOpen || isLast ? frames.length : 1
  }

  close(): void {
    this.#socket?.terminate()
  }

  async #open(): Promise<WebSocket> {
    const { path, isPacked, isKnown } = this.#kind
    const { url, keyId, secretKey } = path === '/stream' ? this.#stage.hunter : this.#stage.stillHunter
    const headers: Record<string, string> = isPacked ? { 'Content-Type': 'application/msgpack' } : {}
    const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
    this.#socket = socket
    socket.on('error', () => undefined)
    socket.on('upgrade', (response) => {
      this.#wire = response.socket
    })
    socket.on('message', (data: Buffer) => this.#hear(data))
    await once(socket, 'open')
    const say = (message: unknown) => socket.send(isPacked ? encode(message) : JSON.stringify(message))
    if (isKnown) {
      say({ action: 'auth', key: keyId, secret: secretKey })
      const all = { bars: ['*'], trades: ['AAPL'], quotes: ['AAPL'] }
      say(
        path === '/stream'
          ? { action: 'listen', data: { streams: ['trade_updates'] } }
          : { action: 'subscribe', ...all },
      )
    }
    await settled(socket)
    return socket
  }

  #hear(data: Buffer): void {
    this.#heard++
    const text = data.toString('latin1')
    assert(!this.#stage.tellsOfVictims(text), `a stream told what is not theirs: ${text.slice(0, 1_000)}`)
  }
}

/** Everything said before has been dealt with, or the door is closed; gives which. */
function settled(socket: WebSocket): Promise<boolean> {
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
