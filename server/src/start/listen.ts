import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { limitFailedAttempts } from '@quipu/broker/access/failed-attempts.ts'
import { type KeySource, SealingKey } from '@quipu/broker/access/sealing-key.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { DiskSpace } from '@quipu/broker/data-folder/disk-space.ts'
import { version } from '@quipu/broker/data-folder/version.ts'
import { builtinIssuers } from '@quipu/broker/issuer/builtin.ts'
import { issuerTokens } from '@quipu/broker/issuer/external.ts'
import { newSigningKey } from '@quipu/broker/issuer/signature.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import type { Library } from '@quipu/broker/market/library.ts'
import type { Upstream } from '@quipu/broker/market/upstream/upstream.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import { definedFields } from '@quipu/core/values'
import type { Config } from '../config/config.ts'
import { type HistoryReader, localReader } from '../history/reader.ts'
import { HistoryThreads } from '../history/threads.ts'
import { BodyBudget } from '../http/body/body-budget.ts'
import { publicUrlOf } from '../http/connection/host.ts'
import { OpenSockets } from '../http/connection/open-sockets.ts'
import { pageCache } from '../http/data/page-cache.ts'
import { EventStreams } from '../http/event-stream.ts'
import { watchCluster } from '../http/forwarding/cluster-metrics.ts'
import { makeHandlers } from '../http/handlers.ts'
import { createMetrics } from '../http/metrics/metrics.ts'
import { RequestLog } from '../http/request-log.ts'
import { type Binding, serve } from '../http/serve.ts'
import type { Doctor, Services } from '../http/services.ts'
import { importedDataHandlers } from '../http/sim/imported-data.ts'
import { keyHandlers } from '../http/sim/keys.ts'
import { runHandlers } from '../http/sim/runs/runs.ts'
import { scenarioHandlers } from '../http/sim/scenarios.ts'
import { storeHandlers } from '../http/sim/store.ts'
import { worldHandlers } from '../http/sim/worlds.ts'
import { issuerHandlers } from '../http/tokenization/issuers.ts'
import { requestControlHandlers } from '../http/tokenization/request-control.ts'
import { tokenizationHandlers } from '../http/tokenization/tokenization.ts'
import { tokenizationBrokerHandlers } from '../http/tokenization/tokenization-broker.ts'
import { Unsent } from '../http/unsent.ts'
import { WebFiles } from '../http/web/web-files.ts'
import { openStreams } from '../streams/index.ts'
import { backupsOf } from './backups.ts'
import { doctorOf } from './doctor.ts'
import { recordFailedAttempts } from './failed-attempt-notices.ts'
import { watchHealth } from './health-metrics.ts'
import type { MainChain } from './main-chain.ts'
import { memoryConnection } from './memory-connection.ts'
import { connectionsWithin } from './open-files.ts'
import { openRunFiles } from './run-files.ts'
import { temporaryForks } from './temporary-forks.ts'

/** The parts of the process that requests use. */
export type Opened = {
  readonly worlds: Worlds
  readonly library: Library | undefined
  readonly chain: MainChain
  /** The market data provider, if one is configured. */
  readonly upstream?: Upstream | undefined
  /** Only on a node of a cluster. */
  readonly cluster?: Cluster | undefined
}

/** A server that listens. */
type Listening = {
  /** The server's own address. */
  readonly url: string
  /** The address for clients. */
  readonly publicUrl: string
  connect(): Duplex
  /** Reports that the server is not ready, and still answers. */
  leave(): void
  stop(): Promise<void>
}

