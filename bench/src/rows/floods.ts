import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContenderProcess, type Ready } from '../contender-process.ts'
import { load, percentile, requireAllOk } from '../load.ts'
import { anOrder, CONNECTIONS, withFolder } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import type { Row, Size } from '../row.ts'
import { anotherKey } from '../virtual-world.ts'

/** Connections that send many expensive requests at once. */
type Flood = {
  readonly name: string
  readonly connections: number
  /** Requests that each connection sends in one write. */
  readonly requests: number
  readonly path: (n: number) => string
  /** The connections close after this time. */
  readonly openMs: number
}

const floods: readonly Flood[] = [
  {
    name: '50 connections × 20 bar pages, closed after 1 s',
    connections: 50,
    requests: 20,
    path: bars,
    openMs: 1000,
  },
  {
    name: '10 connections × 250 calendars, nothing read',
    connections: 10,
    requests: 250,
    path: () => '/v2/calendar',
    openMs: 10_000,
  },
]

/** Every request reads a different page, so that no cache can answer it. */
function bars(n: number): string {
  const start = new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
  return `/v2/stocks/bars?symbols=AAPL,MSFT,NVDA&timeframe=1Min&limit=10000&start=${start}&end=2024-06-01`
}

/** Orders of the other client: the rate of one program, until after the flood. */
const PER_SECOND = 50
const CALLS = 600

/** The slowest order of a round: by the clock, and by the CPU time of the main thread while the order waited. */
type Slowest = { readonly ms: number; readonly threadMs: number }
type Round = { readonly alone: Slowest; readonly flooded: Slowest; readonly peakMiB: number }

/** (u) The slowest order of another key of the same account during a flood, and the peak memory of the process. */
export async function underFlood({ rounds }: Size): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const flood of floods) {
    const results: Round[] = []
    for (let turn = 0; turn < rounds; turn++) results.push(await round(flood))
    rows.push(...rowsOf(flood, results))
  }
  return rows
}

function rowsOf({ name }: Flood, results: readonly Round[]): readonly Row[] {
  const row = (figure: string, of: (round: Round) => number): Row => ({
    row: 'u',
    name: `${name}: ${figure}`,
    value: median(results.map(of)),
    goal: '',
  })
  return [
    row('slowest order / slowest order alone, by the clock', (r) => r.flooded.ms / r.alone.ms),
    row('the same, ms', (r) => r.flooded.ms),
    row(
      "slowest order / slowest order alone, by the thread's CPU",
      (r) => r.flooded.threadMs / r.alone.threadMs,
    ),
    row('the same, ms of the thread', (r) => r.flooded.threadMs),
    row('peak resident memory, MiB', (r) => r.peakMiB),
  ]
}

/** Each round starts a new process, because peak memory is measured over the lifetime of a process. */
function round(flood: Flood): Promise<Round> {
  return withFolder(async (folder) => {
    const quipu = await ContenderProcess.start('quipu.child.ts', [folder, '0'])
    try {
      const orders = await anotherKey(quipu.ready)
      const alone = await slowestOrder(quipu, orders)
      const flooding = send(quipu.ready, flood)
      const flooded = await slowestOrder(quipu, orders)
      await flooding
      const { peakBytes } = await quipu.cost()
      return { alone, flooded, peakMiB: peakBytes / 1_048_576 }
    } finally {
      await quipu.kill()
    }
  })
}

async function slowestOrder(quipu: ContenderProcess, ready: Ready): Promise<Slowest> {
  const keyId = ready.headers['APCA-API-KEY-ID'] ?? ''
  await quipu.waits(keyId)
  const answers = await load(ready, anOrder, {
    connections: CONNECTIONS,
    calls: CALLS,
    perSecond: PER_SECOND,
  })
  requireAllOk('orders', CALLS, answers)
  return { ms: percentile(answers.latenciesMs, 1), threadMs: percentile(await quipu.waits(keyId), 1) / 1000 }
}

/** Sends all requests at once and reads no answer. */
async function send({ port, headers }: Ready, flood: Flood): Promise<void> {
  const credentials = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = (n: number) =>
    `GET ${flood.path(n)} HTTP/1.1\r\nHost: 127.0.0.1\r\n${credentials.join('')}\r\n`
  const sockets = Array.from({ length: flood.connections }, (_, connection): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    for (let n = 0; n < flood.requests; n++) socket.write(request(connection * flood.requests + n))
    return socket
  })
  await sleep(flood.openMs)
  for (const socket of sockets) socket.destroy()
}
