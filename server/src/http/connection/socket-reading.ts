import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const LINGER_MS = 1000

/** Whether the server reads from a connection. */
export class SocketReading {
  /** Nothing more is read from the client. */
  isStopped = false
  isPaused = false
  readonly #socket: Duplex
  #isUpgraded = false

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  /**
   * Stops reading until `release`. Returns false if the connection is closed. Node's HTTP server stops and starts the
   * system's reading at these events. `pause` and `resume` of the socket emit them too, but also run its stream, which
   * takes ten times as long.
   */
  hold(): boolean {
    if (!this.#socket.writable || this.#isUpgraded) return false
    return this.#socket.emit('pause')
  }

  release(): void {
    if (this.#socket.writable) this.#socket.emit('resume')
  }

  /** From now on the connection is a WebSocket, which is never held. */
  upgrade(): void {
    this.#isUpgraded = true
  }

  /** Stops reading until `resume`, also while the body of a request is read. */
  pause(): void {
    if (!this.isPaused) this.#socket.on('resume', pauseAgain)
    this.isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (this.isStopped) return
    this.isPaused = false
    this.#socket.off('resume', pauseAgain)
    this.#socket.resume()
  }

  /**
   * Reads nothing more. The response must close the connection: a second later, because a close with unread bytes is a
   * reset, and the client would lose the response.
   */
  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    this.pause()
    const socket = this.#socket as Socket
    // Node calls this after the last response.
    socket.destroySoon = () => {
      socket.end()
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
  }
}

/** Node resumes a connection whenever a request's body is read. */
function pauseAgain(this: Duplex): void {
  this.pause()
}
