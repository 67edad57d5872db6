import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Caller, isRefusedIssuer } from '@quipu/broker/access/caller.ts'
import { type FailedAttempts, findCaller } from '@quipu/broker/access/failed-attempts.ts'
import type { ConnectionFault } from '@quipu/broker/faults/connection.ts'
import type { WorldId } from '@quipu/core'
import type { WebSocket } from 'ws'
import type { Services } from '../http/services.ts'
import { refusalByFault } from './faults.ts'
import { type FrameCodec, frameOf, type Message, messageIn, PING } from './frame.ts'
import { type FlushTick, Outbox } from './outbox.ts'
import type { StreamParticipant } from './participant.ts'
import { participantResponse, Question } from './question.ts'
import { type AuthOutcome, type CloseReason, closeReasons, failureOf, type Session } from './session.ts'
import type { ChannelLists } from './subscriptions.ts'

export type SocketParts = {
  readonly id: string
  readonly ws: WebSocket
  readonly socket: Duplex
  readonly endpoint: string
  readonly address: string
  readonly codec: FrameCodec
  /** Whether the client answers the question if it is done. */
  readonly acknowledges: boolean
  /** The participant that reports for this client, and its name for the client. */
  readonly participant: StreamParticipant | undefined
  readonly participantStream: string
  /** The world of a stream that another node relays. */
  readonly relayedWorld: WorldId | undefined
  readonly isHeld: (world: WorldId) => boolean
  readonly limits: Services['limits']
  readonly failedAttempts: FailedAttempts
  readonly tick: FlushTick
  /** Counts the connection; false if the credential has no free slot. */
  readonly enter: (socket: StreamSocket, caller: Caller) => boolean
  /** The client no longer belongs to the world of its caller. */
  readonly exit: (socket: StreamSocket, caller: Caller) => void
  readonly leave: (socket: StreamSocket) => void
  readonly countSlow: () => void
  readonly failed: (error: unknown) => void
}

const PINGS_MISSED_MAX = 2

/**
 * A connection: it opens, must authenticate in time, exchanges messages, and is closed by either side. All frames except
 * the closing one go through the outbox, so that they cannot mix; `ws` reads and closes.
 */
export class StreamSocket {
  readonly id: string
  readonly openedMs = Date.now()
  readonly endpoint: string
  readonly address: string
  readonly codec: FrameCodec
  readonly acknowledges: boolean
  readonly participant: StreamParticipant | undefined
  readonly participantStream: string
  readonly outbox: Outbox
  /** Set by a fault rule. */
  fault: ConnectionFault<Message> | undefined = undefined
  readonly #parts: SocketParts
  #authTimer: NodeJS.Timeout | undefined
  #timers: Set<NodeJS.Timeout> | undefined
  #session: Session | undefined
  #caller: Caller | undefined
  #sent = 0
  #attempts = 0
  #isOverLimit = false
  #pingsMissed = 0
  #received = 0
  #asked: Question | undefined
  #closing = false

  constructor(parts: SocketParts) {
    this.id = parts.id
    this.endpoint = parts.endpoint
    this.address = parts.address
    this.codec = parts.codec
    this.acknowledges = parts.acknowledges
    this.participant = parts.participant
    this.participantStream = parts.participantStream
    this.#parts = parts
    this.outbox = new Outbox({
      socket: parts.socket,
      isOpen: () => parts.ws.readyState === parts.ws.OPEN,
      tick: parts.tick,
      bytesMax: parts.limits.socketBufferMaxBytes,
      overflowed: () => this.closeSlow(),
    })
  }

  get caller(): Caller | undefined {
    return this.#caller
  }

  /** Messages, without pings. */
  get sent(): number {
    return this.#sent
  }

  /** The number of messages in both directions. */
  get activity(): number {
    return this.#sent + this.#received
  }

  get subscriptions(): ChannelLists {
    return this.#session?.subscriptions() ?? {}
  }

  /** Starts to receive messages and the time to authenticate. */
  start(session: Session, headers: IncomingHttpHeaders): void {
    this.#listen(session)
    this.#guarded(() => session.onOpen(headers))
  }

