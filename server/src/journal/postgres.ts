import {
  type ClientClass,
  type Connection,
  connect,
  isAnswer,
  openPool,
  type Pool,
  placeOf,
  unusable,
} from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { Chain, openLines } from './chain.ts'
import { ChainedJournal } from './chained.ts'
import { Group } from './group.ts'
import { AppendFailed, type Entry, Fenced, type Journal, JournalDamaged } from './journal.ts'
import {
  type Holder,
  holderOf,
  LEASE_MS,
  type Lease,
  newHolder,
  RENEW_MS,
  releaseLease,
  renewLease,
  takeLease,
} from './postgres-lease.ts'
import { readEvents } from './postgres-reader.ts'

export type PostgresOptions = {
  readonly url: string
  readonly world: string
  /** The market model that a new journal is written by, and that an earlier one must have. */
  readonly marketModel: number
  /** Who opens it. Kept from one opening to the next, it gets the world again only if nobody took it meanwhile. */
  readonly holder?: Holder
  /** The journal is of no use any more, though nothing was appended: it was taken over, or its connection broke. */
  readonly lost?: (error: unknown) => void
  /** Called when the world is taken over, before its events are read. If it throws, the journal is not opened. */
  readonly taken?: (() => Promise<void>) | undefined
  /** For tests: everyone else takes the number of the format. */
  readonly segmentEvents?: number
  /** For tests: how long the lease of an earlier engine lasts. */
  readonly earlierLeaseMs?: number
  /** For tests: the monotonic clock. */
  readonly nowMs?: () => number
  readonly Client?: ClientClass | undefined
}

/** The journal of one world in PostgreSQL. Opening it takes the world over from whoever had it. */
export async function openPostgresJournal(options: PostgresOptions): Promise<Journal> {
  const { url, world, marketModel, holder = newHolder(), segmentEvents, earlierLeaseMs, Client } = options
  await migrate(url, Client)
  let journal: PostgresJournal | undefined
  const lost = (error: unknown) => journal?.broken(error)
  const connection = await connect(url, { lost, Client })
  const pool = openPool(url, Client)
  try {
    await connection.query(durably)
    const wanted = { place: placeOf(url), world, marketModel }
    const lease = await takeLease(connection, wanted, holder, earlierLeaseMs)
    await options.taken?.()
    const chain = await chainOf(pool, world, lease, segmentEvents)
    journal = new PostgresJournal({ ...options, connection, pool, lease, chain })
    await journal.renew()
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
    UPDATE quipu_journals SET seq = $4, hash = $5, renewed_at = clock_timestamp()
    WHERE world = $1 AND fence = $2 AND seq = $3 RETURNING world
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
  readonly #renewals: NodeJS.Timeout
  readonly #nowMs: () => number
  #underWay: Promise<void> | undefined
  #renewing: Promise<void> | undefined
  /** When the last successful renewal or append was sent, on the monotonic clock. */
  #renewedMs = Number.NEGATIVE_INFINITY

  constructor(parts: Parts) {
    super(parts.chain)
    this.#parts = parts
    this.#nowMs = parts.nowMs ?? (() => performance.now())
    this.#renewals = setInterval(() => void this.#renewInTime(), RENEW_MS).unref()
  }

  override isHeld(): boolean {
    return this.#nowMs() - this.#renewedMs <= LEASE_MS
  }

  /** Rejects where another engine has the world, or where the database does not answer. */
  async renew(): Promise<void> {
    const { connection, world, lease } = this.#parts
    const sentMs = this.#nowMs()
    if (!(await renewLease(connection, world, lease.fence)))
      throw new Fenced(world, await holderOf(connection, world).catch(() => 'another'))
    this.#renewedMs = sentMs
  }

  async append(entries: readonly Entry[] | Group): Promise<void> {
    const group = entries instanceof Group ? entries : Group.of(entries)
    this.#assertOpen()
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
    await this.#renewing
    const { connection, world, lease } = this.#parts
    if (!this.ended) await releaseLease(connection, world, lease.fence).catch(() => {})
    await this.#end('closed')
  }

  /** The connection broke. An append that is under way tells so itself. */
  broken(error: unknown): void {
    if (!this.#underWay) void this.#lose(error)
  }

  /** That the world was taken over is said in every refusal: its engine must not open it again. */
  #assertOpen(): void {
    if (this.ended instanceof Fenced) throw this.ended
    if (this.ended) throw new AppendFailed(true, 'the journal is closed', this.ended)
  }

  async #store(group: Group): Promise<void> {
    const { connection, world, lease } = this.#parts
    const { next, values } = this.#encode(group)
    await this.#renewing
    this.#assertOpen()
    const statement = { name: 'append', text: appendGroup, values: [world, lease.fence, ...values] }
    const sentMs = this.#nowMs()
    let rowCount: number | null
    try {
      rowCount = (await connection.query(statement)).rowCount
    } catch (cause) {
      const certain = await isRefusal(connection, cause)
      throw new AppendFailed(certain, `the group could not be stored: ${(cause as Error).message}`, cause)
    }
    if (rowCount === 0) throw new Fenced(world, await holderOf(connection, world).catch(() => 'another'))
    this.chain = next
    this.#renewedMs = sentMs
    if (!this.isHeld()) await this.#renewLate()
  }

  /** A slow append is stored, but the world may have a new engine by now: nothing is answered before that is known. */
  async #renewLate(): Promise<void> {
    try {
      await this.renew()
    } catch (cause) {
      throw new AppendFailed(false, 'the group was stored, but the lease ended meanwhile', cause)
    }
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

  /** One statement at a time: an append renews the lease itself, and one that comes meanwhile waits for the renewal. */
  async #renewInTime(): Promise<void> {
    if (this.#underWay || this.#renewing || this.ended) return
    this.#renewing = this.renew().catch((error) => this.#lose(error))
    await this.#renewing
    this.#renewing = undefined
  }

  async #lose(error: unknown): Promise<void> {
    if (this.ended) return
    await this.#end(error)
    this.#parts.lost?.(error)
  }

  async #end(why: unknown): Promise<void> {
    if (this.ended) return
    this.ended = why
    clearInterval(this.#renewals)
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
