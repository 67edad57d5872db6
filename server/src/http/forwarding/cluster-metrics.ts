import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { metricLabel, type Sample } from '../metrics/metrics.ts'
import type { Services } from '../services.ts'

/**
 * How a forwarded request ended: with the response of the holder, without a holder in time (503), or unknown, because the
 * holder did not answer.
 */
export type ForwardOutcome = 'answered' | 'unavailable' | 'unknown'

type Counts = Record<ForwardOutcome, number>

const counts = new WeakMap<Cluster, Counts>()

export function countForwarded(cluster: Cluster, outcome: ForwardOutcome): void {
  countsOf(cluster)[outcome] += 1
}

function countsOf(cluster: Cluster): Counts {
  let found = counts.get(cluster)
  if (!found) counts.set(cluster, (found = { answered: 0, unavailable: 0, unknown: 0 }))
  return found
}

/** Registers the metrics of a node: nodes, worlds, leases and forwarded requests. */
export function watchCluster({ monitoring: { metrics }, worlds, cluster }: Services): void {
  if (!cluster) return
  const each = (read: (world: World) => number) => (): readonly Sample[] =>
    worlds
      .entries()
      .filter(({ durable, world }) => durable && world.status.isUp)
      .map(({ world }) => [metricLabel('world', world.id), read(world)])
  metrics.observe('quipu_cluster_nodes', 'gauge', 'Running nodes of the cluster.', () => [
    ['', cluster.view.table.nodes.length],
  ])
  metrics.observe('quipu_cluster_free_worlds', 'gauge', 'Stored worlds that no node holds.', () => [
    ['', cluster.view.table.worlds.filter(({ holder }) => !holder).length],
  ])
  metrics.observe(
    'quipu_cluster_stuck_worlds',
    'gauge',
    'Worlds whose lease this node has, and that it has not had open for longer than an opening takes.',
    () => [['', cluster.claims.stuck.length]],
  )
  metrics.observe(
    'quipu_cluster_held',
    'gauge',
    'Stored worlds that this node holds: 1 for each.',
    each(() => 1),
  )
  metrics.observe(
    'quipu_cluster_lease_age_seconds',
    'gauge',
    'Time since the lease of a world was extended. Above 2.5 this node stops answering for it.',
    each(({ storage }) => (storage.journal.leaseAgeMs?.() ?? 0) / 1000),
  )
  metrics.observe(
    'quipu_cluster_forwarded_total',
    'counter',
    'Requests that this node forwarded, by outcome.',
    () =>
      Object.entries(countsOf(cluster)).map(([outcome, count]) => [metricLabel('outcome', outcome), count]),
  )
}
