import { join } from 'node:path'
import { clockWarning } from '@quipu/broker/clock/watch.ts'
import { askingMain } from '@quipu/broker/cluster/ask-main.ts'
import { PROVIDER_PATH, SECRET_HEADER } from '@quipu/broker/cluster/ask-node.ts'
import type { ClaimedLease } from '@quipu/broker/cluster/claims.ts'
import { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { readTable, type WorldRow } from '@quipu/broker/cluster/table.ts'
import type { DataFolder } from '@quipu/broker/data-folder/folder.ts'
import { version } from '@quipu/broker/data-folder/version.ts'
import type { Successor } from '@quipu/broker/journal/journal.ts'
import { isLostForGood } from '@quipu/broker/journal/journal.ts'
import { mendableCause } from '@quipu/broker/journal/not-applied.ts'
import { endLease } from '@quipu/broker/journal/postgres/lease.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import { checkSeries, Library } from '@quipu/broker/market/library.ts'
import { openStore } from '@quipu/broker/market/store/index.ts'
import type { StreamsFrom } from '@quipu/broker/market/upstream/terms.ts'
import type { Upstream } from '@quipu/broker/market/upstream/upstream.ts'
import { migrate } from '@quipu/broker/postgres/migrations.ts'
import type { AskWorld } from '@quipu/broker/registry/ask-world.ts'
import type { DurableStorage } from '@quipu/broker/registry/durable-storage.ts'
import { MAIN } from '@quipu/broker/registry/opening/open-main.ts'
import { durablePostgres } from '@quipu/broker/registry/store/durable-postgres.ts'
import { PostgresServer } from '@quipu/broker/registry/store/postgres-server.ts'
import { postgresStore } from '@quipu/broker/registry/store/postgres-store.ts'
import { type MainStore, Worlds } from '@quipu/broker/registry/worlds.ts'
import { type AssetClass, openCount, type WorldId } from '@quipu/core'
import { type Config, ConfigError } from '../config/config.ts'
import { checkNode } from './check-node.ts'
import { refuseCodesOfWorlds } from './first-start.ts'
import { listen } from './listen.ts'
import { type MainChain, mainChain } from './main-chain.ts'
import {
  completeMain,
  firstLink,
  followMain,
  liveQueryTables,
  mainParts,
  mainUpstream,
  worldsParts,
} from './main-world.ts'
import type { RunningQuipu } from './running.ts'

/** The longest delay between two attempts to reach the node that is connected to the provider. */
const PEER_WAIT_MAX_MS = 1_000

/** Starts a node of a cluster: it listens, then claims worlds that no other node holds. */
export async function openNode(
  config: Config,
  log: Log,
  folder: DataFolder | undefined,
  server = new PostgresServer(databaseOf(config)),
): Promise<RunningQuipu> {
  const { url, pool } = await server.select()
  await migrate(url)
  const { worlds } = await readTable(pool)
  refuseCodesOfWorlds(
    config,
    worlds.flatMap(({ record }) => record ?? []),
  )
  const stored = worlds.map(({ world }) => world)
  const library = folder && new Library(openStore(join(folder.path, 'market')), stored)
  const chain = await mainChain(config, log)
  const upstream = await mainUpstream(config, log, (of) => node.streamsFrom(of))
  const node = new ClusterNode({ config, log, folder, server, library, chain, upstream })
  try {
    return await node.start()
  } catch (error) {
    await node.close()
    throw error
  }
}

function databaseOf({ store }: Config): string {
  if (store.kind === 'postgres') return store.url
  throw new ConfigError('QUIPU_CLUSTER_SECRET: a cluster needs PostgreSQL, set QUIPU_STORE')
}

type ClusterNodeParts = {
  readonly config: Config
  readonly log: Log
  readonly folder: DataFolder | undefined
  readonly server: PostgresServer
  readonly library: Library | undefined
  readonly chain: MainChain
  readonly upstream: Upstream | undefined
}

/** A node: its worlds, its part of the cluster, and what it does for `main` while it holds it. */
class ClusterNode {
  readonly #parts: ClusterNodeParts
  readonly #store: MainStore
  readonly #durable: DurableStorage
  readonly #worlds: Worlds
  readonly #cluster: Cluster
  #isRunning = false
  #completed: Awaited<ReturnType<typeof completeMain>> | undefined
  #stopFollowing: (() => void) | undefined
  #listening: Awaited<ReturnType<typeof listen>> | undefined

  constructor(parts: ClusterNodeParts) {
    const { config, log, server, library, chain, upstream } = parts
    const report = { warn: (message: string) => log.warn(message) }
    this.#parts = parts
    this.#store = postgresStore(server, report)
    this.#durable = durablePostgres(server, report)
    const failed = (world: WorldId, error: unknown) => {
      log.error('world failed', { world, problem: mendableCause(error), error: String(error) })
      // The node continues without a world that another node has taken. It claims one that lost events as a new one.
      if (isLostForGood(error)) void this.#release(world)
    }
    const shared = worldsParts(config, { durable: this.#durable, library, chain, failed })
    const askWorld: AskWorld = (world, request) => this.#cluster.locations.askWorld(world, request)
    const isStored = (world: string) => this.#cluster.view.row(world) !== undefined
    const asked = { askWorld, isStored, ...askingMain(() => this.#cluster) }
    this.#worlds = new Worlds({ ...shared, ...asked }, mainParts(config, this.#store, upstream))
    upstream?.usedBy(() => liveQueryTables(this.#worlds))
    this.#cluster = new Cluster({
      name: server.holder,
      version,
      secret: config.clusterSecret!,
      queries: () => server.current.pool,
      select: async () => void (await server.select(server.current)),
      open: (row, speed) => this.#open(row, speed),
      prepare: (row) => this.#prepare(row),
      isOpen: (world) => this.#worlds.get(world) !== undefined,
      isUp: (world) => this.#worlds.get(world)?.status.isUp === true,
      isLive: (world) => this.#isLive(world),
      close: (world) => this.#release(world),
      endLease: (lease, to) => this.#endLease(lease, to),
      journals: () => this.#journals(),
      isChanged: (world) => this.#worlds.names.isOpening(world),
      receive: (world, request) => this.#worlds.holding.answer(world, request),
      handOver: (world, to) => this.#handOver(world, to),
      inMemory: () =>
        this.#worlds
          .entries()
          .filter(({ durable }) => !durable)
          .map(({ world }) => world.id),
      log,
    })
  }

  async start(): Promise<RunningQuipu> {
    const { config, log, server, library, chain, upstream } = this.#parts
    const opened = { worlds: this.#worlds, library, chain, upstream, cluster: this.#cluster }
    // Without the table, credentials of other worlds would count as those of `main`, which refuses them.
    await this.#cluster.view.refresh()
    this.#listening = await listen(config, log, opened)
    const { url, publicUrl, connect } = this.#listening
    server.address = config.nodeUrl ?? url
    server.queryTables.start(server.threads)
    const { name, secret, view } = this.#cluster
    const others = view.table.nodes.map((node) => node.address)
    const warning = await checkNode({ name, secret, address: server.address }, others)
    if (warning !== undefined) log.warn(warning)
    await this.#cluster.start(server.address)
    this.#isRunning = true
    return {
      url,
      connect,
      ...(await this.#shown(publicUrl)),
      takenOver: new Promise(() => undefined),
      close: () => this.close(),
    }
  }

  /** Providers allow one stream per key: the node that holds `main` connects, and sends it to the others. */
  streamsFrom(of: AssetClass): ReturnType<StreamsFrom> {
    const [at, main] = [this.#cluster.locations.of(MAIN), this.#worlds.get(MAIN)]
    // A node that has lost the database must not keep the connection that the next holder needs.
    if (at.kind === 'here') return main?.status.isUp ? 'provider' : undefined
    if (at.kind === 'nowhere') return undefined
    const url = at.address.replace(/^http/, 'ws').replace(/\/$/, '') + PROVIDER_PATH + of
    return { url, headers: { [SECRET_HEADER]: this.#cluster.secret }, waitMaxMs: PEER_WAIT_MAX_MS }
  }

  async close(): Promise<void> {
    const { config, chain, upstream, folder, server } = this.#parts
    if (this.#isRunning) {
      this.#listening?.leave()
      await this.#cluster.leave(config.stopGraceMs)
    }
    await this.#listening?.stop()
    await this.#cluster.stop()
    this.#stopFollowing?.()
    await chain.close()
    await this.#worlds.close()
    upstream?.close()
    await server.threads.close()
    folder?.release()
  }

  async #prepare({ world, record }: WorldRow): Promise<void> {
    const prepared = await (record ? this.#durable.store(record.journal) : this.#store).prepare?.()
    await checkSeries(this.#parts.library, world, prepared?.importedData ?? [])
  }

  async #open(row: WorldRow, speed = 0): Promise<void> {
    try {
      if (row.record) await this.#worlds.holding.openDurable(row.record)
      else await this.#openMain()
      if (speed > 0) this.#worlds.entry(row.world)?.clock?.run(speed)
    } catch (error) {
      await this.#release(row.world)
      throw error
    }
  }

  async #openMain(): Promise<void> {
    const { config, folder, chain, log } = this.#parts
    const main = await this.#worlds.holding.openMain()
    this.#completed = await completeMain(config, main, folder?.path, log)
    this.#stopFollowing = await followMain(main, chain, log)
  }

  /** Ends the lease of a world that another node has taken, or that does not answer here, whatever this node knows. */
  async #endLease({ journal, holder, fence }: ClaimedLease, to?: Successor): Promise<void> {
    const { holder: name, current } = this.#parts.server
    if (holder?.name === name) await endLease(current.pool, journal ?? MAIN, fence, to)
    const isMain = journal === undefined
    // A rebuild may have taken the world again since the table was read.
    if (to) (isMain ? this.#store : this.#durable.store(journal)).handOver?.(to)
    await (isMain ? this.#store.released?.() : this.#durable.released?.(journal))
  }

  #isLive(id: WorldId): boolean {
    const world = this.#worlds.get(id)
    return (
      this.#worlds.names.isOpening(id) || world?.status.isUp === true || world?.status.isRebuilding === true
    )
  }

  #journals(): ReadonlyMap<WorldId, string> {
    const entries = this.#worlds.entries()
    return new Map(
      entries.flatMap(({ world, storage }) => (storage ? [[world.id, storage.journal.name]] : [])),
    )
  }

  async #handOver(world: WorldId, to: Successor): Promise<number> {
    const speed = this.#worlds.entry(world)?.clock?.speed ?? 0
    await this.#release(world, to)
    return speed
  }

  async #release(world: WorldId, to?: Successor): Promise<void> {
    if (world === MAIN) {
      this.#stopFollowing?.()
      this.#stopFollowing = undefined
      await this.#parts.chain.close()
    }
    const released = this.#worlds.holding.release(world, to)
    // The next holder of `main` may connect to the provider as soon as the world is released.
    if (world === MAIN) this.#parts.upstream?.checkSource()
    await released
  }

  /** What the start prints: the credentials of `main`, if this node holds it, and what was recovered. */
  async #shown(
    publicUrl: string,
  ): Promise<Pick<RunningQuipu, 'credentials' | 'isFirstStart' | 'signInUrl' | 'warning' | 'recovered'>> {
    const { credentials = {}, isFirstStart = false } = this.#completed ?? {}
    const main = this.#worlds.get(MAIN)
    const all = this.#worlds.all()
    return {
      credentials,
      isFirstStart,
      signInUrl: isFirstStart && main ? await firstLink(main, publicUrl) : undefined,
      warning: main && clockWarning(main),
      recovered: {
        events: all.reduce((sum, { storage }) => sum + storage.replayed, 0),
        openOrders: all.reduce((sum, { view }) => sum + openCount(view), 0),
        cutBytes: 0,
      },
    }
  }
}