/** Serves HTTP and the streams on one port. */
export async function listen(config: Config, log: Log, opened: Opened): Promise<Listening> {
  const { worlds, library, upstream } = opened
  const { chain, faults } = opened.chain
  const backups = backupsOf(config, worlds)
  const services = servicesOf(config, log, opened, doctorOf(config, backups))
  const { serverState } = services
  watchCluster(services)
  watchHealth(config, services)
  const streams = openStreams(services, upstream)
  const forWorlds = {
    ...worldHandlers(worlds, { ...config, library, chainFaults: faults }),
    ...importedDataHandlers(worlds, library),
    ...issuerHandlers({ tokensOf: issuerTokens, newSigningKey, builtinIssuers }),
  }
  const handlers = makeHandlers({
    ...forWorlds,
    ...scenarioHandlers(forWorlds),
    ...keyHandlers(worlds),
    ...storeHandlers(worlds, backups),
    ...runHandlers(worlds, await openRunFiles(config, worlds)),
    ...tokenizationHandlers({ chain }),
    ...tokenizationBrokerHandlers({ chain }),
    ...requestControlHandlers({ chain }),
  })
  const temporary = temporaryForks(log, opened)
  const { server, stop } = await serve(services, handlers, bindingOf(config), streams.upgrade)
  serverState.phase = 'ready'
  return {
    url: serverState.url,
    publicUrl: publicUrlOf(services),
    connect() {
      const [client, served] = memoryConnection()
      server.emit('connection', served)
      return client
    },
    leave() {
      serverState.phase = 'leaving'
    },
    async stop() {
      serverState.phase = 'stopping'
      temporary.close()
      services.connections.eventStreams.close()
      await streams.close()
      await stop()
      await services.market.history.close()
    },
  }
}

function servicesOf(
  config: Config,
  log: Log,
  { worlds, cluster, library }: Opened,
  doctor: Doctor,
): Services {
  worlds.access.credentials.factorPolicy = config.secondFactor
  return {
    serverState: { version, startedAt: Date.now(), phase: 'starting', url: '' },
    settings: config,
    limits: { ...config, connectionsMax: allowedConnections(config.connectionsMax, log) },
    worlds,
    cluster,
    security: {
      credentials: worlds.access.credentials,
      failedAttempts: limitFailedAttempts(config, recordFailedAttempts(worlds, log)),
      sealingKey: new SealingKey(keySource(config)),
      recoveryFolder: config.data.kind === 'folder' ? config.data.path : undefined,
    },
    connections: {
      sockets: new OpenSockets(),
      eventStreams: new EventStreams(config.eventStreamsMax, config.eventStreamsPerKey),
      unsent: new Unsent(config.unsentMaxBytes),
      bodyBudget: new BodyBudget(config.largeBodyBytesPerMinute),
    },
    market: { history: historyOf(config, log, library), pages: pageCache(config.pageCacheBytes) },
    web: new WebFiles(),
    monitoring: {
      metrics: createMetrics(),
      requests: new RequestLog(worlds, config.requestLogMax),
      disk: diskOf(config, log),
      doctor,
    },
    log,
  }
}

/** The database of a cluster must not have the key, so that a copy of it reveals no secret. */
function keySource({ clusterSecret: secret, data }: Config): KeySource {
  if (secret !== undefined) return { kind: 'cluster', secret }
  return data.kind === 'folder' ? { kind: 'folder', folder: data.path } : { kind: 'memory' }
}

const historyOf = ({ readers }: Config, log: Log, library: Library | undefined): HistoryReader =>
  readers === 0 ? localReader : new HistoryThreads(readers, { folder: library?.folder }, log)

function diskOf({ data, store, diskFreeMinBytes }: Config, log: Log): DiskSpace | undefined {
  if (data.kind !== 'folder' || store.kind !== 'embedded') return undefined
  const { path: folder } = data
  return new DiskSpace(folder, diskFreeMinBytes, (isFull) => {
    if (isFull) log.error('the disk is full: requests that write are refused', { folder, diskFreeMinBytes })
    else log.info('the disk has space again', { folder })
  })
}

function bindingOf({ host, port, tls: setting, publicUrl }: Config): Binding {
  const tls =
    setting.kind === 'files'
      ? { cert: readFileSync(setting.certificate), key: readFileSync(setting.key) }
      : undefined
  return { host, port, ...definedFields({ tls, publicUrl }) }
}

/** The setting `connectionsMax`, or less if the limit on open files does not allow as many. */
function allowedConnections(connectionsMax: number, log: Log): number {
  const allowed = connectionsWithin(connectionsMax)
  if (allowed < connectionsMax)
    log.warn('fewer connections than connectionsMax, because of the limit on open files (ulimit -n)', {
      connectionsMax,
      allowed,
    })
  return allowed
}
