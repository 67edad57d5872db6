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
import type { LiveAnswers } from './live.ts'
import type { OpenSockets } from './open-sockets.ts'
import type { RequestLog } from './request-log.ts'
import type { Unsent } from './unsent.ts'

/** What one caller may cost the HTTP side. Times are the machine's, not a world's. */
export type HttpLimits = {
  readonly bodyMaxBytes: number
  readonly headerMaxBytes: number
  /** From the first byte, or the connection, until the headers are complete. */
  readonly headersTimeoutMs: number
  /** From the first byte until the body is complete. */
  readonly requestTimeoutMs: number
  /** How long an answer may lie unread by its client. */
  readonly responseReadTimeoutMs: number
  readonly keepAliveMs: number
  readonly connectionsMax: number
  /** Requests of one connection that are in progress at a time. */
  readonly connectionRequestsMax: number
  /** Bytes of responses that clients have not read, of all connections together. */
  readonly unsentMaxBytes: number
  /** Per key, per app and account, per address without one; trading, data and open operations apart. 0 is no limit. */
  readonly rateLimitPerMinute: number
  /** Rows of one answer, where the protocol allows more. */
  readonly pageMax: number
  /** Characters of an Idempotency-Key. */
  readonly idempotencyKeyMax: number
  /** Bytes of pages of market data that are kept for the next who asks. 0 keeps none. */
  readonly pageCacheBytes: number
  /** How long a history query waits for the views. */
  readonly viewsWaitMs: number
  /** How long a stop waits for requests under way. */
  readonly stopGraceMs: number
  /** Answers that stay open, as server-sent events. */
  readonly eventStreamsMax: number
  /** Events of the journal that one page of a filtered list looks through. */
  readonly scanMax: number
  /** Watchlists of one account, and symbols in one of them. */
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

/** Who a credential speaks for. A token of two accounts acts on the one of the flavour asked for. */
export type CallerIndex = Pick<Credentials, 'byKey' | 'knows' | 'chosenKey'> & {
  byToken?(token: string, flavour: Flavour): Caller | undefined
}

/** What of the process changes: whoever starts and stops it writes this. */
export type ServerState = {
  phase: 'starting' | 'ready' | 'stopping'
  /** Where it is reached; known once it listens. */
  url: string
  /** QUIPU_PUBLIC_URL, where it is set. */
  publicUrl?: string
}

/** Everything a request may need of the process. */
export type Services = {
  readonly limits: HttpLimits
  readonly worlds: Worlds
  readonly credentials: CallerIndex
  readonly log: Log
  readonly metrics: Metrics
  /** Pages of market data that were sent and never change. */
  readonly pages: PageCache
  /** The last requests, as they were answered. */
  readonly requests: RequestLog
  readonly sockets: OpenSockets
  /** Answers that stay open. */
  readonly live: LiveAnswers
  /** The disk of the data folder, where main is on one. */
  readonly disk?: DiskSpace | undefined
  /** The responses that clients have not read. */
  readonly unsent: Unsent
  readonly version: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly startedAt: number
  readonly serverState: ServerState
  /** Whom to tell about a security problem: an address with its scheme, such as `mailto:`. */
  readonly securityContact?: string | undefined
  /** Which pages of other origins may call. */
  readonly cors: Cors
  readonly failedAttempts: FailedAttempts
  /** Who may read `/metrics`. */
  readonly metricsFor: 'anyone' | 'operator'
  /** Whether X-Forwarded-For and X-Forwarded-Proto of a proxy in front are believed. */
  readonly trustProxy: boolean
  /** Whether a lookup of an app is refused where its redirect URI, scope or response type would be. */
  readonly strictClientLookup?: boolean
  /** False removes the operations that control worlds, clocks and prices. */
  readonly sim: boolean
}
