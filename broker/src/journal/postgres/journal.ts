import { errorMessage } from '@quipu/core/values'
import {
  addressOf,
  asUnreachable,
  connect,
  disconnect,
  isRefusal,
  openPool,
  type Pool,
  type PostgresConnection,
} from '../../postgres/connection.ts'
import { formatOf, migrate } from '../../postgres/migrations.ts'
import { write } from '../../postgres/statements.ts'
import type { HashChain } from '../chain.ts'
import { EventGroup } from '../group.ts'
import type { JournalSource } from '../journal.ts'
import { AppendFailed, type Entry, Fenced } from '../journal.ts'
import { LEASE_MS, RESPONSE_MS, STATEMENT_TIMEOUT_MS } from '../lease.ts'
import { ChainedJournal } from '../memory.ts'
import { chainFrom, chainOf, seedOf, startedSegments } from './chain.ts'
import { type Lease, leaseHolder, newHolder, releaseLease, renewLease, takeLease } from './lease.ts'
import type { LeasedJournal, PostgresOptions } from './leased-journal.ts'
import { readEvents } from './reader.ts'
import { Renewals, type Renewed } from './renewals.ts'

/** The journal of one world in PostgreSQL. Opening it takes the world over from its previous holder. */
export async function openPostgresJournal(options: PostgresOptions): Promise<LeasedJournal> {
  const { url, world, marketModel, holder = newHolder(), segmentEvents, Client } = options
  if (!options.isMigrated) await migrate(url, Client)
  let journal: PostgresJournal | undefined
  const onLost = (error: unknown) => journal?.broken(error)
  const connection = await connect(url, { onLost, timeoutMs: STATEMENT_TIMEOUT_MS, Client })
  const pool = options.pool ?? openPool(url, Client)
  try {
    const request = { address: addressOf(url), world, marketModel }
    if (options.isMigrated) await formatOf(connection, request.address)
    const lease = await takeLease(connection, request, holder, options)
    await options.onTaken?.()
    const continued = await chainFrom(pool, world, lease, options.known)
    const chain = continued ?? (await chainOf(pool, world, lease, segmentEvents))
    const renewals = options.renewals ?? new Renewals(url, Client, options.nowMs)
    const known = continued && options.known
    journal = new PostgresJournal({ ...options, known, connection, pool, renewals, lease, chain })
    await journal.renew()
    journal.keepRenewed()
    return journal
  } catch (error) {
    await disconnect(connection)
    throw asUnreachable(url, error)
  }
}

/** One statement: one round trip and one transaction. It writes only if the fence and the head are unchanged. */
const appendGroup = `
  WITH head AS (
    UPDATE quipu_journals SET seq = $4, hash = $5, expires_at = clock_timestamp() + interval '${LEASE_MS} milliseconds'
    WHERE world = $1 AND fence = $2 AND seq = $3 RETURNING world
  ), seeds AS (
    INSERT INTO quipu_segments (world, segment, seed)
    SELECT head.world, begun.segment, begun.seed
    FROM head, unnest($8::integer[], $9::text[]) AS begun (segment, seed)
  )
  INSERT INTO quipu_events (world, seq, open, sealed)
  SELECT head.world, $3 + event.number, event.open, event.sealed
  FROM head, unnest($6::bytea[], $7::bytea[]) WITH ORDINALITY AS event (open, sealed, number)`

/** The time that each event adds to the timeout of its group. 150,000 events took 3 s on a busy machine. */
const EVENT_TIMEOUT_MS = 0.2

/** Why a journal is closed that has not failed. */
const CLOSED = 'closed'

type JournalParts = PostgresOptions & {
  readonly connection: PostgresConnection
  readonly pool: Pool
  readonly renewals: Pick<Renewals, 'add' | 'remove'>
  readonly lease: Lease
  readonly chain: HashChain
}

class PostgresJournal extends ChainedJournal {
  readonly source: JournalSource
  readonly fence: number
  readonly #parts: JournalParts
  readonly #renewed: Renewed
  readonly #nowMs: () => number
  #appending: Promise<void> | undefined
  /** When the last successful renewal or append was sent, on the monotonic clock. */
  #renewedMs = Number.NEGATIVE_INFINITY

