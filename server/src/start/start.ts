import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AddedSymbol, type Money, openCount, type WorldSettings } from '@quipu/core'
import { limitFailedAttempts } from '../access/failed-attempts.ts'
import { issueSignInLink } from '../access/sign-in-link.ts'
import { ClockWatch, clockWarning } from '../clock/watch.ts'
import type { Config } from '../config/config.ts'
import { refuseExposure } from '../config/exposure.ts'
import { PageCache } from '../http/data/page-cache.ts'
import { makeHandlers } from '../http/handlers.ts'
import { LiveAnswers } from '../http/live.ts'
import { oauthHandlers } from '../http/oauth/oauth.ts'
import { OpenSockets } from '../http/open-sockets.ts'
import { readingHandlers } from '../http/reading/index.ts'
import { RequestLog } from '../http/request-log.ts'
import { type Binding, serve } from '../http/serve.ts'
import type { Here, Services } from '../http/services.ts'
import { importedDataHandlers } from '../http/sim/imported-data.ts'
import { keyHandlers } from '../http/sim/keys.ts'
import { marketEventHandlers } from '../http/sim/market-events.ts'
import { worldAssetHandlers } from '../http/sim/world-assets.ts'
import { worldHandlers } from '../http/sim/worlds.ts'
import { issuerHandlers } from '../http/tokenization/issuers.ts'
import { requestControlHandlers } from '../http/tokenization/request-control.ts'
import { tokenizationHandlers } from '../http/tokenization/tokenization.ts'
import { tokenizationBrokerHandlers } from '../http/tokenization/tokenization-broker.ts'
import { accountEventHandlers } from '../http/trading/events.ts'
import { Unsent } from '../http/unsent.ts'
import { builtinIssuers } from '../issuer/builtin-issuers.ts'
import { tokensOf } from '../issuer/external.ts'
import { newSigningKey } from '../issuer/signature.ts'
import { Fenced } from '../journal/journal.ts'
import { Library, seriesOf } from '../market/library.ts'
import { openStore } from '../market/store/index.ts'
import { withActions } from '../market/with-actions.ts'
import { worldMarket } from '../market/world-market.ts'
import { DiskSpace } from '../process/disk-space.ts'
import type { FileOperations } from '../process/file-operations.ts'
import { checkMarketModel, type DataFolder, openFolder } from '../process/folder.ts'
import type { Log } from '../process/log.ts'
import { createMetrics } from '../process/metrics.ts'
import { connectionsWithin } from '../process/open-files.ts'
import type { OwnerCredentials } from '../process/owner-file.ts'
import { version } from '../process/version.ts'
import { defaultStreamLimits, openStreams } from '../streams/index.ts'
import { randomId } from '../world/ids.ts'
import type { World } from '../world/world.ts'
import { type MainStore, Worlds } from '../worlds/worlds.ts'
import { recordFailedAttempts } from './failed-attempt-notices.ts'
import { bootstrapMain } from './first-credentials.ts'
import { type MainChain, mainChain } from './main-chain.ts'
import { filesStore, memoryStore, type StoreReport } from './main-store.ts'
import { mainUpstream } from './main-upstream.ts'

/** A running broker. */
export type Quipu = {
  readonly url: string
  /** Credentials of the owner: all after the first start, later those in the owner's file. */
  readonly credentials: OwnerCredentials
  readonly isFirstStart: boolean
  /** One-time sign-in link of the owner. Only at the first start. */
  readonly signInUrl?: string
  /** A warning about the clock for the operator. */
  readonly warning?: string
  readonly recovered: { readonly events: number; readonly openOrders: number; readonly cutBytes: number }
  /** Resolves when another process has taken the world over: this one must close. */
  readonly takenOver: Promise<Fenced>
  /** Stops accepting requests, completes and stores pending ones, and releases the folder. */
  close(): Promise<void>
}

const STARTING_CASH = 100_000_000_000_000n as Money

