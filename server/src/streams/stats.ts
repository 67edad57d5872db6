import { label, type Metrics } from '../process/metrics.ts'

export type StreamStats = {
  /** Connections by endpoint. */
  readonly open: Readonly<Record<string, number>>
  readonly unauthenticated: number
  /** Unsent bytes of all clients. */
  readonly bufferedBytes: number
  readonly slowClients: number
}

export function watchStreams(metrics: Metrics, stats: () => StreamStats): void {
  metrics.observe('quipu_streams', 'gauge', 'Open streams.', () =>
    Object.entries(stats().open).map(([endpoint, count]) => [label('endpoint', endpoint), count]),
  )
  const value = (read: (stats: StreamStats) => number) => () => [['', read(stats())]] as const
  metrics.observe(
    'quipu_streams_unauthenticated',
    'gauge',
    'Open streams that have not authenticated.',
    value(({ unauthenticated }) => unauthenticated),
  )
  metrics.observe(
    'quipu_streams_buffered_bytes',
    'gauge',
    'Unsent bytes of all streams.',
    value(({ bufferedBytes }) => bufferedBytes),
  )
  metrics.observe(
    'quipu_slow_clients_total',
    'counter',
    'Streams closed because the client read too slowly.',
    value(({ slowClients }) => slowClients),
  )
}
