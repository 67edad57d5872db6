import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Unsent } from '../unsent.ts'

/** Waiting requests of one connection at which the server stops reading from it. */
const WAITING_MAX = 64
const LINGER_MS = 1000

/** One open connection: its requests in progress, and the requests that wait because the limit is reached. */
export class HttpConnection {
  /** Requests that have begun and whose response is not sent yet. */
  open = 0
  /** Open requests whose handler runs. */
  working = 0
  readonly reading: SocketReading
  readonly #socket: Duplex
  readonly #requestsMax: number
  readonly #unsent: Unsent
  #unsentBytes = 0
  #waiting: (() => void)[] = []
  #isBeginning = false
  #hasClosed = false
  /** Made on first use, because most connections need none. */
  #onClosed: Set<() => void> | undefined

  constructor(socket: Duplex, requestsMax: number, unsent: Unsent) {
    this.#socket = socket
    this.reading = new SocketReading(socket)
    this.#requestsMax = requestsMax
    this.#unsent = unsent
  }

  /** Nothing can be sent to the client any more. */
  get isClosed(): boolean {
    return !this.#socket.writable
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Stops reading until `release`, if no request is in progress: then the client may send one. */
  hold(): boolean {
    return this.open === 0 && this.reading.hold()
  }

  release(): void {
    this.reading.release()
  }

  /** Calls `run` when the connection closes. Returns a function that cancels the call. */
  onClosed(run: () => void): () => void {
    const all = (this.#onClosed ??= new Set())
    all.add(run)
    return () => void all.delete(run)
  }

  /** Begins a request now, or when an earlier one ends. Drops it if the client has disconnected by then. */
  begin(run: () => void): void {
    if (this.open < this.#requestsMax && this.#waiting.length === 0) {
      this.open += 1
      return run()
    }
    this.#waiting.push(run)
    if (this.#waiting.length >= WAITING_MAX) this.reading.pause()
  }

  /** Ends a request whose response is written, as soon as the network has taken the response. */
  endAfter(response: ServerResponse, bytes: number): void {
    // Nearly always the network has taken all of it by now.
    if (response.writableLength === 0) return this.end()
    this.#count(bytes)
    response.once('close', () => {
      this.#count(-bytes)
      this.end()
    })
  }

  /** Ends a request. A refused request ends while it begins, so this is a loop to avoid recursion. */
  end(): void {
    this.open -= 1
    if (this.isClosed) this.#waiting = []
    if (this.#isBeginning) return
    this.#isBeginning = true
    while (this.#waiting.length > 0 && this.open < this.#requestsMax) {
      this.open += 1
      this.#waiting.shift()?.()
    }
    this.#isBeginning = false
    if (this.reading.isPaused && this.#waiting.length === 0) this.reading.resume()
  }

  /** The socket has closed. Uncounts all bytes here: of pipelined responses only the first one gets a close event. */
  closed(): void {
    this.#waiting = []
    this.#count(-this.#unsentBytes)
    this.#hasClosed = true
    for (const run of this.#onClosed ?? []) run()
  }

  #count(bytes: number): void {
    if (this.#hasClosed) return
    this.#unsentBytes += bytes
    this.#unsent.add(bytes)
  }
}

/** Whether the server reads from a connection. */
class SocketReading {
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

/** Every open connection. */
export class Connections {
  readonly #sockets = new Set<Socket>()
  /** By the socket of the requests: with TLS it is not the accepted socket. */
  readonly #connections = new WeakMap<Duplex, HttpConnection>()
  readonly #requestsMax: number
  readonly #unsent: Unsent

  /** One function for all sockets: a closure for each would take 0.6 kB with its listener. */
  readonly #onClose: (this: Duplex) => void

  /** Each connection has at most this many requests in progress. */
  constructor(requestsMax: number, unsent: Unsent) {
    this.#requestsMax = requestsMax
    this.#unsent = unsent
    const [sockets, connections] = [this.#sockets, this.#connections]
    this.#onClose = function () {
      sockets.delete(this as Socket)
      connections.get(this)?.closed()
    }
  }

  get size(): number {
    return this.#sockets.size
  }

  add(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', this.#onClose)
  }

  of(socket: Duplex): HttpConnection {
    let connection = this.#connections.get(socket)
    if (connection === undefined) {
      connection = new HttpConnection(socket, this.#requestsMax, this.#unsent)
      this.#connections.set(socket, connection)
      // Already called for an accepted socket without TLS.
      if (!this.#sockets.has(socket as Socket)) socket.on('close', this.#onClose)
    }
    return connection
  }

  /** Whether a handler runs for this connection, or a request waits for one. */
  isWorking(socket: Duplex): boolean {
    const { working = 0, isWaiting = false } = this.#connections.get(socket) ?? {}
    return working > 0 || isWaiting
  }

  /** Whether the server waits for the client, to read a response or to send a request. */
  isWaitingForClient(socket: Duplex): boolean {
    return socket.writableLength > 0 || (this.#connections.get(socket)?.open ?? 0) === 0
  }

  /** Whether a connection never sent a byte, or with TLS none of a request. */
  isUnused(socket: Duplex): boolean {
    return (socket as Socket).bytesRead === 0
  }

  /** Closes connections that never sent a byte. */
  closeUnused(): void {
    for (const socket of this.#sockets) if (this.isUnused(socket)) socket.destroy()
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
