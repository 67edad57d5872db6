import { label, type Metrics } from '../process/metrics.ts'

export type StreamStats = {
  /** Connections by endpoint. */
  readonly open: Readonly<Record<string, number>>
  readonly unauthenticated: number
  /** What waits to be sent, all clients together. */
  readonly bufferedBytes: number
  readonly slowClients: number
}

export function watchStreams(metrics: Metrics, stats: () => StreamStats): void {
  metrics.observe('quipu_streams', 'gauge', 'Open streams.', () =>
    Object.entries(stats().open).map(([endpoint, count]) => [label('endpoint', endpoint), count]),
  )
  const one = (read: (of: StreamStats) => number) => () => [['', read(stats())]] as const
  metrics.observe(
    'quipu_streams_unauthenticated',
    'gauge',
    'Open streams of clients not known yet.',
    one(({ unauthenticated }) => unauthenticated),
  )
  metrics.observe(
    'quipu_streams_buffered_bytes',
    'gauge',
    'What waits to be sent on streams.',
    one(({ bufferedBytes }) => bufferedBytes),
  )
  metrics.observe(
    'quipu_slow_clients_total',
    'counter',
    'Streams closed because their clients did not read.',
    one(({ slowClients }) => slowClients),
  )
}
