import { monitorEventLoopDelay } from 'node:perf_hooks'
import { itemAt } from '@quipu/core/values'

/** Values of one moment: label text such as `world="main"` (or none) and its number. */
export type Sample = readonly [labels: string, value: number]
export type MetricKind = 'counter' | 'gauge'
/** Prometheus expects this ending of a counter. */
export type CounterName = `${string}_total`

/** Metrics in the Prometheus text format. */
export type Metrics = {
  /** Counts a response, or a dropped request. `operation` is a name of the contract, or `none`. */
  responded(operation: string, status: number | 'dropped', ms: number): void
  count(name: CounterName, help: string): void
  /** Registers a metric that is read on each scrape. A later registration of the same name replaces it. */
  observe<Kind extends MetricKind>(
    name: Kind extends 'counter' ? CounterName : string,
    kind: Kind,
    help: string,
    read: () => readonly Sample[],
  ): void
  /** With `worlds`, includes the metrics of each world. */
  text(options: { readonly worlds: boolean }): string
  close(): void
}

/** Upper bounds in milliseconds; the last bucket has none. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000] as const

type Responses = {
  readonly byStatus: Map<number | 'dropped', number>
  readonly buckets: number[]
  count: number
  sumMs: number
}
type Reader = { readonly kind: MetricKind; readonly help: string; readonly read: () => readonly Sample[] }

export function createMetrics(): Metrics {
  const operations = new Map<string, Responses>()
  const readers = new Map<string, Reader>()
  const counts = new Map<string, number>()
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()

  const observe: Metrics['observe'] = (name, kind, help, read) => {
    readers.set(name, { kind, help, read })
  }
  observeProcess(observe, () => (Number.isNaN(delay.mean) ? 0 : delay.percentile(99) / 1e9))
  return {
    responded: (operation, status, ms) => add(operations, operation, status, ms),
    count: (name, help) => {
      if (!counts.has(name)) observe(name, 'counter', help, () => [['', counts.get(name) ?? 0]])
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    observe,
    text: ({ worlds }) =>
      `${responsesText(operations)}${[...readers].map((reader) => readerText(reader, worlds)).join('')}`,
    close: () => delay.disable(),
  }
}

function observeProcess(observe: Metrics['observe'], loopDelay: () => number): void {
  const readings = [
    ['process_resident_memory_bytes', 'gauge', 'Memory of the process.', () => process.memoryUsage.rss()],
    ['process_heap_used_bytes', 'gauge', 'Heap in use.', () => process.memoryUsage().heapUsed],
    ['process_cpu_seconds_total', 'counter', 'User and system time.', cpuSeconds],
    ['quipu_event_loop_delay_p99_seconds', 'gauge', 'Delay of the event loop.', loopDelay],
  ] as const
  for (const [name, kind, help, read] of readings) observe(name, kind, help, () => [['', read()]])
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function add(
  operations: Map<string, Responses>,
  operation: string,
  status: number | 'dropped',
  ms: number,
): void {
  let of = operations.get(operation)
  if (of === undefined) {
    of = { byStatus: new Map(), buckets: BOUNDS_MS.map(() => 0), count: 0, sumMs: 0 }
    operations.set(operation, of)
  }
  of.byStatus.set(status, (of.byStatus.get(status) ?? 0) + 1)
  of.count += 1
  of.sumMs += ms
  const bucket = BOUNDS_MS.findIndex((bound) => ms <= bound)
  if (bucket >= 0) of.buckets[bucket] = itemAt(of.buckets, bucket) + 1
}

function responsesText(operations: ReadonlyMap<string, Responses>): string {
  const total = ['# HELP quipu_requests_total Responses.', '# TYPE quipu_requests_total counter']
  const spans = [
    '# HELP quipu_request_seconds Time from the headers of a request to its response.',
    '# TYPE quipu_request_seconds histogram',
  ]
  for (const [operation, { byStatus, buckets, count, sumMs }] of operations) {
    const label = `operation="${operation}"`
    for (const [status, number] of byStatus)
      total.push(`quipu_requests_total{${label},status="${status}"} ${number}`)
    let below = 0
    for (const [at, bound] of BOUNDS_MS.entries()) {
      below += itemAt(buckets, at)
      spans.push(`quipu_request_seconds_bucket{${label},le="${bound / 1000}"} ${below}`)
    }
    spans.push(
      `quipu_request_seconds_bucket{${label},le="+Inf"} ${count}`,
      `quipu_request_seconds_sum{${label}} ${sumMs / 1000}`,
      `quipu_request_seconds_count{${label}} ${count}`,
    )
  }
  return `${[...total, ...spans].join('\n')}\n`
}

function readerText([name, { kind, help, read }]: readonly [string, Reader], worlds: boolean): string {
  const shown = read().filter(([labels]) => worlds || !labels.includes('world="'))
  const lines = shown.map(([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.map((line) => `${line}\n`).join('')}`
}

/** A label with an escaped value. */
export const metricLabel = (name: string, value: string): string =>
  `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
