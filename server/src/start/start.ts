import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type AddedSymbol, definedFields, type Money, openCount, type WorldSettings } from '@quipu/core'
import { issueSignInLink } from '../access/sign-in-link.ts'
import { ClockWatch, clockWarning } from '../clock/watch.ts'
import type { Config } from '../config/config.ts'
import { refuseExposure } from '../config/exposure.ts'
import { marginFrom, venueFrom } from '../http/sim/world-venue.ts'
import { Fenced } from '../journal/journal.ts'
import { Library, seriesOf } from '../market/library.ts'
import { openStore } from '../market/store/index.ts'
import type { Upstream } from '../market/upstream/upstream.ts'
import { withActions } from '../market/with-actions.ts'
import { worldMarket } from '../market/world-market.ts'
import type { FileOperations } from '../process/file-operations.ts'
import { checkMarketModel, type DataFolder, openFolder } from '../process/folder.ts'
import type { Log } from '../process/log.ts'
import type { OwnerCredentials } from '../process/owner-file.ts'
import { randomId } from '../world/ids.ts'
import type { World } from '../world/world.ts'
import type { DurableStorage, WorldRecord } from '../worlds/durable.ts'
import { type MainStore, Worlds } from '../worlds/worlds.ts'
import { durableFiles } from './durable-files.ts'
import { bootstrapMain, refuseCodesOfWorlds } from './first-start.ts'
import { listen, type Opened } from './listen.ts'
import { type MainChain, mainChain } from './main-chain.ts'
import { filesStore, memoryStore, type StoreReport } from './main-store.ts'

