import type { IncomingHttpHeaders } from 'node:http'
import { mayTrade } from '@quipu/broker/access/caller.ts'
import type { ParticipantReport } from '@quipu/contract'
import type { Flavour } from '@quipu/core'
import { fieldsIn } from '@quipu/core/values'
import { namedKey, requestCaller } from '../http/auth.ts'
import type { CallerIndex } from '../http/services.ts'
import { Message } from './frame.ts'
import type { Hubs } from './hubs.ts'
import { participantMessage, StreamParticipant } from './participant.ts'
import type { Session } from './session.ts'
import type { StreamSocket } from './socket.ts'
import type { ChannelLists } from './subscriptions.ts'

export type ParticipantParts = {
  readonly socket: StreamSocket
  readonly credentials: CallerIndex
  readonly flavour: Flavour
  readonly hubs: Hubs
}

/** `/sim/v1/participant`: authenticates with the headers of the handshake, sends the time, and receives reports. */
export class ParticipantSession implements Session {
  readonly #parts: ParticipantParts
  #participant: StreamParticipant | undefined
  #leave: (() => void) | undefined

  constructor(parts: ParticipantParts) {
    this.#parts = parts
  }

  onOpen(headers: IncomingHttpHeaders): void {
    const { socket, credentials, flavour, hubs } = this.#parts
    const find = () => requestCaller(headers, credentials, flavour)
    const outcome = socket.authentication.attempt(credentials.chosenKey(namedKey(headers)), find)
    if (outcome !== 'authenticated') return socket.close('notAuthenticated')
    // The clock waits for a participant.
    if (!mayTrade(socket.caller!)) return socket.close('mayNotTrade')
    const { world } = socket.caller!
    this.#participant = new StreamParticipant(world, (message) => {
      socket.connection.send(message)
      socket.connection.outbox.tick()
    })
    this.#leave = hubs.join(world, this.#participant)
    socket.connection.send(participantMessage({ participant: this.#participant.id }))
    this.#participant.update(false)
  }

  onMessage(message: unknown): void {
    if (isReport(message)) this.#participant?.report(message)
    else this.onUnreadable()
  }

  onUnreadable(): void {
    this.#parts.socket.close('unreadable')
  }

  onAuthTimeout(): void {}

  onError(): void {}

  slowClientMessage(): Message {
    return new Message({})
  }

  onClose(): void {
    this.#participant?.close()
    this.#leave?.()
  }

  stepMessage(): Message {
    throw new Error('bug: a participant is not asked')
  }

  subscriptions(): ChannelLists {
    return {}
  }
}

const LATEST_MS = 8_640_000_000_000_000

function isReport(message: unknown): message is ParticipantReport {
  if (typeof message !== 'object' || message === null) return false
  const { updates, received, sent, next, ahead = 0 } = fieldsIn(message)
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
  const isTime = next === null || (Number.isFinite(next) && Math.abs(next as number) < LATEST_MS)
  return [updates, received, sent, ahead].every(isCount) && isTime
}
