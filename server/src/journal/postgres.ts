import {
  type ClientClass,
  type Connection,
  connect,
  isAnswer,
  openPool,
  type Pool,
  unusable,
} from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { Chain, openLines } from './chain.ts'
import { ChainedJournal } from './chained.ts'
import { Group } from './group.ts'
import { AppendFailed, type Entry, Fenced, type Journal, JournalDamaged } from './journal.ts'
import { type Holder, holderOf, holds, type Lease, newHolder, takeLease } from './postgres-lease.ts'
import { readEvents } from './postgres-reader.ts'

/** How often an engine that stores nothing looks whether another has taken its world. */
const WATCH_MS = 1_000

export type PostgresOptions = {
  readonly url: string
  readonly world: string
  /** Who opens it. Kept from one opening to the next, it gets the world again only if nobody took it meanwhile. */
  readonly holder?: Holder
  /** The journal is of no use any more, though nothing was appended: it was taken over, or its connection broke. */
  readonly lost?: (error: unknown) => void
  /** For tests: everyone else takes the number of the format. */
  readonly segmentEvents?: number
  readonly Client?: ClientClass | undefined
}

/** The journal of one world in PostgreSQL. Opening it takes the world over from whoever had it. */
export async function openPostgresJournal(options: PostgresOptions): Promise<Journal> {
  const { url, world, holder = newHolder(), segmentEvents, Client } = options
  await migrate(url, Client)
  let journal: PostgresJournal | undefined
  const lost = (error: unknown) => journal?.broken(error)
  const connection = await connect(url, { lost, Client })
  const pool = openPool(url, Client)
  try {
    await connection.query(durably)
    const lease = await takeLease(connection, world, holder)
    const chain = await chainOf(pool, world, lease, segmentEvents)
    journal = new PostgresJournal({ ...options, connection, pool, lease, chain })
    return journal
  } catch (error) {
    await connection.end().catch(() => {})
    throw unusable(url, error)
  }
}

// A database or a role may have been set to acknowledge before the disk has it. A stronger promise is left as it is.
const durably = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')`

/** One statement, so one trip and one transaction: nothing is written unless the head is ours and where we left it. */
const appendGroup = `
  WITH head AS (
    UPDATE quipu_journals SET seq = $4, hash = $5 WHERE world = $1 AND fence = $2 AND seq = $3 RETURNING world
  ), seeds AS (
    INSERT INTO quipu_segments (world, segment, seed)
    SELECT head.world, begun.segment, begun.seed
    FROM head, unnest($8::integer[], $9::text[]) AS begun (segment, seed)
  )
  INSERT INTO quipu_events (world, seq, open, sealed)
  SELECT head.world, $3 + event.number, event.open, event.sealed
  FROM head, unnest(string_to_array($6::text, chr(10)), string_to_array($7::text, chr(10), ''))
    WITH ORDINALITY AS event (open, sealed, number)`

type Parts = PostgresOptions & {
  readonly connection: Connection
  readonly pool: Pool
  readonly lease: Lease
  readonly chain: Chain
}

class PostgresJournal extends ChainedJournal {
  readonly #parts: Parts
  readonly #watch: NodeJS.Timeout
  #underWay: Promise<void> | undefined
  #looking: Promise<void> | undefined

  constructor(parts: Parts) {
    super(parts.chain)
    this.#parts = parts
    this.#watch = setInterval(() => this.#beginLook(), WATCH_MS).unref()
  }

