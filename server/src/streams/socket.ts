import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { ClientConnection, type ConnectionParts, type StreamClient } from './client-connection.ts'
import { frameOf, messageIn, PING } from './frame.ts'
import { participantResponse, Question } from './question.ts'
import { type CloseReason, closeReasons, failureOf, type Session } from './session.ts'
import { type AuthenticationParts, SocketAuthentication } from './socket-authentication.ts'
import type { ChannelLists } from './subscriptions.ts'

export type SocketParts = Omit<ConnectionParts, 'slowClientMessage' | 'countMessage' | 'guarded'> &
  AuthenticationParts<StreamSocket> & {
    readonly leave: (socket: StreamSocket) => void
    readonly failed: (error: unknown) => void
  }

const PINGS_MISSED_MAX = 2

/** A stream: it opens, must authenticate in time, exchanges messages, and is closed by either side. */
export class StreamSocket {
  readonly client: StreamClient
  readonly connection: ClientConnection
  readonly authentication: SocketAuthentication<StreamSocket>
  readonly #parts: SocketParts
  #session: Session | undefined
  #pingsMissed = 0
  #sent = 0
  #received = 0
  #asked: Question | undefined

  constructor(parts: SocketParts) {
    this.client = parts.client
    this.#parts = parts
    this.connection = new ClientConnection({
      ...parts,
      slowClientMessage: () => this.#session?.slowClientMessage(),
      countMessage: () => {
        this.#sent += 1
      },
      guarded: (run) => this.#guarded(run),
    })
    this.authentication = new SocketAuthentication<StreamSocket>(this, parts)
  }

  get caller(): Caller | undefined {
    return this.authentication.caller
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
    const { ws } = this.#parts
    const { connection } = this
    ws.on('message', (data: Buffer, isBinary) => this.#guarded(() => this.#receive(session, data, isBinary)))
    ws.on('ping', (data: Buffer) => {
      if (!connection.isClosing && !connection.fault?.isMute) connection.outbox.push(frameOf('pong', data))
    })
    ws.on('pong', (data: Buffer) => {
      this.#pingsMissed = 0
      if (data.length > 0) this.#asked?.answer(Number(data.toString('latin1')))
      session.onPong?.(data)
    })
    ws.on('close', () => this.#onClosed())
    this.authentication.start((hasTried) =>
      this.#guarded(() => {
        session.onAuthTimeout(hasTried)
        this.close('notAuthenticated')
      }),
    )
  }

  /** Sends a ping, or the question of a step. Resolves with the response, or when the client is disconnected. */
  ask(kind: 'ping' | 'step'): Promise<void> {
    if (this.connection.fault?.isMute) return Promise.resolve()
    return this.question.ask((number) => {
      const step = kind === 'ping' ? undefined : this.#session?.stepMessage(number).frame(this.client.codec)
      this.connection.outbox.pushNow(step ?? frameOf('ping', Buffer.from(`${number}`)))
    })
  }

  get question(): Question {
    return (this.#asked ??= new Question())
  }

  /** Called at every ping interval. */
  ping(): void {
    const { connection } = this
    if (connection.isClosing || connection.fault?.isMute) return
    if (this.#pingsMissed++ >= PINGS_MISSED_MAX) return connection.terminate()
    connection.outbox.push(PING)
  }

  close(key: CloseReason): void {
    if (key === 'released' && this.#session?.onReleased?.()) return
    this.authentication.stop()
    const [code, reason] = closeReasons[key]
    this.connection.closeWith(code, reason)
  }

  #receive(session: Session, data: Buffer, isBinary: boolean): void {
    if (this.connection.isClosing || session.onBytes?.(data, isBinary)) return
    const { codec, acknowledges, participant } = this.client
    const message = messageIn(codec, data, isBinary)
    if (message === undefined) return session.onUnreadable()
    const response = acknowledges ? participantResponse(message) : undefined
    if (response !== undefined) return this.#asked?.answer(response)
    session.onMessage(message)
    this.#received += 1
    participant?.received()
  }

  #guarded(run: () => void): void {
    const reason = failureOf(run, this.#parts.failed)
    if (reason === 'internal') this.#session?.onError()
    if (reason !== undefined) this.close(reason)
  }

  #onClosed(): void {
    this.authentication.stop()
    this.#asked?.close()
    this.#guarded(() => this.#session?.onClose())
    this.#parts.leave(this)
  }
}
