import type { Flavour } from '@quipu/core'
import type { Caller } from '../access/caller.ts'
import type { Credentials } from '../access/credentials.ts'
import type { FailedAttempts } from '../access/failed-attempts.ts'
import type { Cors } from '../config/settings.table.ts'
import type { DiskSpace } from '../process/disk-space.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { PageCache } from './data/page-cache.ts'
import type { EventStreams } from './event-stream.ts'
import type { OpenSockets } from './open-sockets.ts'
import type { RequestLog } from './request-log.ts'
import type { Unsent } from './unsent.ts'

/** The limits of the HTTP server. Times are in real time, not on the clock of a world. */
export type HttpLimits = {
  readonly bodyMaxBytes: number
  readonly headerMaxBytes: number
  /** From the first byte, or the connection, until the headers are complete. */
  readonly headersTimeoutMs: number
  /** From the first byte until the body is complete. */
  readonly requestTimeoutMs: number
  /** The time that a client has to read a response. */
  readonly responseReadTimeoutMs: number
  readonly keepAliveMs: number
  readonly connectionsMax: number
  /** Requests of one connection that are in progress at a time. */
  readonly connectionRequestsMax: number
  /** Bytes of responses that clients have not read, of all connections together. */
  readonly unsentMaxBytes: number
  /** Per key, per app and account, or per address; separate for trading, data and open operations. 0 is no limit. */
  readonly rateLimitPerMinute: number
  /** Rows per response, where the protocol allows more. */
  readonly pageMax: number
  /** Characters of an Idempotency-Key. */
  readonly idempotencyKeyMax: number
  /** Bytes of the cache for pages of market data. 0 disables the cache. */
  readonly pageCacheBytes: number
  /** The time that a history query waits for the views. */
  readonly viewsWaitMs: number
  /** The time that a stop waits for running requests. */
  readonly stopGraceMs: number
  /** Open server-sent event streams. */
  readonly eventStreamsMax: number
  /** Journal events that one page of a filtered list scans. */
  readonly scanMax: number
  /** Watchlists per account, and symbols per watchlist. */
  readonly watchlistsMax: number
  readonly watchlistSymbolsMax: number
}

export const defaultHttpLimits: HttpLimits = {
  bodyMaxBytes: 1_048_576,
  headerMaxBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  responseReadTimeoutMs: 30_000,
  keepAliveMs: 600_000,
  connectionsMax: 10_000,
  connectionRequestsMax: 4,
  unsentMaxBytes: 268_435_456,
  rateLimitPerMinute: 0,
  pageMax: 10_000,
  idempotencyKeyMax: 128,
  pageCacheBytes: 67_108_864,
  viewsWaitMs: 5000,
  stopGraceMs: 10_000,
  eventStreamsMax: 1_000,
  scanMax: 200_000,
  watchlistsMax: 200,
  watchlistSymbolsMax: 1_000,
}

/** Finds the caller of a credential. A token with two accounts uses the account of the flavour. */
export type CallerIndex = Pick<Credentials, 'byKey' | 'knows' | 'chosenKey'> & {
  byToken?(token: string, flavour: Flavour): Caller | undefined
}

/** The mutable state of the process; its start and stop write it. */
export type ServerState = {
  phase: 'starting' | 'ready' | 'stopping'
  /** The URL of the server; set once it listens. */
  url: string
  /** QUIPU_PUBLIC_URL, if set. */
  publicUrl?: string
}

/** The parts of the process that handlers use. */
export type Services = {
  readonly limits: HttpLimits
  readonly worlds: Worlds
  readonly credentials: CallerIndex
  readonly log: Log
  readonly metrics: Metrics
  /** Cached pages of market data that never change. */
  readonly pages: PageCache
  /** The last requests and their outcomes. */
  readonly requests: RequestLog
  readonly sockets: OpenSockets
  /** Open server-sent event streams. */
  readonly eventStreams: EventStreams
  /** The disk of the data folder, if main uses one. */
  readonly disk?: DiskSpace | undefined
  /** Bytes of responses that clients have not read. */
  readonly unsent: Unsent
  readonly version: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly startedAt: number
  readonly serverState: ServerState
  /** The contact for security problems: an address with its scheme, such as `mailto:`. */
  readonly securityContact?: string | undefined
  /** The origins whose pages may call the server. */
  readonly cors: Cors
  readonly failedAttempts: FailedAttempts
  /** Who may read `/metrics`. */
  readonly metricsFor: 'anyone' | 'operator'
  /** Whether the server trusts X-Forwarded-For and X-Forwarded-Proto of a proxy in front. */
  readonly trustProxy: boolean
  /** Whether the lookup of an app checks redirect URI, scope and response type as an authorization does. */
  readonly strictClientLookup?: boolean
  /** False removes the operations that control worlds, clocks and prices. */
  readonly sim: boolean
}