  async append(entries: readonly Entry[] | Group): Promise<void> {
    const group = entries instanceof Group ? entries : Group.of(entries)
    if (this.ended) throw new AppendFailed(true, 'the journal is closed', this.ended)
    if (this.#underWay)
      throw new AppendFailed(true, 'bug: a group was appended before the last one was stored')
    if (group.count === 0) return
    this.#underWay = this.#store(group)
    try {
      await this.#underWay
    } catch (error) {
      await this.#end(error)
      throw error
    } finally {
      this.#underWay = undefined
    }
  }

  async close(): Promise<void> {
    await this.#underWay?.catch(() => {})
    await this.#end('closed')
  }

  /** The connection broke. An append that is under way tells so itself. */
  broken(error: unknown): void {
    if (!this.#underWay) void this.#lose(error)
  }

  async #store(group: Group): Promise<void> {
    const { connection, world, lease } = this.#parts
    const { next, values } = this.#encode(group)
    await this.#looking
    if (this.ended) throw new AppendFailed(true, 'the journal was lost', this.ended)
    const statement = { name: 'append', text: appendGroup, values: [world, lease.fence, ...values] }
    let rowCount: number | null
    try {
      rowCount = (await connection.query(statement)).rowCount
    } catch (cause) {
      const certain = await isRefusal(connection, cause)
      throw new AppendFailed(certain, `the group could not be stored: ${(cause as Error).message}`, cause)
    }
    if (rowCount === 0) throw new Fenced(world, await holderOf(connection, world).catch(() => 'another'))
    this.chain = next
  }

  #encode(group: Group): { readonly next: Chain; readonly values: readonly unknown[] } {
    try {
      const lines = Buffer.from(group.open())
      const sealed = Array.from<string>({ length: group.count }).fill('')
      group.sealed((line, at) => {
        sealed[at] = line
      })
      const next = this.chain.copy()
      next.update(lines, group.count)
      const { seq, hash } = next.position
      const begun = segmentsBegun(this.chain, next)
      const seeds = begun.map((segment) => seedOf(next, segment))
      const text = [lines.subarray(0, -1), Buffer.from(sealed.join('\n'))]
      return { next, values: [this.chain.seq, seq, hash, ...text, begun, seeds] }
    } catch (cause) {
      throw new AppendFailed(true, 'the group was refused', cause)
    }
  }

  // One statement at a time: an append that comes meanwhile waits for the look, which takes a fraction of its own time.
  #beginLook(): void {
    if (this.#underWay || this.#looking) return
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  async #look(): Promise<void> {
    const { connection, world, lease } = this.#parts
    try {
      if (await holds(connection, world, lease.fence)) return
      await this.#lose(new Fenced(world, await holderOf(connection, world)))
    } catch (error) {
      await this.#lose(error)
    }
  }

  async #lose(error: unknown): Promise<void> {
    if (this.ended) return
    await this.#end(error)
    this.#parts.lost?.(error)
  }

  async #end(why: unknown): Promise<void> {
    if (this.ended) return
    this.ended = why
    clearInterval(this.#watch)
    await this.#parts.connection.end().catch(() => {})
  }

  // Through the pool, because forks go on reading when the journal is closed.
  protected readonly between = (after: number, to: number) =>
    readEvents(this.#parts.pool, this.#parts.world, after, to)
}

/**
 * Whether the group is certainly not there. The server answers a statement that it did not carry out with an error,
 * and goes on. If it says nothing, or does not go on, it may have carried the statement out.
 */
async function isRefusal(connection: Connection, error: unknown): Promise<boolean> {
  if (!isAnswer(error)) return false
  return connection.query('SELECT 1').then(
    () => true,
    () => false,
  )
}

/** The chain at the head, made from the events of the last segment and held against the head that was stored. */
async function chainOf(pool: Pool, world: string, head: Lease, segmentEvents?: number): Promise<Chain> {
  const { rows } = await pool.query({
    text: 'SELECT segment, seed FROM quipu_segments WHERE world = $1 ORDER BY segment',
    values: [world],
  })
  const size = new Chain(segmentEvents).segmentEvents
  const isWhole = rows.length === Math.ceil(head.seq / size) && rows.every((row, at) => row.segment === at)
  if (!isWhole) throw damaged(1, 'table quipu_segments', 'a segment is missing, or there is one too many')
  const chain = new Chain(size, rows.length ? rows.map(({ seed }) => Buffer.from(seed, 'hex')) : undefined)
  const from = chain.seq + 1
  for await (const entries of readEvents(pool, world, chain.seq, head.seq))
    chain.update(openLines(entries), entries.length)
  if (chain.position.hash === head.hash) return chain
  throw damaged(from, 'table quipu_events', `the hash at event ${head.seq} does not match the stored one`)
}

const damaged = (from: number, file: string, reason: string) => new JournalDamaged({ from, file, reason })

/** The segments that got their first event between two states of a chain. */
function segmentsBegun(before: Chain, after: Chain): readonly number[] {
  const [from, to] = [before, after].map(({ seq, segmentEvents }) => Math.ceil(seq / segmentEvents))
  return Array.from({ length: to! - from! }, (_, index) => from! + index)
}

const seedOf = (chain: Chain, segment: number): string =>
  chain
    .before(segment * chain.segmentEvents + 1)
    .seed()
    .toString('hex')
