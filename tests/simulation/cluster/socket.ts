import { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { SimulatedProcess } from '../faults/event-loop.ts'
import type { Key } from './calls.ts'
import type { Link } from './network.ts'

/** One end of a simulated connection, with the methods of a socket that HTTP and WebSockets use. */
export class SimulatedSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly process: SimulatedProcess | undefined
  readonly #link: Link
  connecting: boolean
  #idleMs = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor(link: Link, process: SimulatedProcess | undefined, isClient: boolean) {
    super({ allowHalfOpen: !isClient })
    this.#link = link
    this.process = process
    this.connecting = isClient
  }

  override _read(): void {}

  /** Nothing is sent before the other end has accepted the connection. */
  override _write(chunk: Buffer, _: BufferEncoding, written: () => void): void {
    const send = () => {
      this.#used()
      this.#link.send(this, { kind: 'data', chunk })
      written()
    }
    if (this.connecting) this.once('connect', send)
    else send()
  }

  override _final(ended: () => void): void {
    this.#link.send(this, { kind: 'end' })
    ended()
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    clearTimeout(this.#idleTimer)
    this.#link.send(this, { kind: 'reset' })
    destroyed(error)
  }

  /** Bytes of the other end arrive. */
  receive(chunk: Buffer): void {
    this.#used()
    this.push(chunk)
  }

  setTimeout(ms: number, run?: () => void): this {
    this.#idleMs = ms
    if (run && ms > 0) this.once('timeout', run)
    if (run && ms === 0) this.off('timeout', run)
    this.#used()
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  #used(): void {
    clearTimeout(this.#idleTimer)
    if (this.#idleMs > 0) this.#idleTimer = setTimeout(() => this.emit('timeout'), this.#idleMs)
  }
}

/** A client of trade updates at one node. It connects once. */
export class UpdatesClient {
  readonly url: string
  /** The ids of the updates, in the order of their arrival. */
  readonly ids: string[] = []
  readonly #socket: WebSocket

  constructor(url: string, { keyId, secretKey }: Key) {
    this.url = url
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/stream`)
    this.#socket.on('error', () => undefined)
    this.#socket.once('open', () => {
      this.#send({ action: 'auth', key: keyId, secret: secretKey })
      this.#send({ action: 'listen', data: { streams: ['trade_updates'] } })
    })
    this.#socket.on('message', (message) => {
      const { stream, data } = JSON.parse(String(message))
      if (stream === 'trade_updates') this.ids.push(data.event_id)
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState <= WebSocket.OPEN
  }

  close(): void {
    this.#socket.terminate()
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }
}
