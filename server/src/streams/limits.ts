import { authWindowMs } from '@quipu/contract'

/** Everything about streams that has an end. Durations are of the wall clock: they lie between two computers. */
export type StreamLimits = {
  /** Open streams, all together. */
  readonly connectionsMax: number
  /** Open streams of one credential on one endpoint. */
  readonly streamsMax: number
  /** Streams that have not authenticated yet: all together, and from one address. */
  readonly unauthenticatedMax: number
  readonly unauthenticatedPerAddressMax: number
  /** Time a stream has to authenticate. */
  readonly streamAuthTimeoutMs: number
  readonly authAttemptsMax: number
  /** How long the answer to wrong credentials is kept back, because some clients come again at once. */
  readonly authFailureDelayMs: number
  /** Between two pings; a client that misses two in a row is dropped. */
  readonly pingIntervalMs: number
  /** Size of a message that is taken from a client, and how many pieces it may come in. */
  readonly frameMaxBytes: number
  readonly fragmentsMax: number
  /** What may wait to be sent on a stream before its client counts as too slow. */
  readonly socketBufferMaxBytes: number
  /** Symbols a stream may name, over all its channels. */
  readonly symbolsMax: number
  /** How long a closed stream may take to say goodbye. */
  readonly closeTimeoutMs: number
  /** How long a virtual clock waits for a client to read, before that client counts as too slow. */
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
