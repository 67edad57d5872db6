import { once } from 'node:events'
import { decode, decodeTimestampToTimeSpec, ExtensionCodec, encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import type { Body } from './broker.ts'

/** A MessagePack timestamp with nanoseconds. */
export class Timestamp {
  readonly sec: number
  readonly nsec: number

  constructor({ sec, nsec }: { readonly sec: number; readonly nsec: number }) {
    this.sec = sec
    this.nsec = nsec
  }
}

const extensions = new ExtensionCodec()
extensions.register({
  type: -1,
  encode: () => null,
  decode: (bytes) => new Timestamp(decodeTimestampToTimeSpec(bytes)),
})

export type Frame = { readonly message: Body; readonly isBinary: boolean }

/** A plain WebSocket client that reads frame by frame. */
export class StreamClient {
  readonly socket: WebSocket
  readonly #isPacked: boolean
  readonly #received: Frame[] = []
  readonly #waiting: ((frame: Frame) => void)[] = []

  private constructor(socket: WebSocket, isPacked: boolean) {
    this.socket = socket
    this.#isPacked = isPacked
    socket.on('message', (data: Buffer, isBinary) => {
      const message = isPacked ? decode(data, { extensionCodec: extensions }) : JSON.parse(String(data))
      const frame = { message, isBinary }
      const waiting = this.#waiting.shift()
      if (waiting) waiting(frame)
      else this.#received.push(frame)
    })
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamClient> {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers: { ...headers } })
    const client = new StreamClient(socket, headers['Content-Type'] === 'application/msgpack')
    await once(socket, 'open')
    return client
  }

  send(message: unknown): void {
    this.socket.send(this.#isPacked ? encode(message) : JSON.stringify(message))
  }

  nextFrame(): Promise<Frame> {
    const first = this.#received.shift()
    return first ? Promise.resolve(first) : new Promise((resolve) => this.#waiting.push(resolve))
  }

  async next(): Promise<Body> {
    return (await this.nextFrame()).message
  }

  request(message: unknown): Promise<Body> {
    this.send(message)
    return this.next()
  }

  /** All unread messages that the server sent before the response to a ping. */
  async rest(): Promise<Body[]> {
    const answered = once(this.socket, 'pong')
    this.socket.ping()
    await answered
    return this.#received.splice(0).map(({ message }) => message)
  }

  async close(): Promise<void> {
    const closed = once(this.socket, 'close')
    this.socket.close()
    await closed
  }
}