  constructor(parts: JournalParts) {
    super(parts.chain)
    this.#parts = parts
    this.source = { url: parts.url, world: parts.world }
    this.fence = parts.lease.fence
    if (parts.known) this.knowHash(parts.known.base.seq, Promise.resolve(parts.known.base.hash))
    this.#nowMs = parts.nowMs ?? (() => performance.now())
    this.#renewed = {
      world: parts.world,
      fence: parts.lease.fence,
      isOver: () => this.leaseAgeMs() > LEASE_MS,
      renewed: (sentMs) => this.#sent(sentMs),
      failed: (error) => this.broken(error),
    }
  }

  /** Renews the lease from now on, until the journal is closed. */
  keepRenewed(): void {
    this.#parts.renewals.add(this.#renewed)
  }

  override isCurrentHolder(): boolean {
    return !this.closedBecause && this.leaseAgeMs() <= RESPONSE_MS
  }

  leaseAgeMs(): number {
    return this.#nowMs() - this.#renewedMs
  }

  /** Rejects if another engine holds the world or the database does not respond. */
  async renew(): Promise<void> {
    const { connection, world, lease } = this.#parts
    const sentMs = this.#nowMs()
    if (!(await renewLease(connection, world, lease.fence)))
      throw new Fenced(world, await leaseHolder(connection, world).catch(() => 'another'))
    this.#sent(sentMs)
  }

  /** A renewal or append that was sent at this time has succeeded. */
  #sent(sentMs: number): void {
    this.#renewedMs = Math.max(this.#renewedMs, sentMs)
  }

  async append(entries: readonly Entry[] | EventGroup): Promise<void> {
    const group = entries instanceof EventGroup ? entries : EventGroup.of(entries)
    this.#assertOpen()
    if (this.#appending)
      throw new AppendFailed(true, 'bug: a group was appended before the last one was stored')
    if (group.count === 0) return
    this.#appending = this.#store(group)
    try {
      await this.#appending
    } catch (error) {
      void this.#end(error)
      throw error
    } finally {
      this.#appending = undefined
    }
  }

  async close(): Promise<void> {
    await this.#appending?.catch(() => {})
    if (this.closedBecause) return
    if (!this.#parts.onlyFree) await this.#release()
    await this.#end(CLOSED)
  }

  async endRenewals(): Promise<void> {
    await this.close()
    await this.#parts.renewals.remove(this.#renewed)
  }

  async #release(): Promise<void> {
    const { connection, world, lease } = this.#parts
    // A later renewal would extend the released lease.
    await this.#parts.renewals.remove(this.#renewed)
    if (!this.closedBecause) await releaseLease(connection, world, lease.fence).catch(() => {})
  }

  /** Called when the lease or the connection is lost. A running append reports the failure itself. */
  broken(error: unknown): void {
    if (this.#appending) return
    if (this.closedBecause) void this.#parts.renewals.remove(this.#renewed)
    else this.#fail(error)
  }

  /** Every later call reports a takeover, because this engine must not reopen the world. */
  #assertOpen(): void {
    if (this.closedBecause instanceof Fenced) throw this.closedBecause
    if (this.closedBecause) throw new AppendFailed(true, 'the journal is closed', this.closedBecause)
  }

  async #store(group: EventGroup): Promise<void> {
    const { connection, world, lease } = this.#parts
    const { next, values } = this.#encode(group)
    this.#assertOpen()
    const statement = {
      name: 'append',
      text: appendGroup,
      values: [world, lease.fence, ...values],
      query_timeout: STATEMENT_TIMEOUT_MS + group.count * EVENT_TIMEOUT_MS,
    }
    const sentMs = this.#nowMs()
    let rowCount: number | null
    try {
      rowCount = (await write(connection, statement)).rowCount
    } catch (cause) {
      const certain = await isRefusal(connection, cause)
      throw new AppendFailed(certain, `the group could not be stored: ${errorMessage(cause)}`, cause)
    }
    if (rowCount === 0) throw new Fenced(world, await leaseHolder(connection, world).catch(() => 'another'))
    this.chain = next
    this.#sent(sentMs)
    if (!this.isCurrentHolder()) await this.#renewLate()
  }

  /** The lease may have ended during a slow append, so the engine must renew it before it answers. */
  async #renewLate(): Promise<void> {
    try {
      await this.renew()
    } catch (cause) {
      throw new AppendFailed(false, 'the group was stored, but the lease ended meanwhile', cause)
    }
  }

  #encode(group: EventGroup): { readonly next: HashChain; readonly values: readonly unknown[] } {
    try {
      const entries = group.entries()
      const next = this.chain.copy()
      next.update(group.open(), group.count)
      const { seq, hash } = next.position
      const started = startedSegments(this.chain, next)
      const seeds = started.map((segment) => seedOf(next, segment))
      const open = entries.map((entry) => entry.open)
      const sealed = entries.map((entry) => entry.sealed ?? null)
      return { next, values: [this.chain.seq, seq, hash, open, sealed, started, seeds] }
    } catch (cause) {
      throw new AppendFailed(true, 'the group was rejected', cause)
    }
  }

  #fail(error: unknown): void {
    if (this.closedBecause) return
    void this.#end(error)
    this.#parts.onLost?.(error)
  }

  async #end(reason: unknown): Promise<void> {
    if (this.closedBecause) return
    this.closedBecause = reason
    if (reason !== CLOSED || !this.#parts.onlyFree) void this.#parts.renewals.remove(this.#renewed)
    await disconnect(this.#parts.connection)
  }

  // Uses the pool, because forks still read after the journal is closed.
  protected readonly readRange = (after: number, to: number) =>
    readEvents(this.#parts.pool, this.#parts.world, after, to)
}
