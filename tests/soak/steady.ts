import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Broker, call, callAsOperator, newFolder, startBroker } from '../broker.ts'
import { gauge } from '../hostile/gauges.ts'

export type Sample = {
  readonly residentMiB: number
  readonly heapMiB: number
  readonly openFiles: number
  readonly viewsLag: number
  /** How much later than wanted a timer of this loop came: the machine's share of the noise. */
  readonly driftMs: number
}

export type SteadyCounts = {
  readonly minutes: number
  readonly orders: number
  readonly unexpected: number
  readonly first: Sample
  readonly last: Sample
  readonly auditSound: boolean
}

const EVERY_MS = 100
const SAMPLE_EVERY = 50
const MIB = 1024 * 1024

/**
 * The same modest load for a long time on one durable broker: some orders rest and are canceled, some are filled and
 * sold again. What a process keeps, leaks or forgets shows as a slope between the first and the last fifth.
 */
export async function steadyLoad(
  minutes: number,
  progress: (line: string) => void = () => undefined,
): Promise<SteadyCounts> {
  const broker = await startBroker(['--data', newFolder(), '--log', 'warn'])
  const samples: Sample[] = []
  let orders = 0
  let unexpected = 0
  const endsAt = Date.now() + minutes * 60_000
  for (let turn = 0; Date.now() < endsAt; turn++) {
    const wantedAt = performance.now() + EVERY_MS
    const statuses = await oneTurn(broker)
    orders += statuses.length
    unexpected += statuses.filter((status) => status >= 300).length
    await sleep(Math.max(0, wantedAt - performance.now()))
    if (turn % SAMPLE_EVERY !== 0) continue
    samples.push(await sampleOf(broker, performance.now() - wantedAt))
    const { residentMiB, openFiles } = samples.at(-1)!
    progress(`${orders} orders, ${residentMiB} MiB, ${openFiles} files open`)
  }
  const audit = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/audit')
  await broker.stop()
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  return {
    minutes,
    orders,
    unexpected,
    first: averaged(samples.slice(fifth, 2 * fifth)),
    last: averaged(samples.slice(-fifth)),
    auditSound: audit.body.sound,
  }
}

/** Three orders: one bought, one sold again, one that rests and is canceled. */
async function oneTurn(broker: Broker): Promise<number[]> {
  const order = { symbol: 'KO', qty: '1', time_in_force: 'day' }
  const [bought, resting] = await Promise.all([
    call(broker, 'POST', '/v2/orders', { ...order, side: 'buy', type: 'market' }),
    call(broker, 'POST', '/v2/orders', { ...order, side: 'buy', type: 'limit', limit_price: '1' }),
  ])
  const [sold, canceled] = await Promise.all([
    call(broker, 'POST', '/v2/orders', { ...order, side: 'sell', type: 'market' }),
    call(broker, 'DELETE', `/v2/orders/${resting.body.id}`),
  ])
  return [bought.status, resting.status, sold.status, canceled.status]
}

async function sampleOf(broker: Broker, driftMs: number): Promise<Sample> {
  return {
    residentMiB: Math.round((await gauge(broker, 'process_resident_memory_bytes')) / MIB),
    heapMiB: Math.round((await gauge(broker, 'process_heap_used_bytes')) / MIB),
    openFiles: openFilesOf(broker),
    viewsLag: await gauge(broker, 'quipu_views_lag_events'),
    driftMs,
  }
}

/** Only Linux tells. */
function openFilesOf({ process: { pid } }: Broker): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

function averaged(samples: readonly Sample[]): Sample {
  const mean = (of: (sample: Sample) => number) =>
    Math.round((samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length) * 10) / 10
  return {
    residentMiB: mean(({ residentMiB }) => residentMiB),
    heapMiB: mean(({ heapMiB }) => heapMiB),
    openFiles: mean(({ openFiles }) => openFiles),
    viewsLag: mean(({ viewsLag }) => viewsLag),
    driftMs: mean(({ driftMs }) => driftMs),
  }
}