/** A running broker. */
export type Quipu = {
  readonly url: string
  /** Credentials of the owner: all after the first start, later those in the owner's file. */
  readonly credentials: OwnerCredentials
  readonly isFirstStart: boolean
  /** One-time sign-in link of the owner. Only at the first start. */
  readonly signInUrl?: string | undefined
  /** A warning about the clock for the operator. */
  readonly warning?: string | undefined
  readonly recovered: { readonly events: number; readonly openOrders: number; readonly cutBytes: number }
  /** Resolves when another process has taken the world over: this one must close. */
  readonly takenOver: Promise<Fenced>
  /** Opens a connection to the server inside this process. */
  readonly connect: () => Duplex
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
  folder: DataFolder | undefined,
): Promise<Quipu> {
  let cutBytes = 0
  const takenOver = Promise.withResolvers<Fenced>()
  const { store, durable } = await storesOf(config, folder, disk, {
    warn: (message) => log.warn(message),
    recovered: (what) => {
      cutBytes = what.cutBytes
      log.warn('removed an unfinished write from the end of the journal', { cutBytes })
    },
    acceptJournalLoss,
  })
  const records = (await durable?.list()) ?? []
  refuseCodesOfWorlds(config, records)
  const library =
    folder &&
    new Library(
      openStore(join(folder.path, 'market')),
      records.map(({ world }) => world),
    )
  const chain = await mainChain(config, log)
  const upstream = await mainUpstream(config, log)
  const parts = { store, durable, records, library, chain, upstream, takenOver: takenOver.resolve }
  const worlds = await openWorlds(config, log, parts).catch((error) => {
    upstream?.close()
    throw error
  })
  const { replayed: events, view } = worlds.main
  const recovered = { events, openOrders: openCount(view), cutBytes }
  const close = async () => {
    await chain.close()
    await worlds.close()
    upstream?.close()
  }
  try {
    const { stop, ...serving } = await serveWorlds(config, log, { worlds, library, chain }, folder?.path)
    return {
      ...serving,
      recovered,
      takenOver: takenOver.promise,
      async close() {
        await stop()
        await close()
        folder?.release()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Serving = Pick<Quipu, 'url' | 'connect' | 'credentials' | 'isFirstStart' | 'signInUrl' | 'warning'> & {
  stop(): Promise<void>
}

/** Completes `main` with its first credentials and symbols, then listens. */
async function serveWorlds(
  config: Config,
  log: Log,
  opened: Opened,
  folder: string | undefined,
): Promise<Serving> {
  const { main } = opened.worlds
  const { credentials, isFirstStart } = await bootstrapMain(main, { ...config, cash: STARTING_CASH }, folder)
  for (const added of config.symbols ?? []) await addSymbolIfNew(main, added)
  const { url, connect, stop } = await listen(config, log, opened)
  await opened.chain.follow(main)
  const signInUrl = isFirstStart ? await firstLink(main, url) : undefined
  const warning = clockWarning(main)
  const watch = new ClockWatch(main, log.warn)
  return {
    url,
    connect,
    credentials,
    isFirstStart,
    signInUrl,
    warning,
    stop() {
      watch.close()
      return stop()
    },
  }
}

type WorldsInputs = {
  readonly store: MainStore
  readonly durable: DurableStorage | undefined
  readonly records: readonly WorldRecord[]
  readonly library: Library | undefined
  readonly chain: MainChain
  readonly upstream: Upstream | undefined
  readonly takenOver: (error: Fenced) => void
}

const openWorlds = (
  config: Config,
  log: Log,
  { store, durable, records, library, chain, upstream, takenOver }: WorldsInputs,
): Promise<Worlds> =>
  Worlds.openServer(
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
      durable,
      durableWorldsMax: config.durableWorldsMax,
      failed: (world, error) => {
        log.error('world failed', { world, error: String(error) })
        if (error instanceof Fenced) takenOver(error)
      },
    },
    {
      settings: settingsOf(config),
      store,
      durable: store !== memoryStore,
      records,
      market: upstream && ((_, world) => withActions(upstream.market(world), world)),
    },
  )

const FIRST_LINK_MS = 24 * 3_600_000

async function firstLink(main: World, url: string): Promise<string | undefined> {
  const [owner] = main.view.users.keys()
  return owner && (await issueSignInLink(main, owner, FIRST_LINK_MS, true))?.at(url.replace(/\/+$/, ''))
}

/** Adds a configured symbol. An existing symbol is unchanged, so the same start can be repeated. */
async function addSymbolIfNew(main: World, { symbol, price }: AddedSymbol): Promise<void> {
  if (main.market.assets().has(symbol)) return
  const command = { kind: 'addSymbol', symbol, ...definedFields({ price }) } as const
  const { value } = await main.submit(command, (_, decided) => decided)
  if (!value.ok) throw new Error(`bug: ${symbol} was read as a symbol and is refused as ${value.reason.code}`)
}

/** Selects the stores of `main` and of durable worlds. The PostgreSQL library is loaded only if it is used. */
async function storesOf(
  { store }: Config,
  folder: DataFolder | undefined,
  disk: FileOperations | undefined,
  report: StoreReport,
): Promise<Pick<WorldsInputs, 'store' | 'durable'>> {
  if (store.kind === 'postgres')
    return (await import('./postgres-stores.ts')).postgresStores(store.url, report)
  if (!folder) return { store: memoryStore, durable: undefined }
  return { store: filesStore(folder.path, report, disk), durable: durableFiles(folder.path) }
}

/** Settings of `main` in a new data folder. An existing folder keeps its settings. */
const settingsOf = (config: Config): WorldSettings => ({
  seed: config.seed ?? randomId(),
  hours: config.hours,
  fillSize: config.fillSize,
  latencyNs: BigInt(config.latencyMs) * 1_000_000n,
  startingCash: STARTING_CASH,
  fees: config.fees,
  ...definedFields({
    venue: config.venue && venueFrom(config.venue),
    margin: config.margin && marginFrom(config.margin),
  }),
})

/** The market data provider of `main`, if one is configured. */
async function mainUpstream(config: Config, log: Log): Promise<Upstream | undefined> {
  const { upstreamUrl: url, upstreamKeyId: keyId, upstreamSecretKey: secretKey } = config
  if (url === undefined || keyId === undefined || secretKey === undefined) return undefined
  const { openUpstream } = await import('../market/upstream/upstream.ts')
  return openUpstream(
    {
      url,
      streamUrl: config.upstreamStreamUrl,
      tradingUrl: config.upstreamTradingUrl,
      keyId,
      secretKey,
      feed: config.upstreamFeed,
      crypto: config.upstreamCrypto,
      timeoutMs: config.upstreamTimeoutMs,
      requestsMax: config.upstreamRequestsMax,
      symbolsMax: config.upstreamSymbolsMax,
      gapTradesMax: config.upstreamGapTradesMax,
      cacheRowsMax: config.upstreamCacheRowsMax,
    },
    log,
  )
}
