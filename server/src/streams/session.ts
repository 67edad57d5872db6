import type { IncomingHttpHeaders } from 'node:http'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { Message } from './frame.ts'
import type { ChannelLists } from './subscriptions.ts'

/** The protocol of a stream on one connection. */
export interface Session {
  /** With the headers of the handshake. */
  onOpen(headers: IncomingHttpHeaders): void
  onMessage(message: unknown): void
  /** Receives a message before it is decoded; true if the session needs no more of it. */
  onBytes?(data: Buffer, isBinary: boolean): boolean
  onPong?(data: Buffer): void
  /** The message is neither JSON nor MessagePack. */
  onUnreadable(): void
  /** The time to authenticate is over; `tried` is false if the client sent no credentials. */
  onAuthTimeout(tried: boolean): void
  /** Sends the error of a bug before the connection is closed. */
  onError(): void
  /** The last message to a client that reads too slowly. */
  slowClientMessage(): Message
  onClose(): void
  /** Another node takes the world over; true if the session continues there. */
  onReleased?(): boolean
  /** Asks a client that acknowledges to answer when it is done with all messages before. */
  stepMessage(step: number): Message
  /** The subscribed symbols by channel. */
  subscriptions(): ChannelLists
}

export type AuthOutcome = 'authenticated' | 'refused' | 'full'

/**
 * Close codes and their reasons. 1001: this server stops. 1012 and 1013: it runs on, and the client may connect again,
 * at once or later.
 */
export const closeReasons = {
  goingAway: [1001, 'the server is stopping'],
  worldReset: [1012, 'the world is being reset'],
  worldDeleted: [1012, 'the world is being deleted'],
  released: [1012, 'the world moves to another node, or is opened again'],
  sessionMoved: [1012, 'the session moves to another node'],
  notContinued: [1012, 'the next node of the world did not accept the credential'],
  byOperator: [1012, 'closed by the operator'],
  noNode: [1013, 'no node holds the world'],
  unavailable: [1013, 'the world or the database does not answer'],
  unsent: [1013, 'too many messages wait for the node of the world'],
  notResumed: [1013, 'past updates cannot be read'],
  mayNotTrade: [1008, 'the credential may not trade'],
  notAuthenticated: [1008, 'not authenticated in time'],
  tooManyAttempts: [1008, 'too many attempts'],
  unreadable: [1008, 'unreadable message'],
  revoked: [1008, 'credential revoked'],
  slow: [1008, 'slow client'],
  internal: [1011, 'internal error'],
} as const
export type CloseReason = keyof typeof closeReasons

/** The reason to close a socket for this error. */
export const closeReasonOf = (error: unknown): 'unavailable' | 'internal' =>
  error instanceof NotApplied ? 'unavailable' : 'internal'

/** Runs code of a session, and reports a bug in it. Returns the reason to close its socket. */
export function failureOf(
  run: () => void,
  failed: (error: unknown) => void,
): 'unavailable' | 'internal' | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    const reason = closeReasonOf(error)
    if (reason === 'internal') failed(error)
    return reason
  }
}
