import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { PostgresConnection, Queries } from '../../postgres/connection.ts'
import { PostgresOfOtherMarket } from '../../postgres/failures.ts'
import { transaction, write } from '../../postgres/statements.ts'
import { HashChain } from '../chain.ts'
import { Fenced, JournalDeleted, type JournalPosition, type Successor } from '../journal.ts'
import { LEASE_MS, LEASE_STATEMENT, LeaseHeld, STATEMENT_TIMEOUT_MS } from '../lease.ts'

/** The process that holds a world. Its name has a random part, because process ids are reused. */
export type Holder = {
  readonly name: string
  /** The URL of its node in a cluster. */
  readonly address?: string | undefined
  /** The fencing number that the database has confirmed; 0 if there is none. */
  fence: number
  /** The highest number that this process has asked for. Another process may have it, so no statement uses it as its own. */
  asked?: number
  /** The node that gets the world when this one releases it. */
  successor?: Successor | undefined
}

export const newHolderName = (): string =>
  `${hostname()} process ${process.pid} (${randomUUID().slice(0, 8)})`

export const newHolder = (): Holder => ({ name: newHolderName(), fence: 0 })

/** The right to append: the fencing token that every append must present, and the head at the takeover. */
export type Lease = JournalPosition & { readonly fence: number }

/** The world to take over. `address` is used in messages. */
export type LeaseRequest = { readonly address: string; readonly world: string; readonly marketModel: number }

const selectHead = 'SELECT fence, market FROM quipu_journals WHERE world = $1'

// All times are the database's, so that the clocks of two machines need not agree.
const lease = `interval '${LEASE_MS} milliseconds'`
const rest = "greatest(held.expires_at - clock_timestamp(), interval '0')"

// Only a new journal is inserted: a process that comes late must not create a deleted one again.
const insertHead = `
  INSERT INTO quipu_journals (world, seq, hash, fence, holder, address, market, expires_at)
  VALUES ($1, 0, $4, 1, $2, $3, $5, clock_timestamp() + ${lease})
  ON CONFLICT DO NOTHING RETURNING seq, hash, fence`

// Requires the fencing token that was read: a takeover that reaches the database late finds a newer token and fails.
// The new lease begins when the earlier one ends, which is at most one lease from now.
const takeHead = `
  UPDATE quipu_journals AS held SET fence = held.fence + 1, holder = $2, address = $3, taken_at = now(),
    expires_at = clock_timestamp() + ${lease} + coalesce(least(${rest}, ${lease}), interval '0')
  WHERE world = $1 AND fence = $4 RETURNING seq, hash, fence`

// A world is free without a valid lease, or if its last holder has named this one as its successor.
const claimHead = `
  UPDATE quipu_journals SET fence = fence + 1, holder = $2, address = $3, taken_at = now(),
    expires_at = clock_timestamp() + ${lease}
  WHERE world = $1 AND fence = $4 AND (holder = $2 OR coalesce(expires_at <= clock_timestamp(), true))
  RETURNING seq, hash, fence`

/** The wait takes up to one lease. */
const WAIT_TIMEOUT_MS = LEASE_MS + STATEMENT_TIMEOUT_MS
const waitForLeaseStart = `
  SELECT pg_sleep(greatest(0, extract(epoch FROM expires_at - clock_timestamp() - ${lease})))
  FROM quipu_journals WHERE world = $1`

// Each attempt has its own token, because an attempt on a broken connection may reach the database after a later one.
const retakeHead = `
  UPDATE quipu_journals SET fence = $3 WHERE world = $1 AND holder = $2 AND fence < $3 RETURNING seq, hash, fence`

export type Takeover = {
  /** Take only a world that nobody holds; else fail with `LeaseHeld`. */
  readonly onlyFree?: boolean | undefined
  /** Take only a journal that exists; else fail with `JournalDeleted`. */
  readonly isStored?: boolean | undefined
  /** For tests only: false does not wait for the end of the earlier lease. */
  readonly waits?: boolean | undefined
}

/**
 * Takes a world over from any other engine: its fencing token is rejected from now on. The takeover waits for a
 * running append of the other engine, which locks the row. It also waits until the other engine's lease ends, because
 * a crashed or disconnected engine may serve reads until then. A holder that had the world before gets it again only
 * if no other holder took it meanwhile, so that two engines cannot take it from each other forever.
 */
export async function takeLease(
  connection: PostgresConnection,
  request: LeaseRequest,
  holder: Holder,
  takeover: Takeover = {},
): Promise<Lease> {
  const { world } = request
  const { onlyFree = false, waits = true } = takeover
  const isKnown = holder.fence > 0
  const row: HeadRow | undefined = isKnown
    ? await retake(connection, world, holder)
    : await takeFromAnyHolder(connection, request, holder, takeover)
  if (!row) throw new Fenced(world, await leaseHolder(connection, world))
  const wait = { text: waitForLeaseStart, values: [world], query_timeout: WAIT_TIMEOUT_MS }
  if (!isKnown && !onlyFree && waits) await connection.query(wait)
  const [seq, fence] = [Number(row.seq), Number(row.fence)]
  holder.fence = fence
  return { seq, hash: row.hash, fence }
}

/** A higher number each time: the response to an earlier one may be lost. Undefined if another process has the world. */
async function retake(
  connection: PostgresConnection,
  world: string,
  holder: Holder,
): Promise<HeadRow | undefined> {
  holder.asked = Math.max(holder.fence, holder.asked ?? 0) + 1
  return (await write(connection, { text: retakeHead, values: [world, holder.name, holder.asked] })).rows[0]
}

