import type { ContenderProcess } from '../contender-process.ts'
import { type BenchRequest, load, percentile, requireAllOk } from '../load.ts'
import { anOrder, CONNECTIONS, placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import type { Row, Size } from '../row.ts'

const READERS = 8
/** Orders of one program, at a rate that leaves the server idle most of the time. */
const PER_SECOND = 100
const CALLS = 500

/** Requests of a reporting program: long lists, and pages of bars that no cache holds. */
const reads: readonly ((n: number) => string)[] = [
  () => '/v2/orders?status=all&limit=500',
  () => '/v2/account/activities?page_size=100',
  () => '/v2/account/portfolio/history?period=1M&timeframe=1H',
  (n) => {
    const start = new Date(Date.UTC(2018, 0, 1) + (n % 2000) * 86_400_000).toISOString().slice(0, 10)
    return `/v2/stocks/bars?symbols=AAPL,MSFT,NVDA&timeframe=1Min&limit=10000&start=${start}`
  },
]

type Latency = { readonly medianMs: number; readonly p99Ms: number }
type Round = { readonly alone: Latency; readonly beside: Latency }

/** (x) Latency of orders while eight connections read without pause, compared with the same orders alone. */
export async function besideReaders({ rounds, orders, beside }: Size): Promise<readonly Row[]> {
  if (!'eight readers'.includes(beside)) return []
  const results = await withFolder((folder) =>
    withQuipu(folder, async (quipu) => {
      await placeOrders(quipu, orders)
      const measured: Round[] = []
      for (let turn = 0; turn <= rounds; turn++)
        measured.push({ alone: await latency(quipu), beside: await whileReading(quipu) })
      return measured.slice(1)
    }),
  )
  const row = (name: string, of: (round: Round) => number): Row => ({
    row: 'x',
    name,
    value: median(results.map(of)),
    goal: '',
  })
  return [
    row(
      `p99 of an order beside ${READERS} readers / alone, by the clock`,
      (r) => r.beside.p99Ms / r.alone.p99Ms,
    ),
    row('the same, ms', (r) => r.beside.p99Ms),
    row('median of an order beside the readers, ms', (r) => r.beside.medianMs),
    row('median of an order alone, ms', (r) => r.alone.medianMs),
  ]
}

async function latency(quipu: ContenderProcess): Promise<Latency> {
  const answers = await load(quipu.ready, anOrder, {
    connections: CONNECTIONS,
    calls: CALLS,
    perSecond: PER_SECOND,
  })
  requireAllOk('orders', CALLS, answers)
  const { latenciesMs } = answers
  return { medianMs: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) }
}

async function whileReading(quipu: ContenderProcess): Promise<Latency> {
  let over = false
  const request = (n: number): BenchRequest => ({ method: 'GET', path: reads[n % reads.length]!(n) })
  const reading = load(quipu.ready, request, {
    connections: READERS,
    calls: Number.POSITIVE_INFINITY,
    isOver: () => over,
  })
  const result = await latency(quipu).finally(() => {
    over = true
  })
  const { statuses } = await reading
  if ([...statuses.keys()].some((status) => status !== 200))
    throw new Error(`readers: expected answers of 200, received ${JSON.stringify([...statuses])}`)
  return result
}