export type StartOptions = {
  /** File operations of the journal. Default: the disk of this machine. */
  readonly disk?: FileOperations
  /** Continue with the rest of a journal that lost its end. */
  readonly acceptJournalLoss?: boolean
}

/** Opens the data folder, creates the seed data of a new one, then listens. */
export async function startQuipu(config: Config, log: Log, options: StartOptions = {}): Promise<Quipu> {
  refuseExposure(config)
  const folder = config.data.kind === 'folder' ? await openFolder(config.data.path) : undefined
  try {
    if (folder) checkMarketModel(folder)
    return await openBroker(config, log, options, folder)
  } catch (error) {
    folder?.release()
    throw error
  }
}

async function openBroker(
  config: Config,
  log: Log,
  { disk, acceptJournalLoss }: StartOptions,
  folder?: DataFolder,
): Promise<Quipu> {
  let cutBytes = 0
  const takenOver = Promise.withResolvers<Fenced>()
  const store = await storeOf(config, folder, disk, {
    warn: (message) => log.warn(message),
    recovered: (what) => {
      cutBytes = what.cutBytes
      log.warn('removed an unfinished write from the end of the journal', { cutBytes })
    },
    acceptJournalLoss,
  })
  const library = folder && new Library(openStore(join(folder.path, 'market')))
  const chain = await mainChain(config, log)
  const upstream = await mainUpstream(config, log)
  const worlds = await Worlds.openServer(
    {
      market: (settings, added, world) =>
        worldMarket({ settings, added, imported: (data) => seriesOf(library, world, data) }),
      deleted: (world) => library?.release(world),
      runJob: chain.runJob,
      queueMax: config.queueMax,
      viewsLagMax: config.viewsLagMax,
      viewsWaitMs: config.viewsWaitMs,
      outcomes: config,
      worldsMax: config.worldsMax,
      failed: (world, error) => {
        log.error('world failed', { world, error: String(error) })
        if (error instanceof Fenced) takenOver.resolve(error)
      },
    },
    {
      settings: settingsOf(config),
      store,
      durable: store !== memoryStore,
      market: upstream && ((_, world) => withActions(upstream.market(world), world)),
    },
  ).catch((error) => {
    upstream?.close()
    throw error
  })
  try {
    const recovered = {
      events: worlds.main.replayed,
      openOrders: openCount(worlds.main.view),
      cutBytes,
    }
    const { credentials, isFirstStart } = await bootstrapMain(
      worlds.main,
      { ...config, cash: STARTING_CASH },
      folder?.path,
    )
    for (const added of config.symbols ?? []) await addSymbolIfNew(worlds.main, added)
    const { url, stop } = await open(config, log, { worlds, library, chain })
    await chain.follow(worlds.main)
    const signInUrl = isFirstStart ? await firstLink(worlds.main, url) : undefined
    const warning = clockWarning(worlds.main)
    const watch = new ClockWatch(worlds.main, log.warn)
    const close = async () => {
      watch.close()
      await stop()
      await chain.close()
      await worlds.close()
      upstream?.close()
      folder?.release()
    }
    return {
      url,
      credentials,
      isFirstStart,
      ...(signInUrl && { signInUrl }),
      ...(warning !== undefined && { warning }),
      recovered,
      takenOver: takenOver.promise,
      close,
    }
  } catch (error) {
    await chain.close()
    await worlds.close()
    upstream?.close()
    throw error
  }
}

const FIRST_LINK_MS = 24 * 3_600_000

async function firstLink(main: World, url: string): Promise<string | undefined> {
  const [owner] = main.view.people.keys()
  return owner && (await issueSignInLink(main, owner, FIRST_LINK_MS, true))?.at(url.replace(/\/+$/, ''))
}

