import { WebSocket } from 'ws'
import type { Key } from './calls.ts'

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
