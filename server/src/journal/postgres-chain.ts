import type { Pool } from '../postgres/connection.ts'
import { Chain, openBytes } from './chain.ts'
import { JournalDamaged } from './journal.ts'
import type { Lease } from './postgres-lease.ts'
import { readEvents } from './postgres-reader.ts'

/** The chain at the head, computed from the events of the last segment and compared with the stored hash. */
export async function chainOf(
  pool: Pool,
  world: string,
  head: Lease,
  segmentEvents?: number,
): Promise<Chain> {
  const { rows } = await pool.query({
    text: 'SELECT segment, seed FROM quipu_segments WHERE world = $1 ORDER BY segment',
    values: [world],
  })
  const size = new Chain(segmentEvents).segmentEvents
  const isWhole = rows.length === Math.ceil(head.seq / size) && rows.every((row, at) => row.segment === at)
  if (!isWhole) throw damaged(1, 'table quipu_segments', 'a segment is missing or superfluous')
  const chain = new Chain(size, rows.length ? rows.map(({ seed }) => Buffer.from(seed, 'hex')) : undefined)
  const from = chain.seq + 1
  for await (const entries of readEvents(pool, world, chain.seq, head.seq))
    chain.update(openBytes(entries), entries.length)
  if (chain.position.hash === head.hash) return chain
  throw damaged(from, 'table quipu_events', `the hash at event ${head.seq} does not match the stored one`)
}

const damaged = (from: number, file: string, reason: string) => new JournalDamaged({ from, file, reason })

/** The segments that started between two positions of a chain. */
export function startedSegments(before: Chain, after: Chain): readonly number[] {
  const [from, to] = [before, after].map(({ seq, segmentEvents }) => Math.ceil(seq / segmentEvents))
  return Array.from({ length: to! - from! }, (_, index) => from! + index)
}

export const seedOf = (chain: Chain, segment: number): string =>
  chain
    .atSegmentStart(segment * chain.segmentEvents + 1)
    .seed()
    .toString('hex')
