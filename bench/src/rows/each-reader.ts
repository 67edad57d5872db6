import { builtInListing } from '@quipu/core'
import type { ContenderProcess, Ready } from '../contender-process.ts'
import { type BenchRequest, load, percentile, type Responses, requireAllOk } from '../load.ts'
import { anOrder, placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { anotherKey } from '../virtual-world.ts'

const symbols = [...builtInListing().assets.values()]
  .filter((asset) => asset.class === 'usEquity')
  .map(({ symbol }) => symbol)
/** A page has 10,000 bars: ten years of four symbols. */
const fourOf = (n: number): string => symbols.slice((n % 15) * 4, (n % 15) * 4 + 4).join(',')
const dayOf = (n: number): string =>
  new Date(Date.UTC(2016, 0, 4) + (n % 2000) * 86_400_000).toISOString().slice(0, 10)

type Reader = {
  readonly connections: number
  readonly path: (n: number) => string
  /** Whether the operator reads, not the account. */
  readonly isOperator?: true
}

/** Programs that read history without pause. No page has an end, so no cache holds it. */
const historyReaders: Readonly<Record<string, Reader>> = {
  'ten years of daily bars of 60 symbols': {
    connections: 1,
    path: (n) => `/v2/stocks/bars?symbols=${fourOf(n)}&timeframe=1Day&limit=10000&start=2016-01-04`,
  },
  'two readers of ticks': {
    connections: 2,
    path: (n) => `/v2/stocks/${n % 2 ? 'trades' : 'quotes'}?symbols=AAPL&limit=10000&start=${dayOf(n)}`,
  },
  auctions: {
    connections: 1,
    path: (n) => `/v2/stocks/auctions?symbols=AAPL,MSFT&limit=1000&start=${dayOf(n)}`,
  },
}

/** Programs that read an account or a world without pause. */
const otherReaders: Readonly<Record<string, Reader>> = {
  'lists of 500 orders': { connections: 1, path: () => '/v2/orders?status=all&limit=500' },
  'lists of activities': { connections: 1, path: () => '/v2/account/activities?page_size=100' },
  'portfolio history': {
    connections: 1,
    path: () => '/v2/account/portfolio/history?period=1M&timeframe=1H',
  },
  'pages of the journal': {
    connections: 1,
    path: (n) => `/sim/v1/worlds/main/events?limit=1000&after=${(n % 10) * 1000}`,
    isOperator: true,
  },
  audits: { connections: 1, path: () => '/sim/v1/worlds/main/audit', isOperator: true },
}

/** Connections of the orders: few, so that the readers get a share of the machine. */
const CONNECTIONS = 8
/** Orders of one run. Without history threads, each group of them waits for a part of a page. */
const CALLS = 400

type Figures = {
  readonly microsPerOrder: number
  /** The CPU time of the main thread while an order waited. */
  readonly p99WaitMs: number
  readonly medianMs: number
  readonly p99Ms: number
  /** Without and with a garbage collection in it. */
  readonly longestTurnMs: number
  readonly longestCollectingMs: number
  readonly residentMb: number
}
type Round = { readonly alone: Figures; readonly beside: Figures }

/**
 * (x) Orders beside each reader against the same orders alone. Readers of history are measured with history threads and
 * without.
 */
export async function besideEachReader({ rounds, orders: stored, beside }: Size): Promise<readonly Row[]> {
  const rows: Row[] = []
  const chosen = (readers: Readonly<Record<string, Reader>>) =>
    Object.entries(readers).filter(([name]) => name.includes(beside))
  for (const [name, reader] of chosen(historyReaders)) {
    const threads = await roundsWith(1, rounds, CALLS, reader)
    const none = await roundsWith(0, rounds, CALLS, reader)
    rows.push(...historyRows(name, threads, none))
  }
  for (const [name, reader] of chosen(otherReaders))
    rows.push(...otherRows(name, await roundsWith(1, rounds, stored, reader)))
  return rows
}

const roundsWith = (
  threads: number,
  rounds: number,
  stored: number,
  reader: Reader,
): Promise<readonly Round[]> =>
  withFolder((folder) =>
    withQuipu(
      folder,
      async (quipu) => {
        await placeOrders(quipu, stored)
        const trader = await anotherKey(quipu.ready)
        const measured: Round[] = []
        for (let turn = 0; turn <= rounds; turn++) {
          const alone = await measure(quipu, trader)
          measured.push({ alone, beside: await whileReading(quipu, reader, () => measure(quipu, trader)) })
        }
        return measured.slice(1)
      },
      [`readers=${threads}`],
    ),
  )

/** Orders as fast as they are answered. The turns are measured in a second run, because that keeps the thread busy. */
async function measure(quipu: ContenderProcess, trader: Ready): Promise<Figures> {
  const keyId = trader.headers['APCA-API-KEY-ID'] ?? ''
  await quipu.waits(keyId)
  const before = await quipu.spent()
  const { latenciesMs } = await orders(trader)
  const after = await quipu.spent()
  const waits = await quipu.waits(keyId)
  await quipu.startTurns()
  await orders(trader)
  const { longest, longestCollecting } = await quipu.turns()
  const { residentBytes } = await quipu.cost()
  return {
    microsPerOrder: (after.threadMicros - before.threadMicros) / CALLS,
    p99WaitMs: percentile(waits, 0.99) / 1000,
    medianMs: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    longestTurnMs: longest,
    longestCollectingMs: longestCollecting,
    residentMb: residentBytes / 2 ** 20,
  }
}

async function orders(trader: Ready): Promise<Responses> {
  const responses = await load(trader, anOrder, { connections: CONNECTIONS, calls: CALLS })
  requireAllOk('orders', CALLS, responses)
  return responses
}

async function whileReading<Value>(
  quipu: ContenderProcess,
  { connections, path, isOperator }: Reader,
  run: () => Promise<Value>,
): Promise<Value> {
  let over = false
  const request = (n: number): BenchRequest => ({ method: 'GET', path: path(n) })
  const { ready } = quipu
  const reading = load(isOperator ? { ...ready, headers: ready.operator! } : ready, request, {
    connections,
    calls: Number.POSITIVE_INFINITY,
    isOver: () => over,
  })
  const value = await run().finally(() => {
    over = true
  })
  const responses = await reading
  requireAllOk('pages', responses.latenciesMs.length, responses)
  return value
}

const figure = (rounds: readonly Round[], of: (round: Round) => number): number => median(rounds.map(of))

const waitRatio = ({ alone, beside }: Round): number => beside.p99WaitMs / alone.p99WaitMs

function historyRows(name: string, threads: readonly Round[], none: readonly Round[]): readonly Row[] {
  const row = rowsWith('x')
  const both = (what: string, of: (round: Round) => number, goal = ''): readonly Row[] => [
    row(`beside ${name}: ${what}`, figure(threads, of), goal),
    row('the same without history threads', figure(none, of)),
  ]
  return [
    ...both('thread CPU per order / alone', (r) => r.beside.microsPerOrder / r.alone.microsPerOrder, '≤ 1.2'),
    ...both('p99 of the wait of an order, by CPU of the thread / alone', waitRatio, '≤ 2'),
    ...both('median of an order, ms', (r) => r.beside.medianMs),
    ...both('p99 of an order, ms', (r) => r.beside.p99Ms),
    ...both('longest turn, ms of CPU', (r) => r.beside.longestTurnMs, '≤ 10'),
    ...both('longest turn with a garbage collection, ms of CPU', (r) => r.beside.longestCollectingMs, '≤ 10'),
    ...both('resident memory, MB', (r) => r.beside.residentMb),
  ]
}

function otherRows(name: string, rounds: readonly Round[]): readonly Row[] {
  const row = rowsWith('x')
  const both = (what: string, of: (figures: Figures) => number, goal = ''): readonly Row[] => [
    row(
      `beside ${name}: ${what}`,
      figure(rounds, ({ beside }) => of(beside)),
      goal,
    ),
    row(
      'the same alone',
      figure(rounds, ({ alone }) => of(alone)),
    ),
  ]
  return [
    row(
      `beside ${name}: p99 of the wait of an order, by CPU of the thread / alone`,
      figure(rounds, waitRatio),
      '≤ 2',
    ),
    ...both('median of an order, ms', ({ medianMs }) => medianMs),
    ...both('p99 of an order, ms', ({ p99Ms }) => p99Ms),
    ...both('longest turn, ms of CPU', ({ longestTurnMs }) => longestTurnMs, '≤ 10'),
    ...both('longest turn with a garbage collection, ms of CPU', (figures) => figures.longestCollectingMs),
  ]
}
