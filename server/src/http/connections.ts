import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Unsent } from './unsent.ts'

/** Requests of a connection that wait to begin, before the server stops reading from it. */
const WAITING_MAX = 64

/** One open connection: the requests in progress on it, and those that wait because the limit is reached. */
export class Connection {
  /** Requests that have begun and whose response has not left yet. */
  open = 0
  /** Those of them that a handler works on. */
  working = 0
  readonly #socket: Duplex
  readonly #requestsMax: number
  readonly #unsent: Unsent
  #unsentBytes = 0
  #waiting: (() => void)[] = []
  #isBeginning = false
  #isPaused = false
  #hasClosed = false

  constructor(socket: Duplex, requestsMax: number, unsent: Unsent) {
    this.#socket = socket
    this.#requestsMax = requestsMax
    this.#unsent = unsent
    socket.once('close', this.#closed)
  }

  /** Nothing can be sent to the client any more. */
  get isClosed(): boolean {
    return !this.#socket.writable
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Begins a request now, or when one of those before it has left. Never, once the client is gone. */
  begin(run: () => void): void {
    if (this.open < this.#requestsMax && this.#waiting.length === 0) {
      this.open += 1
      return run()
    }
    this.#waiting.push(run)
    if (this.#waiting.length >= WAITING_MAX) this.#pause()
  }

  /** A response of this size was written: its request counts until the network has taken it. */
  answered(response: ServerResponse, bytes: number): void {
    // Nearly always the network has taken all of it by now.
    if (response.writableLength === 0) return this.left()
    this.#count(bytes)
    response.once('close', () => {
      this.#count(-bytes)
      this.left()
    })
  }

  /** A request is over. One that is refused at once is over while it begins, so this is a loop and no recursion. */
  left(): void {
    this.open -= 1
    if (this.isClosed) this.#waiting = []
    if (this.#isBeginning) return
    this.#isBeginning = true
    while (this.#waiting.length > 0 && this.open < this.#requestsMax) {
      this.open += 1
      this.#waiting.shift()!()
    }
    this.#isBeginning = false
    if (this.#isPaused && this.#waiting.length === 0) this.#resume()
  }

  /** Not every response learns that its connection is closed: those behind the first one do not. */
  readonly #closed = (): void => {
    this.#waiting = []
    this.#count(-this.#unsentBytes)
    this.#hasClosed = true
  }

  #count(bytes: number): void {
    if (this.#hasClosed) return
    this.#unsentBytes += bytes
    this.#unsent.add(bytes)
  }

  #pause(): void {
    if (!this.#isPaused) this.#socket.on('resume', this.#pauseAgain)
    this.#isPaused = true
    this.#socket.pause()
  }

  #resume(): void {
    this.#isPaused = false
    this.#socket.off('resume', this.#pauseAgain)
    this.#socket.resume()
  }

  /** Node resumes a connection whenever a request's body is read. */
  readonly #pauseAgain = (): void => {
    this.#socket.pause()
  }
}

/** Every open connection. */
export class Connections {
  readonly #sockets = new Set<Socket>()
  /** By the socket that requests come from: with TLS it is another than the one that was accepted. */
  readonly #connections = new WeakMap<Duplex, Connection>()
  readonly #requestsMax: number
  readonly #unsent: Unsent

  /** Each connection has at most this many requests in progress. */
  constructor(requestsMax: number, unsent: Unsent) {
    this.#requestsMax = requestsMax
    this.#unsent = unsent
  }

  get size(): number {
    return this.#sockets.size
  }

  add(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  of(socket: Duplex): Connection {
    let connection = this.#connections.get(socket)
    if (connection === undefined) {
      connection = new Connection(socket, this.#requestsMax, this.#unsent)
      this.#connections.set(socket, connection)
    }
    return connection
  }

  /** A handler works for it, or will. */
  isWorking(socket: Duplex): boolean {
    const { working = 0, isWaiting = false } = this.#connections.get(socket) ?? {}
    return working > 0 || isWaiting
  }

  /** It is the client's turn: to read what was written, or to send something. */
  isClientsTurn(socket: Duplex): boolean {
    return socket.writableLength > 0 || (this.#connections.get(socket)?.open ?? 0) === 0
  }

  /** Ends connections on which nothing was ever sent. */
  closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