/** Adds a configured symbol. An existing symbol is unchanged, so the same start can be repeated. */
async function addSymbolIfNew(main: World, { symbol, price }: AddedSymbol): Promise<void> {
  if (main.market.assets().has(symbol)) return
  const command = { kind: 'addSymbol', symbol, ...(price !== undefined && { price }) } as const
  const { value } = await main.submit(command, (_, decided) => decided)
  if (!value.ok) throw new Error(`bug: ${symbol} was read as a symbol and is refused as ${value.reason.code}`)
}

/** Selects the store. The PostgreSQL library is loaded only if it is used. */
async function storeOf(
  { store }: Config,
  folder: DataFolder | undefined,
  disk: FileOperations | undefined,
  report: StoreReport,
): Promise<MainStore> {
  if (store.kind === 'postgres') return (await import('./postgres-store.ts')).postgresStore(store.url, report)
  return folder ? filesStore(folder.path, report, disk) : memoryStore
}

type Opened = {
  readonly worlds: Worlds
  readonly library: Library | undefined
  readonly chain: MainChain
}

/** Serves HTTP and the streams on one port. */
async function open(
  config: Config,
  log: Log,
  { worlds, library, chain: { chain, faults } }: Opened,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const here: Here = { phase: 'starting', url: '' }
  const connectionsMax = connectionsWithin(config.connectionsMax, log)
  const services: Services = {
    limits: { ...config, connectionsMax, rateLimitPerMinute: config.rateLimit },
    worlds,
    credentials: worlds.credentials,
    log,
    metrics: createMetrics(),
    pages: new PageCache(config.pageCacheBytes),
    live: new LiveAnswers(config.eventStreamsMax),
    unsent: new Unsent(config.unsentMaxBytes),
    disk: diskOf(config),
    sockets: new OpenSockets(),
    requests: new RequestLog(worlds, config.requestLogMax),
    version,
    startedAt: Date.now(),
    here,
    cors: config.cors,
    securityContact: config.securityContact,
    failedAttempts: limitFailedAttempts(config, recordFailedAttempts(worlds, log)),
    metricsFor: config.metrics,
    trustProxy: config.trustProxy,
    strictClientLookup: config.strictClientLookup,
    sim: config.sim,
  }
  const streams = openStreams(services, { ...defaultStreamLimits, ...config, connectionsMax })
  const handlers = makeHandlers({
    ...accountEventHandlers,
    ...worldHandlers(worlds, { ...config, library, chainFaults: faults }),
    ...keyHandlers(worlds),
    ...readingHandlers,
    ...worldAssetHandlers,
    ...marketEventHandlers,
    ...importedDataHandlers(worlds, library),
    ...oauthHandlers,
    ...tokenizationHandlers({ chain }),
    ...tokenizationBrokerHandlers({ chain }),
    ...issuerHandlers({ tokensOf, newSigningKey, builtinIssuers }),
    ...requestControlHandlers({ chain }),
  })
  const { stop } = await serve(services, handlers, bindingOf(config), streams.upgrade)
  here.phase = 'ready'
  return {
    url: here.url,
    async stop() {
      here.phase = 'stopping'
      services.live.close()
      await streams.close()
      await stop()
    },
  }
}

const diskOf = ({ data, store, diskFreeMinBytes }: Config): DiskSpace | undefined =>
  data.kind === 'folder' && store.kind === 'embedded' ? new DiskSpace(data.path, diskFreeMinBytes) : undefined

/** Settings of `main` in a new data folder. An existing folder keeps its settings. */
const settingsOf = (config: Config): WorldSettings => ({
  seed: config.seed ?? randomId(),
  hours: config.hours,
  fillSize: config.fillSize,
  latencyNs: BigInt(config.latencyMs) * 1_000_000n,
  startingCash: STARTING_CASH,
  fees: config.fees,
})

function bindingOf({ host, port, tls, publicUrl }: Config): Binding {
  return {
    host,
    port,
    ...(tls.kind === 'files'
      ? { tls: { cert: readFileSync(tls.certificate), key: readFileSync(tls.key) } }
      : {}),
    ...(publicUrl ? { publicUrl } : {}),
  }
}
