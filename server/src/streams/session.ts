import type { IncomingHttpHeaders } from 'node:http'
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

/** Close codes of RFC 6455 and their reasons. */
export const closeReasons = {
  goingAway: [1001, 'the server is stopping'],
  notAuthenticated: [1008, 'not authenticated in time'],
  tooManyAttempts: [1008, 'too many attempts'],
  unreadable: [1008, 'unreadable message'],
  revoked: [1008, 'credential revoked'],
  worldClosed: [1001, 'the world is closed'],
  released: [1001, 'another node takes the world over'],
  byOperator: [1001, 'closed by the operator'],
  slow: [1008, 'slow client'],
  internal: [1011, 'internal error'],
} as const
export type CloseReason = keyof typeof closeReasons
