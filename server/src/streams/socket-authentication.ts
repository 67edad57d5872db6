import { type Caller, isRefusedIssuer } from '@quipu/broker/access/caller.ts'
import { type FailedAttempts, findCaller } from '@quipu/broker/access/failed-attempts.ts'
import type { WorldId } from '@quipu/core'
import type { Services } from '../http/services.ts'
import type { ClientConnection, StreamClient } from './client-connection.ts'
import { refusalByFault } from './faults.ts'
import type { Message } from './frame.ts'
import type { AuthOutcome, CloseReason } from './session.ts'

/** The socket whose client authenticates. */
type AuthenticatingSocket = {
  readonly client: StreamClient
  readonly connection: ClientConnection
  readonly caller: Caller | undefined
  close(reason: CloseReason): void
}

export type AuthenticationParts<Socket> = {
  readonly limits: Services['limits']
  readonly failedAttempts: FailedAttempts
  /** The world of a stream that another node relays. */
  readonly relayedWorld: WorldId | undefined
  readonly isHeld: (world: WorldId) => boolean
  /** Counts the connection; false if the credential has no free slot. */
  readonly enter: (socket: Socket, caller: Caller) => boolean
  /** The client no longer belongs to the world of its caller. */
  readonly exit: (socket: Socket, caller: Caller) => void
}

/** Finds out who the client of a socket is, in time and with few attempts. */
export class SocketAuthentication<Socket extends AuthenticatingSocket> {
  caller: Caller | undefined
  readonly #socket: Socket
  readonly #parts: AuthenticationParts<Socket>
  #timer: NodeJS.Timeout | undefined
  #attempts = 0
  #isOverLimit = false

  constructor(socket: Socket, parts: AuthenticationParts<Socket>) {
    this.#socket = socket
    this.#parts = parts
  }

  /** Starts the time to authenticate. `refuse` gets whether the client has tried. */
  start(refuse: (hasTried: boolean) => void): void {
    const end = () => {
      // Without a free slot the connection ends without a close frame, because then clients reconnect.
      if (this.#isOverLimit) this.#socket.connection.terminate()
      else refuse(this.#attempts > 0)
    }
    this.#timer = setTimeout(end, this.#parts.limits.streamAuthTimeoutMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** One attempt. `sendRefusal` answers wrong credentials with a delay. */
  attempt(chosenKey: string | undefined, find: () => Caller | undefined): AuthOutcome {
    this.#attempts += 1
    const socket = this.#socket
    const { failedAttempts, relayedWorld, isHeld, limits } = this.#parts
    if (this.#attempts > limits.authAttemptsMax) return this.#refuse('tooManyAttempts')
    // A node that loses a world forgets its credentials. The other node looks for the next holder.
    if (relayedWorld !== undefined && !isHeld(relayedWorld)) return this.#refuse('released')
    const { caller } = findCaller(failedAttempts, socket.client.address, chosenKey, find)
    const refusal = caller && refusalByFault(socket, caller)
    if (!caller || isRefusedIssuer(caller) || refusal === 'wrongCredentials') return 'refused'
    this.#isOverLimit = refusal === 'connectionLimit' || !this.#parts.enter(socket, caller)
    if (this.#isOverLimit) return 'full'
    this.caller = caller
    this.stop()
    return 'authenticated'
  }

  #refuse(reason: CloseReason): 'refused' {
    this.#socket.close(reason)
    return 'refused'
  }

  /** Sends the refusal with a delay, because some clients retry at once. */
  sendRefusal(message: Message): void {
    const { connection } = this.#socket
    connection.schedule(this.#parts.limits.authFailureDelayMs, () => connection.send(message))
  }

  /** Another node authenticates the client from now on. */
  detach(): void {
    this.stop()
    if (this.caller) this.#parts.exit(this.#socket, this.caller)
    this.caller = undefined
  }
}
