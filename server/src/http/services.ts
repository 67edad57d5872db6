import type { Caller } from '@quipu/broker/access/caller.ts'
import type { Credentials } from '@quipu/broker/access/credentials.ts'
import type { FailedAttempts } from '@quipu/broker/access/failed-attempts.ts'
import type { SealingKey } from '@quipu/broker/access/sealing-key.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import type { DiskSpace } from '@quipu/broker/data-folder/disk-space.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { DoctorCheckRecord } from '@quipu/contract'
import type { Flavour } from '@quipu/core'
import type { Config, Limits } from '../config/config.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { BodyBudget } from './body/body-budget.ts'
import type { OpenSockets } from './connection/open-sockets.ts'
import type { PageCache } from './data/page-cache.ts'
import type { EventStreams } from './event-stream.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { RequestLog } from './request-log.ts'
import type { Unsent } from './unsent.ts'
import type { WebFiles } from './web/web-files.ts'

/** Finds the caller of a credential. A token with two accounts uses the account of the flavour. */
export type CallerIndex = Pick<Credentials, 'byKey' | 'chosenKey'> & {
  byToken?(token: string, flavour: Flavour): Caller | undefined
}

/** The process itself. Its start and stop write `phase`, `url` and `publicUrl`. */
export type ServerState = {
  readonly version: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly startedAt: number
  /** `leaving`: a node of a cluster that will stop, and still answers. */
  phase: 'starting' | 'ready' | 'leaving' | 'stopping'
  /** The server's own address, for this machine; set once it listens. Clients get `publicUrlOf`. */
  url: string
  /** QUIPU_PUBLIC_URL, if set. */
  publicUrl?: string
}

/** The settings that requests read, besides limits. */
export type RequestSettings = Pick<
  Config,
  'cors' | 'metrics' | 'securityContact' | 'sim' | 'strictClientLookup' | 'trustProxy'
>

/** Checks who calls. */
export type Security = {
  readonly credentials: CallerIndex
  readonly failedAttempts: FailedAttempts
  /** Encrypts secrets of authenticator apps, and challenges in forms. */
  readonly sealingKey: SealingKey
  /** The data folder: who can write to it may reset second factors. */
  readonly recoveryFolder?: string | undefined
}

/** The open connections of all clients, and the bytes that they hold. */
type OpenConnections = {
  readonly sockets: OpenSockets
  /** Open server-sent event streams. */
  readonly eventStreams: EventStreams
  /** Bytes of responses that clients have not read. */
  readonly unsent: Unsent
  readonly bodyBudget: BodyBudget
}

/** Reads market history for requests. */
type MarketPages = {
  /** Reads pages of market history that no cache holds. */
  readonly history: HistoryReader
  /** Cached pages of market data that never change. */
  readonly pages: PageCache
}

/** The checks of `quipu doctor`: those of this process, and all with those of the database and of other nodes. */
export type Doctor = Readonly<
  Record<'own' | 'whole', (services: Services) => Promise<readonly DoctorCheckRecord[]>>
>

/** What an operator observes. */
type Monitoring = {
  readonly metrics: Metrics
  /** The last requests and their outcomes. */
  readonly requests: RequestLog
  /** The disk of the data folder, if main uses one. */
  readonly disk?: DiskSpace | undefined
  readonly doctor?: Doctor | undefined
}

/** The parts of the process that handlers use. */
export type Services = {
  readonly serverState: ServerState
  readonly settings: RequestSettings
  /** Durations are in real time, not on the clock of a world. */
  readonly limits: Limits
  readonly worlds: Worlds
  /** The cluster that this node belongs to, if it is one. */
  readonly cluster?: Cluster | undefined
  readonly security: Security
  readonly connections: OpenConnections
  readonly market: MarketPages
  /** The built dashboard and documentation. */
  readonly web: WebFiles
  readonly monitoring: Monitoring
  readonly log: Log
}

/** The cluster of a node. Only a node of a cluster forwards requests. */
export function clusterOf({ cluster }: Pick<Services, 'cluster'>): Cluster {
  if (!cluster) throw new Error('bug: this server is not a node of a cluster')
  return cluster
}

/** The world of the caller. Only operations that are open to anyone have none. */
export function callersWorld({ state: { world } }: CallersState): World {
  if (!world) throw new Error('bug: the caller has no world')
  return world
}

type CallersState = { readonly state: { readonly world: World | undefined } }
