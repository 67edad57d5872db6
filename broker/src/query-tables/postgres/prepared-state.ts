import { apply, emptyState, forget, type State, type WorldId } from '@quipu/core'
import { openBytes } from '../../journal/chain.ts'
import type { Journal } from '../../journal/journal.ts'
import { chainUpTo, type KnownChain } from '../../journal/postgres/chain.ts'
import { readEvents } from '../../journal/postgres/reader.ts'
import { eventOf } from '../../journal/stored-event.ts'
import type { Queries } from '../../postgres/connection.ts'
import { isOfJournal } from '../snapshot/snapshot.ts'
import { readPostgresSnapshot } from './snapshot.ts'

/** A state that is not used within this time is dropped. */
const KEEP_MS = 60_000
/** The preparation ends with at most this many events behind the head. */
const BEHIND_MAX = 500
/** Under a heavy load the head moves as fast as the preparation. */
const ROUNDS_MAX = 10

/** The state of a world that another process still writes. */
export class PreparedState {
  /** The imported data that the world uses. */
  readonly importedData: State['importedData']
  #state: State | undefined
  readonly #header: string | undefined
  /** The chain at the state, and the position of the snapshot that the state was built from. */
  readonly known: KnownChain

  /** `header` is the first line of the snapshot. */
  constructor(state: State, header: string | undefined, known: KnownChain) {
    this.importedData = state.importedData
    this.#state = state
    this.#header = header
    this.known = known
    setTimeout(() => (this.#state = undefined), KEEP_MS).unref()
  }

  /** The state, once, if it belongs to this journal and is not later than this number. */
  async take(journal: Journal, upTo: number): Promise<State | undefined> {
    const state = this.#state
    this.#state = undefined
    if (!state || state.seq > upTo) return undefined
    const isOfThis =
      this.#header === undefined || (await isOfJournal(this.#header, this.known.base.seq, journal))
    return isOfThis ? state : undefined
  }
}

/** Reads the newest snapshot and the events after it, so that the opening of the world reads only the last ones. */
export async function prepareState(queries: Queries, world: WorldId): Promise<PreparedState> {
  const { header, state: found } = await newestSnapshot(queries, world)
  const state = found ?? emptyState()
  const chain = await chainUpTo(queries, world, state.seq)
  const base = chain.position
  for (let left = ROUNDS_MAX; left > 0; left--) {
    const { seq, position } = await positionsOf(queries, world)
    if (seq - state.seq <= BEHIND_MAX && left < ROUNDS_MAX) break
    for await (const entries of readEvents(queries, world, state.seq, seq)) {
      for (const entry of entries) apply(state, eventOf(entry))
      chain.update(openBytes(entries), entries.length)
      forget(state, Math.min(state.seq, position))
    }
  }
  return new PreparedState(state, found && header, { chain, base })
}

async function newestSnapshot(queries: Queries, world: WorldId) {
  const { rows } = await queries.query({
    text: 'SELECT seq, body FROM quipu_snapshots WHERE world = $1 AND line = 0 ORDER BY seq DESC LIMIT 1',
    values: [world],
  })
  const [row] = rows
  return {
    header: row?.body as string | undefined,
    state: row && (await readPostgresSnapshot(queries, world, row.seq)),
  }
}

/** The numbers of the last event in the journal, and of the last event in the query tables. */
async function positionsOf(queries: Queries, world: WorldId) {
  const { rows } = await queries.query({
    text: `SELECT journal.seq, coalesce(tables.position, 0) AS position
      FROM quipu_journals AS journal LEFT JOIN quipu_query_tables AS tables USING (world) WHERE world = $1`,
    values: [world],
  })
  return { seq: Number(rows[0]?.seq ?? 0), position: Number(rows[0]?.position ?? 0) }
}
