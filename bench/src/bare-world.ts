import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedWorld } from '@quipu/broker/access/issue-keys.ts'
import { VirtualClock } from '@quipu/broker/clock/virtual.ts'
import type { FileOperations } from '@quipu/broker/data-folder/file-operations.ts'
import { openFilesJournal } from '@quipu/broker/journal/files.ts'
import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import { syntheticMarket } from '@quipu/broker/market/synthetic/synthetic.ts'
import type { QueryTables } from '@quipu/broker/query-tables/query-tables.ts'
import { openWorld, type World } from '@quipu/broker/world/world.ts'
import type {
  Account,
  Instant,
  Money,
  PlaceOrder,
  Price,
  Quantity,
  Ticker,
  WorldId,
  WorldSettings,
} from '@quipu/core'
import type { Round } from './rounds.ts'

export const DOLLAR = 1_000_000_000n

/** The product runs the query tables in a separate thread; without query tables, this process measures only the engine. */
const noQueryTables: QueryTables = {
  position: () => Number.MAX_SAFE_INTEGER,
  follow: () => undefined,
  reached: async () => undefined,
  orders: async () => [],
  order: async () => undefined,
  orderByClientId: async () => undefined,
  legs: async () => [],
  requests: async () => [],
  request: async () => undefined,
  requestByLabel: async () => undefined,
  callByKey: async () => undefined,
  history: async () => [],
  updates: async () => [],
  close: async () => undefined,
}

/** A disk without latency: the journal still encodes and hashes its records. */
const noDisk: FileOperations = {
  open: async () => 0,
  write: async (_, bytes) => bytes.length,
  datasync: async () => undefined,
  sync: async () => undefined,
  truncate: async () => undefined,
  rename: async () => undefined,
  syncFolder: async () => undefined,
  close: async () => undefined,
}

/** The journal, query tables and snapshots of a world. */
export type BenchStore = Pick<Parameters<typeof openWorld>[0], 'openJournal' | 'openQueryTables' | 'snapshot'>

/** A store that costs nothing: no query tables, no disk. */
const noStore: BenchStore = {
  openJournal: () => openFilesJournal(join(tmpdir(), 'quipu-no-disk'), { operations: noDisk }),
  openQueryTables: async () => noQueryTables,
  snapshot: async () => undefined,
}

/** Opens a world whose only cost is its engine, unless `store` adds a real store. */
export async function openBareWorld(options: {
  readonly accounts: number
  readonly market?: (settings: WorldSettings) => MarketSource
  readonly id?: WorldId
  readonly store?: BenchStore
}): Promise<{ readonly world: World; readonly accounts: readonly Account[] }> {
  const cash = (10_000_000n * DOLLAR) as Money
  const failed = (error: unknown) => {
    throw error
  }
  const world = await openWorld({
    ...(options.store ?? noStore),
    id: options.id ?? ('bench' as WorldId),
    code: '00',
    settings: { seed: 'bench', hours: 'always', fillSize: 'unlimited', latencyNs: 0n, startingCash: cash },
    clock: new VirtualClock(1_767_625_200_000_000_000n as Instant, async () => undefined, failed),
    market: options.market ?? syntheticMarket,
    runJob: async () => undefined,
    queueMax: 1_000_000,
    queryTablesLagMax: 10_000_000,
    queryTablesWaitMs: 1_000,
    failed,
  })
  const flavours = Array.from({ length: options.accounts }, () => 'paper' as const)
  const { accounts } = await seedWorld(world, { accounts: flavours, cash })
  return { world, accounts: accounts.map(({ account }) => account) }
}

/** A limit buy of one share of F. */
export const buyOrder = ({ id }: Account, limit: bigint): PlaceOrder => ({
  kind: 'placeOrder',
  accountId: id,
  symbol: 'F' as Ticker,
  side: 'buy',
  type: 'limit',
  timeInForce: 'day',
  extendedHours: false,
  quantity: DOLLAR as Quantity,
  limit: limit as Price,
})

/** Measures this process while `run` works. */
export async function measure(calls: number, run: () => Promise<unknown>): Promise<Round> {
  const stopMeasuring = startMeasuring()
  await run()
  return stopMeasuring(calls)
}

/** Starts to measure this process; call the returned function to end the measurement. */
export function startMeasuring(): (calls: number) => Round {
  const start = performance.now()
  const [cpu, thread] = [process.cpuUsage(), process.threadCpuUsage()]
  return (calls) => {
    const [processUsage, threadUsage] = [process.cpuUsage(cpu), process.threadCpuUsage(thread)]
    return {
      calls,
      cpuSeconds: (processUsage.user + processUsage.system) / 1e6,
      threadSeconds: (threadUsage.user + threadUsage.system) / 1e6,
      wallSeconds: (performance.now() - start) / 1000,
    }
  }
}
