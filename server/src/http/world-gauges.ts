import { clockBehindSeconds } from '../clock/watch.ts'
import { label, type Metrics, type Sample } from '../process/metrics.ts'
import type { World } from '../world/world.ts'
import type { Worlds } from '../worlds/worlds.ts'

/** Registers the gauges of every world: its journal, views and clock. */
export function watchWorlds(metrics: Metrics, worlds: Pick<Worlds, 'all'>): void {
  const each = (read: (world: World) => number) => (): readonly Sample[] =>
    worlds
      .all()
      .filter(({ isUp }) => isUp)
      .map((world) => [label('world', world.id), read(world)])
  metrics.observe('quipu_worlds', 'gauge', 'Worlds of the process.', () => [['', worlds.all().length]])
  metrics.observe(
    'quipu_journal_seq',
    'counter',
    'Number of the last event decided.',
    each(({ view }) => view.seq),
  )
  metrics.observe(
    'quipu_journal_durable_seq',
    'counter',
    'Number of the last event that is durable.',
    each(({ engine }) => engine.durable),
  )
  metrics.observe(
    'quipu_responses_waiting',
    'gauge',
    'Responses that wait for the journal.',
    each(({ engine }) => engine.waiting),
  )
  metrics.observe(
    'quipu_views_lag_events',
    'gauge',
    'Events the views are behind.',
    each(({ engine, views }) => engine.durable - views.position()),
  )
  metrics.observe(
    'quipu_clock_behind_seconds',
    'gauge',
    'How far the clock is behind the last event; 0 up to a minute.',
    each(clockBehindSeconds),
  )
}
