import { join } from 'node:path'
import { clockWarning } from '@quipu/broker/clock/watch.ts'
import type { FileOperations } from '@quipu/broker/data-folder/file-operations.ts'
import { checkMarketModel, type DataFolder, openFolder } from '@quipu/broker/data-folder/folder.ts'
import { isLostForGood } from '@quipu/broker/journal/journal.ts'
import { mendableCause } from '@quipu/broker/journal/not-applied.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import { Library } from '@quipu/broker/market/library.ts'
import { openStore } from '@quipu/broker/market/store/index.ts'
import type { DurableRecord, DurableStorage } from '@quipu/broker/registry/durable-storage.ts'
import type { MainStoreReport } from '@quipu/broker/registry/store/main-store.ts'
import { memoryStore } from '@quipu/broker/registry/store/memory-store.ts'
import { type MainStore, openServer } from '@quipu/broker/registry/worlds.ts'
import { openCount, type WorldId } from '@quipu/core'
import { type Config, ConfigError } from '../config/config.ts'
import { refuseExposure } from '../config/exposure.ts'
import { refuseCodesOfWorlds } from './first-start.ts'
import { listen, type Opened } from './listen.ts'
import { mainChain } from './main-chain.ts'
import {
  completeMain,
  firstLink,
  followMain,
  liveQueryTables,
  mainParts,
  mainUpstream,
  refusedOrdersIn,
  worldsParts,
} from './main-world.ts'
import { fewFiles } from './open-files.ts'
import type { RunningQuipu, StartOptions } from './running.ts'

export type { RunningQuipu, StartOptions } from './running.ts'

/** Opens the data folder, creates the seed data of a new one, then listens. */
export async function startQuipu(
  config: Config,
  log: Log,
  options: StartOptions = {},
): Promise<RunningQuipu> {
  refuseExposure(config)
  const problem = fewFiles()
  if (problem !== undefined) throw new ConfigError(problem)
  const folder = config.data.kind === 'folder' ? await openFolder(config.data.path) : undefined
  try {
    if (folder) checkMarketModel(folder)
    if (config.clusterSecret !== undefined)
      return await (await import('./cluster-node.ts')).openNode(config, log, folder)
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
): Promise<RunningQuipu> {
  let cutBytes = 0
  const takenOver = Promise.withResolvers<Error>()
  const { store, durable } = await storesOf(config, folder, disk, {
    warn: (message, level) => log[level ?? 'warn'](message),
    recovered: (what) => {
      cutBytes = what.cutBytes
      log.warn('removed an unfinished write from the end of the journal', { cutBytes })
    },
    acceptJournalLoss,
  })
  const records = (await durable?.list()) ?? []
  refuseCodesOfWorlds(config, records)
  const library = libraryOf(config, folder, records)
  const chain = await mainChain(config, log)
  const upstream = await mainUpstream(config, log)
  const failed = (world: WorldId, error: unknown) => {
    log.error('world failed', { world, problem: mendableCause(error), error: String(error) })
    if (isLostForGood(error)) takenOver.resolve(error)
  }
  const refusedOrders = refusedOrdersIn(folder, config)
  const parts = worldsParts(config, { durable, library, chain, failed, refusedOrders })
  const main = mainParts(config, store, upstream)
  const worlds = await openServer(parts, { ...main, records }).catch((error) => {
    upstream?.close()
    throw error
  })
  upstream?.usedBy(() => liveQueryTables(worlds))
  const { storage, view } = worlds.main
  const recovered = { events: storage.replayed, openOrders: openCount(view), cutBytes }
  const close = async () => {
    for (const part of [chain, worlds, upstream]) await part?.close()
    await refusedOrders?.written()
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

/** The imported prices. */
function libraryOf(
  { data }: Pick<Config, 'data'>,
  folder: DataFolder | undefined,
  records: readonly DurableRecord[],
): Library | undefined {
  const path = folder ? join(folder.path, 'market') : data.kind === 'memory' ? data.market : undefined
  if (path === undefined) return undefined
  return new Library(
    openStore(path),
    records.map(({ world }) => world),
  )
}

type Serving = Pick<
  RunningQuipu,
  'url' | 'connect' | 'credentials' | 'isFirstStart' | 'signInUrl' | 'warning'
> & {
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
  const { credentials, isFirstStart } = await completeMain(config, main, folder, log)
  const { url, publicUrl, connect, stop } = await listen(config, log, opened)
  const stopFollowing = await followMain(main, opened.chain, log)
  const signInUrl = isFirstStart ? await firstLink(main, publicUrl) : undefined
  const warning = clockWarning(main)
  return {
    url,
    connect,
    credentials,
    isFirstStart,
    signInUrl,
    warning,
    stop() {
      stopFollowing()
      return stop()
    },
  }
}

/** Selects the stores of `main` and of durable worlds. Each kind of store is loaded only if it is used. */
async function storesOf(
  { store }: Config,
  folder: DataFolder | undefined,
  disk: FileOperations | undefined,
  report: MainStoreReport,
): Promise<{ readonly store: MainStore; readonly durable: DurableStorage | undefined }> {
  if (store.kind === 'postgres')
    return (await import('@quipu/broker/registry/store/postgres-stores.ts')).postgresStores(store.url, report)
  if (!folder) return { store: memoryStore, durable: undefined }
  const { filesStore } = await import('@quipu/broker/registry/store/main-store.ts')
  const { durableFiles } = await import('@quipu/broker/registry/store/durable-files.ts')
  return { store: filesStore(folder.path, report, disk), durable: durableFiles(folder.path) }
}
