import type { StreamError } from '../errors.ts'

/** What a frame of the server means. */
export type Frame<Message> =
  | { readonly kind: 'connected' }
  | { readonly kind: 'authenticated' }
  /** The credential is refused, or the server has no free connection for it. */
  | { readonly kind: 'refused'; readonly error: StreamError; readonly isTransient: boolean }
  | { readonly kind: 'acknowledged' }
  /** `isAnswer`: the server refuses the oldest request without a response. Other errors concern no request. */
  | { readonly kind: 'error'; readonly error: StreamError; readonly isAnswer: boolean }
  | { readonly kind: 'message'; readonly message: Message }
  /** A replay asks whether the program is done with all messages before. */
  | { readonly kind: 'step'; readonly step: number }

/** The protocol of one stream, without its connection. */
export type Protocol<Message> = {
  readonly url: string
  /** Whether the server sends a frame before it expects the credential. */
  readonly hasWelcome: boolean
  /** The frame with the credential. Rejects if the program has no token. */
  authentication(): Promise<unknown>
  /** The request for all current subscriptions, or undefined without any. */
  subscription(): unknown
  read(frame: unknown): readonly Frame<Message>[]
  /** Runs before subscriptions change, to know where new ones begin. */
  begin(): Promise<void>
  /** Records the position of a delivered message. */
  record(message: Message): void
  /** Whether a message is after the recorded position. */
  isNew(message: Message): boolean
  /** The messages that were published while there was no connection, and perhaps some before and after. */
  missed(signal: AbortSignal): AsyncIterable<Message>
}
