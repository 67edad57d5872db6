import { authWindowMs } from '@quipu/contract'

/** The limits of streams. Durations are in wall-clock time, because they concern network connections. */
export type StreamLimits = {
  /** Open streams in total. */
  readonly connectionsMax: number
  /** Open streams of one credential on one endpoint. */
  readonly streamsMax: number
  /** Streams that have not authenticated yet: in total, and per address. */
  readonly unauthenticatedMax: number
  readonly unauthenticatedPerAddressMax: number
  /** Time a stream has to authenticate. */
  readonly streamAuthTimeoutMs: number
  readonly authAttemptsMax: number
  /** Delay of the response to wrong credentials, because some clients retry at once. */
  readonly authFailureDelayMs: number
  /** Between two pings; a client that misses two in a row is dropped. */
  readonly pingIntervalMs: number
  /** Maximum size and number of fragments of a message from a client. */
  readonly frameMaxBytes: number
  readonly fragmentsMax: number
  /** Unsent bytes of a stream; above this its client is too slow and is disconnected. */
  readonly socketBufferMaxBytes: number
  /** Subscribed symbols of a stream over all its channels. */
  readonly symbolsMax: number
  /** Time for the closing handshake of a stream. */
  readonly closeTimeoutMs: number
  /** How long a virtual clock waits for a client to read before the client is disconnected as too slow. */
  readonly drainTimeoutMs: number
}

export const defaultStreamLimits: StreamLimits = {
  connectionsMax: 10_000,
  streamsMax: 100,
  unauthenticatedMax: 1_000,
  unauthenticatedPerAddressMax: 200,
  streamAuthTimeoutMs: authWindowMs,
  authAttemptsMax: 30,
  authFailureDelayMs: 1_000,
  pingIntervalMs: 20_000,
  frameMaxBytes: 64 * 1024,
  fragmentsMax: 1_024,
  socketBufferMaxBytes: 4 * 1024 * 1024,
  symbolsMax: 10_000,
  closeTimeoutMs: 2_000,
  drainTimeoutMs: 5_000,
}