/** The driver returns 64-bit numbers as text. */
type HeadRow = { readonly seq: string; readonly hash: string; readonly fence: string }

/** Retries while other engines take the world concurrently. Rejects a journal of another market model. */
async function takeFromAnyHolder(
  connection: PostgresConnection,
  { address, world, marketModel }: LeaseRequest,
  { name, address: nodeUrl }: Holder,
  { onlyFree = false, isStored = false }: Takeover,
): Promise<HeadRow> {
  const holder = [world, name, nodeUrl ?? null]
  for (;;) {
    const [held] = (await connection.query(selectHead, [world])).rows
    if (!held && isStored) throw new JournalDeleted(world)
    if (held && held.market !== marketModel)
      throw new PostgresOfOtherMarket(address, held.market, marketModel)
    const statement = held
      ? { text: onlyFree ? claimHead : takeHead, values: [...holder, held.fence] }
      : { text: insertHead, values: [...holder, new HashChain().position.hash, marketModel] }
    const [taken] = (await write(connection, statement)).rows
    if (taken) return taken
    if (onlyFree) throw new LeaseHeld(world)
  }
}

/**
 * Extends the lease; false if another engine holds the world. This is a write, because a read also succeeds on a
 * former primary that its standby has replaced.
 */
export async function renewLease(
  connection: PostgresConnection,
  world: string,
  fence: number,
): Promise<boolean> {
  const renewal = {
    name: 'renew',
    text: `UPDATE quipu_journals SET expires_at = clock_timestamp() + ${lease} WHERE world = $1 AND fence = $2`,
    values: [world, fence],
  }
  return (await write(connection, renewal)).rowCount === 1
}

// A locked row is skipped: its holder appends, which renews its lease, or another process is taking it.
const renewAll = `
  WITH free AS (
    SELECT world FROM quipu_journals JOIN unnest($1::text[], $2::bigint[]) AS mine (world, fence) USING (world, fence)
    FOR UPDATE OF quipu_journals SKIP LOCKED
  )
  UPDATE quipu_journals SET expires_at = clock_timestamp() + ${lease} FROM free
  WHERE quipu_journals.world = free.world RETURNING quipu_journals.world`

/** Extends the leases of several worlds in one statement, and returns the worlds whose leases were extended. */
export async function renewLeases(
  connection: PostgresConnection,
  held: readonly { readonly world: string; readonly fence: number }[],
): Promise<ReadonlySet<string>> {
  const values = [held.map(({ world }) => world), held.map(({ fence }) => fence)]
  const renewal = { name: 'renew all', text: renewAll, values }
  return new Set((await write(connection, renewal)).rows.map(({ world }) => world))
}

/** Whether a fencing token is still the latest one of a world. */
export async function isLatest(
  connection: PostgresConnection,
  world: string,
  fence: number,
): Promise<boolean> {
  const { rows } = await connection.query(selectHead, [world])
  return Number(rows[0]?.fence) === fence
}

const releaseToHolder = 'UPDATE quipu_journals SET expires_at = NULL WHERE world = $1 AND fence = $2'

/** Ends the lease early, so that the next engine need not wait for it. The same holder may take the world again. */
export async function releaseLease(queries: Queries, world: string, fence: number): Promise<void> {
  await queries.query({ text: releaseToHolder, values: [world, fence], ...LEASE_STATEMENT })
}

const releaseToAny = `
  UPDATE quipu_journals SET fence = fence + 1, expires_at = NULL WHERE world = $1 AND fence = $2`
const releaseToOne = `
  UPDATE quipu_journals SET fence = fence + 1, holder = $3, address = $4, expires_at = clock_timestamp() + ${lease}
  WHERE world = $1 AND fence = $2`

/**
 * Ends the lease and its fencing token: whatever still runs under it extends and stores nothing any more. A successor
 * has one lease to claim the world.
 */
export async function endLease(
  queries: Queries,
  world: string,
  fence: number,
  to?: Successor,
): Promise<void> {
  const [text, more] = to ? [releaseToOne, [to.name, to.address]] : [releaseToAny, []]
  await queries.query({ text, values: [world, fence, ...more], ...LEASE_STATEMENT })
}

/** The current holder of the world, for a message. */
export async function leaseHolder(connection: PostgresConnection, world: string): Promise<string> {
  const { rows } = await connection.query('SELECT holder FROM quipu_journals WHERE world = $1', [world])
  return rows[0]?.holder ?? 'nobody (its row was deleted)'
}

/** A journal and the fencing number with which a process holds it. */
export type Fence = { readonly journal: string; readonly fence: number }

/**
 * The condition of a statement that changes rows of a stored world: the process still holds the journal, and nobody can
 * take it over before the statement ends. The arguments are the parameters of the statement.
 */
export const isHeld = (journal: `$${number}`, fence: `$${number}`): string =>
  `EXISTS (SELECT 1 FROM quipu_journals WHERE world = ${journal} AND fence = ${fence} FOR SHARE)`

const lockHead = 'SELECT fence FROM quipu_journals WHERE world = $1 AND fence = $2 FOR UPDATE'

/**
 * Runs statements on the rows of a journal in one transaction, during which nobody can take the journal over. Fails with
 * `Fenced` if another process has taken it.
 */
export const whileHeld = <Value>(
  connection: PostgresConnection,
  { journal, fence }: Fence,
  run: () => Promise<Value>,
): Promise<Value> =>
  transaction(connection, async () => {
    const { rowCount } = await connection.query({ text: lockHead, values: [journal, fence] })
    if (rowCount !== 1) throw new Fenced(journal, await leaseHolder(connection, journal))
    return run()
  })
