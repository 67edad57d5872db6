import { createHash, hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account, Instant, OrderId, PlaceOrder, Price, Quantity, Ticker, WorldId } from '@quipu/core'
import {
  type FileOperations,
  furnish,
  openFilesJournal,
  syntheticMarket,
  type Views,
  VirtualClock,
  World,
} from '@quipu/server'
import { alternate, type Figure, type Round } from './rounds.ts'
import type { Row, Size } from './row.ts'

const DOLLAR = 1_000_000_000n
/** Of four orders one is taken by the market and three rest and are canceled. */
const MIX = 4

/** In the product the views work in a thread of their own; here they would only cost the engine's. */
const noViews: Views = {
  position: () => Number.MAX_SAFE_INTEGER,
  follow: () => undefined,
  reached: async () => undefined,
  orders: async () => [],
  order: async () => undefined,
  orderByClientId: async () => undefined,
  requests: async () => [],
  request: async () => undefined,
  requestByLabel: async () => undefined,
  requestByKey: async () => undefined,
  history: async () => [],
  close: async () => undefined,
}

/** A disk that takes everything at once: the journal makes, sums and hashes its records as ever. */
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

/**
 * (c) The engine of one world without HTTP: decide, apply, encode, hash, into a journal whose disk costs nothing.
 * Beside it the least that the same commands could cost: an id, and an event as JSON, both through SHA-256.
 */
export async function engineAlone({ rounds, calls }: Size): Promise<readonly Row[]> {
  const figures = await alternate(
    [
      { name: 'engine alone', round: () => round(calls * 5) },
      { name: 'bare id, JSON and hash', round: async () => bareRound(calls * 5) },
    ],
    rounds,
  )
  const [engine, bare] = figures as readonly [Figure, Figure]
  const { perCpuSecond, perThreadSecond } = engine
  return [
    { row: 'c', name: 'commands per CPU second of its thread', value: perThreadSecond, goal: '≥ 250,000' },
    { row: 'c', name: 'commands per CPU second, collection included', value: perCpuSecond, goal: '' },
    { row: 'c', name: 'bare id, JSON and hash per CPU second', value: bare.perThreadSecond, goal: '' },
    { row: 'c', name: 'command / bare', value: perThreadSecond / bare.perThreadSecond, goal: '' },
  ]
}

function bareRound(calls: number): Round {
  const measured = measuring()
  const sum = createHash('sha256')
  for (let n = 0; n < calls; n++) {
    const id = hash('sha256', `bench/account/${n}`, 'hex')
    sum.update(JSON.stringify({ id, at: String(n), symbol: 'F', side: 'buy', quantity: '1', limit: '1' }))
  }
  sum.digest()
  return measured(calls)
}

/** Starts to measure this process; the function it gives ends it. */
function measuring(): (calls: number) => Round {
  const start = performance.now()
  const [cpu, thread] = [process.cpuUsage(), process.threadCpuUsage()]
  return (calls) => {
    const [whole, own] = [process.cpuUsage(cpu), process.threadCpuUsage(thread)]
    return {
      calls,
      cpuSeconds: (whole.user + whole.system) / 1e6,
      threadSeconds: (own.user + own.system) / 1e6,
      wallSeconds: (performance.now() - start) / 1000,
    }
  }
}

async function round(calls: number): Promise<Round> {
  const { world, account } = await openWorld()
  const measured = measuring()
  let commands = 0
  while (commands < calls) {
    const resting: OrderId[] = []
    const answers: Promise<unknown>[] = []
    for (let n = 0; n < 250; n++) {
      const rests = n % MIX !== 0
      answers.push(
        world.engine.submit(order(account, rests), (_, decision) => {
          const event = decision.ok ? decision.value[0] : undefined
          if (rests && event?.kind === 'orderAccepted') resting.push(event.order.id)
        }),
      )
    }
    for (const orderId of resting)
      answers.push(world.engine.submit({ kind: 'cancelOrder', accountId: account.id, orderId }, () => 0))
    await Promise.all(answers)
    commands += answers.length
  }
  const result = measured(commands)
  await world.close()
  return result
}

async function openWorld(): Promise<{ world: World; account: Account }> {
  const startingCash = (10_000_000n * DOLLAR) as never
  const failed = (error: unknown) => {
    throw error
  }
  const world = await World.open({
    id: 'bench' as WorldId,
    settings: { seed: 'bench', hours: 'always', fillSize: 'unlimited', latencyNs: 0n, startingCash },
    clock: new VirtualClock(1_767_625_200_000_000_000n as Instant, async () => undefined, failed),
    openJournal: () => openFilesJournal(join(tmpdir(), 'quipu-no-disk'), { operations: noDisk }),
    openViews: async () => noViews,
    snapshot: async () => undefined,
    market: syntheticMarket,
    runJob: async () => undefined,
    queueMax: 1_000_000,
    viewsLagMax: 10_000_000,
    viewsWaitMs: 1_000,
    failed,
  })
  const { accounts } = await furnish(world, { accounts: ['paper'], cash: startingCash })
  return { world, account: accounts[0]!.account }
}

const order = (account: Account, rests: boolean): PlaceOrder => ({
  kind: 'placeOrder',
  accountId: account.id,
  symbol: 'F' as Ticker,
  side: 'buy',
  type: 'limit',
  timeInForce: 'day',
  extendedHours: false,
  quantity: DOLLAR as Quantity,
  limit: (rests ? DOLLAR : 1_000n * DOLLAR) as Price,
})
