import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import type { Dice } from '../dice.ts'
import { nastyFrame } from './frames.ts'
import type { Stage } from './stage.ts'

const PATHS = ['/stream', '/v2/iex', '/v2/sip', '/v2/test'] as const
const BURST = 25

/** Both protocols, on every path, by those who said who they are and those who did not. */
type Kind = { readonly path: string; readonly isPacked: boolean; readonly isKnown: boolean }

/** A stream client that says nothing but wrong things, and reads every answer for what it should not be told. */
export class StormStream {
  readonly #stage: Stage
  readonly #dice: Dice
  readonly #kind: Kind
  #socket: WebSocket | undefined
  #wire: Socket | undefined
  #heard = 0

  constructor(stage: Stage, dice: Dice) {
    this.#stage = stage
    this.#dice = dice
    this.#kind = { path: dice.pick(PATHS), isPacked: dice.isLucky(0.5), isKnown: dice.isLucky(0.6) }
  }

  get heard(): number {
    return this.#heard
  }

  /** Sends some frames and waits until they were dealt with; gives how many there were. */
  async burst(): Promise<number> {
    const socket = this.#socket?.readyState === WebSocket.OPEN ? this.#socket : await this.#open()
    let sent = 0
    // In one packet, so that the machine's time goes into frames.
    this.#wire!.cork()
    while (sent < BURST && socket.readyState === WebSocket.OPEN) {
      const frame = nastyFrame(this.#dice)
      socket.send(frame, { binary: this.#dice.isLucky(0.5) && typeof frame !== 'string' })
      sent++
    }
    this.#wire!.uncork()
    await settled(socket)
    return sent
  }

  close(): void {
    this.#socket?.terminate()
  }

  async #open(): Promise<WebSocket> {
    const { path, isPacked, isKnown } = this.#kind
    const { url, keyId, secretKey } = this.#stage.hunter
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

/** Everything said before has been dealt with, or the door is closed. */
async function settled(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return
  const heard = Promise.race([once(socket, 'pong'), once(socket, 'close')])
  socket.ping()
  await heard
}
