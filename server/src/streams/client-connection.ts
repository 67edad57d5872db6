import type { Duplex } from 'node:stream'
import type { ConnectionFault, FaultyConnection } from '@quipu/broker/faults/connection.ts'
import type { WebSocket } from 'ws'
import type { Services } from '../http/services.ts'
import type { FrameCodec, Message } from './frame.ts'
import { type FlushTick, Outbox } from './outbox.ts'
import type { StreamParticipant } from './participant.ts'
import { closeReasons } from './session.ts'

/** Who is connected, and how. */
export type StreamClient = {
  readonly id: string
  readonly openedMs: number
  readonly endpoint: string
  readonly address: string
  readonly codec: FrameCodec
  /** Whether the client answers the question if it is done. */
  readonly acknowledges: boolean
  /** The participant that reports for this client, and its name for the client. */
  readonly participant: StreamParticipant | undefined
  readonly participantStream: string
}

export type ConnectionParts = {
  readonly client: StreamClient
  readonly ws: WebSocket
  readonly socket: Duplex
  readonly limits: Services['limits']
  readonly tick: FlushTick
  readonly countSlow: () => void
  /** Called for each sent message, pings aside. */
  readonly countMessage: () => void
  /** The last message to a client that reads too slowly. */
  readonly slowClientMessage: () => Message | undefined
  /** Runs a function whose error closes the connection. */
  readonly guarded: (run: () => void) => void
}

/** Sends frames to a client and closes. All frames except the closing one go through the outbox, so that they cannot mix. */
export class ClientConnection implements FaultyConnection<Message> {
  readonly outbox: Outbox
  /** Set by a fault rule. */
  fault: ConnectionFault<Message> | undefined = undefined
  readonly #parts: ConnectionParts
  #timers: Set<NodeJS.Timeout> | undefined
  #closing = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.outbox = new Outbox({
      socket: parts.socket,
      isOpen: () => parts.ws.readyState === parts.ws.OPEN,
      tick: parts.tick,
      bytesMax: parts.limits.socketBufferMaxBytes,
      overflowed: () => this.closeSlow(),
    })
    // `ws` itself answers a protocol error with the right close code.
    parts.ws.on('error', () => this.#terminateSoon())
    parts.ws.on('close', () => {
      this.#end()
      this.outbox.close()
    })
  }

  get isClosing(): boolean {
    return this.#closing
  }

  get bytesMax(): number {
    return this.#parts.limits.socketBufferMaxBytes
  }

  bytesOf(message: Message): number {
    return message.frame(this.#parts.client.codec).length
  }

  send(message: Message): void {
    if (this.fault === undefined) this.sendNow(message)
    else this.fault.send(message)
  }

  /** Sends although the connection has a fault. */
  sendNow(message: Message): void {
    if (this.#closing) return
    this.#parts.countMessage()
    const { codec, participant } = this.#parts.client
    const frame = message.frame(codec)
    if (!participant?.hasReceived(frame)) this.outbox.push(frame)
  }

  /** Runs a function later, unless the connection is closed before. */
  schedule(ms: number, run: () => void): void {
    const timers = (this.#timers ??= new Set())
    const timer = setTimeout(() => {
      timers.delete(timer)
      this.#parts.guarded(run)
    }, ms).unref()
    timers.add(timer)
  }

  /** Closes the connection of a client that reads too slowly, and drops its unsent frames. */
  closeSlow(): void {
    if (this.#closing) return
    this.#parts.countSlow()
    const message = this.#parts.slowClientMessage()
    if (message) this.outbox.pushLast(message.frame(this.#parts.client.codec))
    this.closeWith(...closeReasons.slow)
  }

  /** Sends the waiting frames and the close frame; terminates if the client does not answer in time. */
  closeWith(code: number, reason: string): void {
    if (this.#closing) return
    this.outbox.flush()
    this.#parts.ws.close(code, reason)
    this.#terminateSoon()
  }

  #terminateSoon(): void {
    this.#end()
    this.schedule(this.#parts.limits.closeTimeoutMs, () => this.terminate())
  }

  #end(): void {
    this.#closing = true
    for (const timer of this.#timers ?? []) clearTimeout(timer)
    this.#timers = undefined
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#parts.ws.terminate()
  }

  /** Drops everything that the client sends. `ws` would answer a close frame. */
  ignoreClient(): void {
    this.#parts.socket.removeAllListeners('data').on('data', () => undefined)
  }
}
