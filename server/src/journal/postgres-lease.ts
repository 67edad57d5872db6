import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Connection } from '../postgres/connection.ts'
import { PostgresOfOtherMarket } from '../postgres/failures.ts'
import { Chain } from './chain.ts'
import { Fenced, type Position } from './journal.ts'

/** Interval of lease renewals. Every append also renews the lease. */
export const RENEW_MS = 1_000
/** Duration of a lease, counted from the moment the renewal was sent. */
export const LEASE_MS = 2_500
/** A renewal without a response for this long means that the connection is lost. */
const RENEWAL_TIMEOUT_MS = 5_000

/**
 * The process that holds a world. Its name has a random part, because process ids are reused. `fence` is the highest
 * fencing token that it has had or requested; 0 before its first takeover.
 */
export type Holder = { readonly name: string; fence: number }

export const newHolder = (): Holder => ({
  name: `${hostname()} process ${process.pid} (${randomUUID().slice(0, 8)})`,
  fence: 0,
})

/** The right to append: the fencing token that every append must present, and the head at the takeover. */
export type Lease = Position & { readonly fence: number }

/** The world to take over. `address` is used in messages. */
export type LeaseRequest = { readonly address: string; readonly world: string; readonly marketModel: number }

const selectHead = 'SELECT fence, market FROM quipu_journals WHERE world = $1'

// Requires the fencing token that was read: a takeover that reaches the database late finds a newer token and fails.
const takeHead = `
  INSERT INTO quipu_journals AS held (world, seq, hash, fence, holder, market)
  VALUES ($1, 0, $3, $4::bigint + 1, $2, $5)
  ON CONFLICT (world) DO UPDATE SET fence = held.fence + 1, holder = $2, taken_at = now() WHERE held.fence = $4
  RETURNING seq, hash, fence`

// Uses the database's clock, so that the clocks of two machines need not agree. `greatest` ignores NULL.
const waitForLeaseEnd = `
  SELECT pg_sleep(greatest(0, $2::float / 1000 - extract(epoch FROM clock_timestamp() - renewed_at)))
  FROM quipu_journals WHERE world = $1`

// Each attempt has its own token, because an attempt on a broken connection may reach the database after a later one.
const retakeHead = `
  UPDATE quipu_journals SET fence = $3 WHERE world = $1 AND holder = $2 AND fence < $3 RETURNING seq, hash, fence`

/**
 * Takes a world over from any other engine: its fencing token is rejected from now on. The takeover waits for a
 * running append of the other engine, which locks the row. It also waits until the other engine's lease ends, because
 * a crashed or disconnected engine may serve reads until then. A holder that had the world before gets it again only
 * if no other holder took it meanwhile, so that two engines cannot take it from each other forever.
 */
export async function takeLease(
  connection: Connection,
  request: LeaseRequest,
  holder: Holder,
  earlierLeaseMs = LEASE_MS,
): Promise<Lease> {
  const { world } = request
  const isKnown = holder.fence > 0
  const row: HeadRow | undefined = isKnown
    ? (await connection.query(retakeHead, [world, holder.name, ++holder.fence])).rows[0]
    : await takeFromAnyHolder(connection, request, holder)
  if (!row) throw new Fenced(world, await holderOf(connection, world))
  if (!isKnown) await connection.query(waitForLeaseEnd, [world, earlierLeaseMs])
  const [seq, fence] = [Number(row.seq), Number(row.fence)]
  holder.fence = fence
  return { seq, hash: row.hash, fence }
}

/** The driver returns 64-bit numbers as text. */
type HeadRow = { readonly seq: string; readonly hash: string; readonly fence: string }

/** Retries while other engines take the world concurrently. Rejects a journal of another market model. */
async function takeFromAnyHolder(
  connection: Connection,
  { address, world, marketModel }: LeaseRequest,
  { name }: Holder,
): Promise<HeadRow> {
  for (;;) {
    const [held] = (await connection.query(selectHead, [world])).rows
    if (held && held.market !== marketModel)
      throw new PostgresOfOtherMarket(address, held.market, marketModel)
    const values = [world, name, new Chain().position.hash, held?.fence ?? 0, marketModel]
    const [taken] = (await connection.query(takeHead, values)).rows
    if (taken) return taken
  }
}

/**
 * Extends the lease; false if another engine holds the world. This is a write, because a read also succeeds on a
 * former primary that its standby has replaced.
 */
export async function renewLease(connection: Connection, world: string, fence: number): Promise<boolean> {
  const renewal = {
    name: 'renew',
    text: 'UPDATE quipu_journals SET renewed_at = clock_timestamp() WHERE world = $1 AND fence = $2',
    values: [world, fence],
    query_timeout: RENEWAL_TIMEOUT_MS,
  }
  return (await connection.query(renewal)).rowCount === 1
}

/** Ends the lease early, so that the next engine need not wait for it. */
export async function releaseLease(connection: Connection, world: string, fence: number): Promise<void> {
  const text = 'UPDATE quipu_journals SET renewed_at = NULL WHERE world = $1 AND fence = $2'
  await connection.query({ text, values: [world, fence] })
}

/** The current holder of the world, for a message. */
export async function holderOf(connection: Connection, world: string): Promise<string> {
  const { rows } = await connection.query('SELECT holder FROM quipu_journals WHERE world = $1', [world])
  return rows[0]?.holder ?? 'nobody (its row was deleted)'
}
