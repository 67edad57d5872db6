import { join } from 'node:path'
import { issueSignInLink } from '@quipu/broker/access/sign-in-link.ts'
import { ClockWatch } from '@quipu/broker/clock/watch.ts'
import type { DataFolder } from '@quipu/broker/data-folder/folder.ts'
import type { OwnerCredentials } from '@quipu/broker/data-folder/owner-file.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import { checkSeries, type Library, seriesOf } from '@quipu/broker/market/library.ts'
import type { StreamsFrom } from '@quipu/broker/market/upstream/terms.ts'
import type { Upstream } from '@quipu/broker/market/upstream/upstream.ts'
import { withActions } from '@quipu/broker/market/with-actions.ts'
import { worldMarket } from '@quipu/broker/market/world-market.ts'
import type { DurableStorage } from '@quipu/broker/registry/durable-storage.ts'
import type { MainParts } from '@quipu/broker/registry/opening/open-main.ts'
import { memoryStore } from '@quipu/broker/registry/store/memory-store.ts'
import type { MainStore, Worlds, WorldsParts } from '@quipu/broker/registry/worlds.ts'
import { newRandomId } from '@quipu/broker/world/moment.ts'
import { RefusedOrders } from '@quipu/broker/world/requests/refused-orders.ts'
import type { World } from '@quipu/broker/world/world.ts'
import {
  type AddedSymbol,
  definedFields,
  toMoney,
  type View,
  type WorldId,
  type WorldSettings,
} from '@quipu/core'
import type { Config } from '../config/config.ts'
import { marginFrom, venueFrom } from '../http/sim/world/world-venue.ts'
import { bootstrapMain } from './first-start.ts'
import type { MainChain } from './main-chain.ts'

const STARTING_CASH = toMoney(100_000_000_000_000n)

export type WorldsInputs = {
  readonly refusedOrders?: RefusedOrders | undefined
  readonly durable: DurableStorage | undefined
  readonly library: Library | undefined
  readonly chain: MainChain
  readonly failed: (world: WorldId, error: unknown) => void
}

/** The refused orders of earlier processes on a data folder, and the ones to come. PostgreSQL has its own. */
export const refusedOrdersIn = (
  folder: DataFolder | undefined,
  { store, refusedOrdersMax }: Config,
): RefusedOrders | undefined =>
  folder && store.kind !== 'postgres'
    ? new RefusedOrders(join(folder.path, 'refused-orders.jsonl'), refusedOrdersMax)
    : undefined

/** What every world in this process is made of. */
export const worldsParts = (
  config: Config,
  { durable, library, chain, failed, refusedOrders }: WorldsInputs,
): WorldsParts => ({
  market: (settings, added, world) =>
    worldMarket({ settings, added, imported: (data) => seriesOf(library, world, data) }),
  checkData: (world, data) => checkSeries(library, world, data),
  deleted(world) {
    library?.release(world)
    refusedOrders?.drop(world)
  },
  runJob: chain.runJob,
  queueMax: config.queueMax,
  queryTablesLagMax: config.queryTablesLagMax,
  queryTablesWaitMs: config.queryTablesWaitMs,
  outcomes: { ...config, refusedOrders },
  worldsMax: config.worldsMax,
  durable,
  durableWorldsMax: config.durableWorldsMax,
  failed,
})

export const mainParts = (config: Config, store: MainStore, upstream: Upstream | undefined): MainParts => ({
  settings: settingsOf(config),
  store,
  durable: store !== memoryStore,
  market: upstream && ((_, world) => withActions(upstream.market(world), world)),
})

/** The worlds of this process that have the prices of the provider. */
export const liveQueryTables = (worlds: Worlds): readonly View[] =>
  worlds.all().flatMap(({ market, view }) => (market.live ? [view] : []))

/** Completes `main` with its first credentials and symbols. */
export async function completeMain(
  config: Config,
  main: World,
  folder: string | undefined,
  log: Log,
): Promise<{ readonly credentials: OwnerCredentials; readonly isFirstStart: boolean }> {
  const completed = await bootstrapMain(main, { ...config, cash: STARTING_CASH }, folder)
  for (const added of config.symbols?.added ?? []) await addSymbolIfNew(main, added)
  if (config.symbols?.isAny && main.view.settings?.anySymbol !== true)
    log.warn(
      'symbols: any has no effect, because main exists without it; use a new data folder, or make a world with symbols: any',
    )
  return completed
}

/** Follows the real chain of `main` and watches its clock. Returns the function that stops the watch. */
export async function followMain(main: World, chain: MainChain, log: Log): Promise<() => void> {
  await chain.follow(main)
  const watch = new ClockWatch(main, log.warn)
  return () => watch.close()
}

const FIRST_LINK_MS = 24 * 3_600_000

export async function firstLink(main: World, url: string): Promise<string | undefined> {
  const [owner] = main.view.users.keys()
  return (
    owner &&
    (await issueSignInLink(main, owner, FIRST_LINK_MS, { operator: true }))?.at(url.replace(/\/+$/, ''))
  )
}

/** Adds a configured symbol. An existing symbol is unchanged, so the same start can be repeated. */
async function addSymbolIfNew(main: World, { symbol, price }: AddedSymbol): Promise<void> {
  if (main.market.assets().has(symbol)) return
  const command = { kind: 'addSymbol', symbol, ...definedFields({ price }) } as const
  const { value } = await main.commands.submit(command, (_, decided) => decided)
  if (!value.ok) throw new Error(`bug: ${symbol} was read as a symbol and is refused as ${value.reason.code}`)
}

/** Settings of `main` in a new data folder. An existing folder keeps its settings. */
const settingsOf = (config: Config): WorldSettings => ({
  seed: config.seed ?? newRandomId(),
  hours: config.hours,
  fillSize: config.fillSize,
  latencyNs: BigInt(config.latencyMs) * 1_000_000n,
  startingCash: STARTING_CASH,
  fees: config.fees,
  ...definedFields({
    venue: config.venue && venueFrom(config.venue),
    margin: config.margin && marginFrom(config.margin),
    anySymbol: config.symbols?.isAny || undefined,
  }),
})

/** The market data provider of `main`, if one is configured. */
export async function mainUpstream(
  config: Config,
  log: Log,
  streamsFrom?: StreamsFrom,
): Promise<Upstream | undefined> {
  const { upstreamUrl: url, upstreamKeyId: keyId, upstreamSecretKey: secretKey } = config
  if (url === undefined || keyId === undefined || secretKey === undefined) return undefined
  const { openUpstream } = await import('@quipu/broker/market/upstream/upstream.ts')
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
    streamsFrom,
  )
}