  /** Without the headers, because these closures live as long as the socket. */
  #listen(session: Session): void {
    this.#session = session
    const { ws, limits } = this.#parts
    ws.on('message', (data: Buffer, isBinary) => this.#guarded(() => this.#receive(session, data, isBinary)))
    ws.on('ping', (data: Buffer) => {
      if (!this.#closing && !this.fault?.isMute) this.outbox.push(frameOf('pong', data))
    })
    ws.on('pong', (data: Buffer) => {
      this.#pingsMissed = 0
      if (data.length > 0) this.#asked?.answer(Number(data.toString('latin1')))
      session.onPong?.(data)
    })
    // `ws` itself answers a protocol error with the right close code.
    ws.on('error', () => this.#terminateSoon())
    ws.on('close', () => this.#onClosed())
    const refuse = () => this.#guarded(() => this.#onAuthTimeout(session))
    this.#authTimer = setTimeout(refuse, limits.streamAuthTimeoutMs).unref()
  }

  #onAuthTimeout(session: Session): void {
    // Without a free slot the connection ends without a close frame, because then clients reconnect.
    if (this.#isOverLimit) return this.terminate()
    session.onAuthTimeout(this.#attempts > 0)
    this.close('notAuthenticated')
  }

  send(message: Message): void {
    if (this.fault === undefined) this.sendNow(message)
    else this.fault.send(message)
  }

  /** Sends although the connection has a fault. */
  sendNow(message: Message): void {
    if (this.#closing) return
    this.#sent += 1
    const frame = message.frame(this.codec)
    if (!this.participant?.hasReceived(frame)) this.outbox.push(frame)
  }

  /** Sends a ping, or the question of a step. Resolves with the response, or when the client is disconnected. */
  ask(kind: 'ping' | 'step'): Promise<void> {
    if (this.fault?.isMute) return Promise.resolve()
    return this.question.ask((number) => {
      const step = kind === 'ping' ? undefined : this.#session!.stepMessage(number).frame(this.codec)
      this.outbox.pushNow(step ?? frameOf('ping', Buffer.from(`${number}`)))
    })
  }

  bytesOf(message: Message): number {
    return message.frame(this.codec).length
  }

  get bytesMax(): number {
    return this.#parts.limits.socketBufferMaxBytes
  }

  /** One attempt to authenticate. `sendRefusal` answers wrong credentials with a delay. */
  authenticate(chosenKey: string | undefined, find: () => Caller | undefined): AuthOutcome {
    this.#attempts += 1
    const { failedAttempts, address, relayedWorld, isHeld, limits } = this.#parts
    if (this.#attempts > limits.authAttemptsMax) return this.#refuse('tooManyAttempts')
    // A node that loses a world forgets its credentials. The other node looks for the next holder.
    if (relayedWorld !== undefined && !isHeld(relayedWorld)) return this.#refuse('released')
    const { caller } = findCaller(failedAttempts, address, chosenKey, find)
    const refusal = caller && refusalByFault(this, caller)
    if (!caller || isRefusedIssuer(caller) || refusal === 'wrongCredentials') return 'refused'
    this.#isOverLimit = refusal === 'connectionLimit' || !this.#parts.enter(this, caller)
    if (this.#isOverLimit) return 'full'
    this.#caller = caller
    clearTimeout(this.#authTimer)
    this.#authTimer = undefined
    return 'authenticated'
  }

  #refuse(reason: CloseReason): 'refused' {
    this.close(reason)
    return 'refused'
  }

  /** Sends the refusal with a delay, because some clients retry at once. */
  sendRefusal(message: Message): void {
    this.schedule(this.#parts.limits.authFailureDelayMs, () => this.send(message))
  }

  /** Runs a function later, unless the connection is closed before. */
  schedule(ms: number, run: () => void): void {
    const timers = (this.#timers ??= new Set())
    const timer = setTimeout(() => {
      timers.delete(timer)
      this.#guarded(run)
    }, ms).unref()
    timers.add(timer)
  }

  /** Called at every ping interval. */
  ping(): void {
    if (this.#closing || this.fault?.isMute) return
    if (this.#pingsMissed++ >= PINGS_MISSED_MAX) return this.terminate()
    this.outbox.push(PING)
  }

  /** Closes the connection of a client that reads too slowly, and drops its unsent frames. */
  closeSlow(): void {
    if (this.#closing) return
    this.#parts.countSlow()
    if (this.#session) this.outbox.pushLast(this.#session.slowClientMessage().frame(this.codec))
    this.close('slow')
  }

  /** Another node authenticates the client from now on. */
  detach(): void {
    clearTimeout(this.#authTimer)
    if (this.#caller) this.#parts.exit(this, this.#caller)
    this.#caller = undefined
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#parts.ws.terminate()
  }

  /** Sends the waiting frames and the close frame; terminates if the client does not answer in time. */
  close(key: CloseReason): void {
    if (key === 'released' && this.#session?.onReleased?.()) return
    const [code, reason] = closeReasons[key]
    this.closeWith(code, reason)
  }

  closeWith(code: number, reason: string): void {
    if (this.#closing) return
    this.outbox.flush()
    this.#parts.ws.close(code, reason)
    this.#terminateSoon()
  }

  /** Drops everything that the client sends. `ws` would answer a close frame. */
  ignoreClient(): void {
    this.#parts.socket.removeAllListeners('data').on('data', () => undefined)
  }

  #terminateSoon(): void {
    this.#closing = true
    this.#clearTimers()
    this.schedule(this.#parts.limits.closeTimeoutMs, () => this.terminate())
  }

  #clearTimers(): void {
    clearTimeout(this.#authTimer)
    for (const timer of this.#timers ?? []) clearTimeout(timer)
    this.#timers = undefined
  }

  #receive(session: Session, data: Buffer, isBinary: boolean): void {
    if (this.#closing || session.onBytes?.(data, isBinary)) return
    const message = messageIn(this.codec, data, isBinary)
    if (message === undefined) return session.onUnreadable()
    const response = this.acknowledges ? participantResponse(message) : undefined
    if (response !== undefined) return this.#asked?.answer(response)
    session.onMessage(message)
    this.#received += 1
    this.participant?.received()
  }

  get question(): Question {
    return (this.#asked ??= new Question())
  }

  #guarded(run: () => void): void {
    const reason = failureOf(run, this.#parts.failed)
    if (reason === 'internal') this.#session?.onError()
    if (reason !== undefined) this.close(reason)
  }

  #onClosed(): void {
    this.#closing = true
    this.#clearTimers()
    this.outbox.close()
    this.#asked?.close()
    this.#guarded(() => this.#session?.onClose())
    this.#parts.leave(this)
  }
}
