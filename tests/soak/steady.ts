import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { threadId, threadName } from 'node:worker_threads'
import { WebSocket } from 'ws'
import { gauge } from '../hostile/send.ts'
import { type Broker, callAsOperator, newFolder, type Started, startBroker } from '../support/broker.ts'
import { buyFirstShares, type LoadCounts, newLoadCounts, oneTurn } from './steady-load.ts'
import { type Sample, type Series, type Verdict, verdictOf } from './verdict.ts'

export type SteadyCounts = Verdict & {
  readonly minutes: number
  readonly requests: number
  readonly ordersFilled: number
  readonly events: number
}

const EVERY_MS = 100
const LATENCY_MS = 250
const MIB = 1024 * 1024

/**
 * Runs a constant load with every kind of request for a long time on one durable broker. A leak is a slope in the later
 * half: of the memory of each thread after a garbage collection, of the resident set, of open files, or of the delay of
 * order timers.
 */
export async function steadyLoad(
  minutes: number,
  progress: (line: string) => void = () => undefined,
): Promise<SteadyCounts> {
  const sampleMs = Math.min(30_000, (minutes * 60_000) / 40)
  const file = join(newFolder(), 'threads.ndjson')
  const broker = await startBroker(
    ['--data', newFolder(), '--log', 'warn', '--latency-ms', String(LATENCY_MS)],
    {
      NODE_OPTIONS: `--expose-gc --import=${join(import.meta.dirname, 'probe.ts')}`,
      SOAK_PROBE: file,
      SOAK_PROBE_MS: String(sampleMs),
    },
  )
  const fills = await collectFills(broker, LATENCY_MS)
  const counts = newLoadCounts()
  const samples = await run({
    broker,
    fills,
    counts,
    sampleMs,
    progress,
    endsAt: Date.now() + minutes * 60_000,
  })
  await sleep(4 * LATENCY_MS)
  const audit = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/audit')
  const events = await gauge(broker, 'quipu_journal_durable_events_total')
  fills.close()
  const exitCode = await broker.stop()
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const threads = lines.map((line) => JSON.parse(line) as ThreadSample)
  const isSound = audit.body.sound === true && exitCode === 0 && !broker.log().includes('"level":"error"')
  if (!isSound) progress(`audit ${JSON.stringify(audit.body)}, exit ${exitCode}, log: ${broker.log()}`)
  const verdict = verdictOf({ samples, threads, fills, counts, isSound })
  return { minutes, requests: counts.requests, ordersFilled: fills.lateMs.length, events, ...verdict }
}

type Run = {
  readonly broker: Broker
  readonly fills: Fills
  readonly counts: LoadCounts
  readonly sampleMs: number
  readonly endsAt: number
  readonly progress: (line: string) => void
}

async function run({ broker, fills, counts, sampleMs, endsAt, progress }: Run): Promise<Sample[]> {
  const samples: Sample[] = []
  await buyFirstShares(broker, counts)
  await sleep(2 * LATENCY_MS)
  let sampleAt = Date.now() + sampleMs
  for (let turn = 0; Date.now() < endsAt; turn++) {
    const nextTurnAt = performance.now() + EVERY_MS
    await oneTurn(broker, counts, turn)
    await sleep(Math.max(0, nextTurnAt - performance.now()))
    if (Date.now() < sampleAt) continue
    sampleAt += sampleMs
    const sample = await sampleOf(broker)
    samples.push(sample)
    progress(
      `${counts.requests} requests (${counts.unexpected.length} unexpected), ${fills.lateMs.length} fills, ` +
        `${sample.residentMiB} MiB resident, ${sample.openFiles} files open, query tables ${sample.queryTablesLag} behind`,
    )
  }
  return samples
}

async function sampleOf(broker: Broker): Promise<Sample> {
  return {
    at: Date.now(),
    residentMiB: Math.round((await gauge(broker, 'process_resident_memory_bytes')) / MIB),
    mappedMiB: mappedMiBOf(broker),
    openFiles: openFilesOf(broker),
    queryTablesLag: await gauge(broker, 'quipu_query_tables_lag_events'),
  }
}

/** Available only on Linux. */
function openFilesOf({ process: { pid } }: Broker): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** The part of the resident set that is mapped files, which the system can reclaim at any time. */
function mappedMiBOf({ process: { pid } }: Broker): number {
  try {
    return Number(/^RssFile:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  } catch {
    return 0
  }
}

export type Fills = {
  /** How late each fill arrived on the stream after its order's timer was due. */
  readonly lateMs: Series
  /** Number of fills that were received twice. */
  readonly doubled: () => number
  readonly canceled: () => number
  close(): void
}

/** Collects the fills of an account whose orders reach the market `latencyMs` after they were accepted. */
export async function collectFills({ url, keyId, secretKey }: Started, latencyMs: number): Promise<Fills> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stream`)
  const lateMs: { at: number; value: number }[] = []
  const orderIds = new Set<string>()
  let canceled = 0
  const isListening = Promise.withResolvers<void>()
  socket.on('message', (text) => {
    const { stream, data } = JSON.parse(String(text))
    if (stream === 'listening') isListening.resolve()
    if (data.event === 'canceled') canceled++
    if (data.event !== 'fill') return
    const at = Date.now()
    lateMs.push({ at, value: at - Date.parse(data.order.submitted_at) - latencyMs })
    orderIds.add(data.order.id)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'auth', key: keyId, secret: secretKey }))
  socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
  await isListening.promise
  return {
    lateMs,
    doubled: () => lateMs.length - orderIds.size,
    canceled: () => canceled,
    close: () => socket.terminate(),
  }
}

/** A measurement of one thread of the broker, written as a line of JSON. */
export type ThreadSample = {
  readonly thread: string
  readonly at: number
  /** Objects that remain after a garbage collection. */
  readonly heapBytes: number
  /** Compiled code, which grows until the engine has optimized all hot functions. */
  readonly codeBytes: number
  /** Buffers and native memory of objects of this thread. */
  readonly outsideBytes: number
  /** The longest that a timer in the thread was late since the last sample. */
  readonly delayMaxMs: number
  readonly delayP99Ms: number
}

/**
 * Loaded into every thread of a broker before its own code (`node --expose-gc --import`): each thread regularly
 * runs a garbage collection and writes its memory use. A thread cannot measure the heap of another thread.
 */
const file = process.env['SOAK_PROBE']
const everyMs = Number(process.env['SOAK_PROBE_MS'])

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  setInterval(() => {
    const [delayMaxMs, delayP99Ms] = [delay.max / 1e6, delay.percentile(99) / 1e6]
    globalThis.gc!()
    const { heapUsed, external: outsideBytes } = process.memoryUsage()
    const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => /code|trusted/.test(name))
    const codeBytes = spaces.reduce((sum, { space_used_size: used }) => sum + used, 0)
    const sample: ThreadSample = {
      thread: threadId === 0 ? 'main' : `${threadName} ${threadId}`,
      at: Date.now(),
      heapBytes: heapUsed - codeBytes,
      codeBytes,
      outsideBytes,
      delayMaxMs,
      delayP99Ms,
    }
    appendFileSync(file, `${JSON.stringify(sample)}\n`)
    delay.reset()
  }, everyMs).unref()
}
