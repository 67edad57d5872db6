import { asked, type Pool, type Queries } from '../../postgres/connection.ts'
import { type Entry, JournalDamaged } from '../journal.ts'

/** Events per query: a few megabytes with events of usual length. */
const BATCH_EVENTS = 2_000

const between = `SELECT open, sealed FROM quipu_events WHERE world = $1 AND seq > $2 AND seq <= $3 ORDER BY seq`

/** Reads the events of a world from PostgreSQL by number, on its own connections. */
export class PostgresReader {
  readonly #pool: Pool
  readonly #world: string

  constructor(pool: Pool, world: string) {
    this.#pool = pool
    this.#world = world
  }

  /** The events after a number, up to a durable one. */
  read(after: number, to: number): AsyncGenerator<readonly Entry[]> {
    return readEvents(this.#pool, this.#world, after, to)
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/** The events of a world after a number, up to another. A missing event is reported as damage. */
export async function* readEvents(
  queries: Queries,
  world: string,
  after: number,
  to: number,
): AsyncGenerator<readonly Entry[]> {
  const endOf = (start: number) => Math.min(start + BATCH_EVENTS, to)
  const ask = (start: number) =>
    asked(queries, { name: 'events', text: between, values: [world, start, endOf(start)] })
  let next = after < to ? ask(after) : undefined
  for (let start = after; next; start += BATCH_EVENTS) {
    const { rows } = await next
    const end = endOf(start)
    // The database reads the next batch while the caller uses this one.
    next = end < to ? ask(end) : undefined
    if (rows.length !== end - start) throw missing(start + 1, end, rows.length)
    yield rows.map(({ open, sealed }) => (sealed === null ? { open } : { open, sealed }))
  }
}

const missing = (from: number, to: number, count: number): JournalDamaged =>
  new JournalDamaged({
    from,
    file: 'table quipu_events',
    reason: `events ${from} to ${to}: expected ${to - from + 1} rows, received ${count}`,
  })
