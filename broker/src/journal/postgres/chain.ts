import type { Queries } from '../../postgres/connection.ts'
import { HashChain, openBytes } from '../chain.ts'
import { JournalDamaged, type JournalPosition } from '../journal.ts'
import type { Lease } from './lease.ts'
import { readEvents } from './reader.ts'

/** The chain at the head, computed from the events of the last segment and compared with the stored hash. */
export async function chainOf(
  queries: Queries,
  world: string,
  head: Lease,
  segmentEvents?: number,
): Promise<HashChain> {
  const seeds = await seedsOf(queries, world)
  const size = new HashChain(segmentEvents).segmentEvents
  if (seeds.length !== Math.ceil(head.seq / size)) throw missingSegment()
  const chain = new HashChain(size, seeds.length ? seeds : undefined)
  const from = chain.seq + 1
  await continueChain(queries, world, chain, head.seq)
  if (chain.position.hash === head.hash) return chain
  throw damaged(from, 'table quipu_events', `the hash at event ${head.seq} does not match the stored one`)
}

/** The chain of a world that another process still writes, at an earlier event. */
export async function chainUpTo(queries: Queries, world: string, seq: number): Promise<HashChain> {
  const seeds = await seedsOf(queries, world)
  const chain = new HashChain(undefined, seeds.length ? seeds : undefined).atSegmentStart(seq)
  await continueChain(queries, world, chain, seq)
  return chain
}

/** A chain that was computed before, and an event of which its hash is known. */
export type KnownChain = { readonly chain: HashChain; readonly base: JournalPosition }

/** The same as `chainOf`, from a known chain. Undefined if that chain is of another journal, or too old to help. */
export async function chainFrom(
  queries: Queries,
  world: string,
  head: Lease,
  known: KnownChain | undefined,
): Promise<HashChain | undefined> {
  const behind = known ? head.seq - known.chain.seq : -1
  if (!known || behind < 0 || behind > known.chain.segmentEvents) return undefined
  const chain = known.chain.copy()
  await continueChain(queries, world, chain, head.seq)
  return chain.position.hash === head.hash ? chain : undefined
}

async function continueChain(queries: Queries, world: string, chain: HashChain, to: number): Promise<void> {
  for await (const entries of readEvents(queries, world, chain.seq, to))
    chain.update(openBytes(entries), entries.length)
}

async function seedsOf(queries: Queries, world: string): Promise<readonly Buffer[]> {
  const { rows } = await queries.query({
    text: 'SELECT segment, seed FROM quipu_segments WHERE world = $1 ORDER BY segment',
    values: [world],
  })
  if (rows.some((row, at) => row.segment !== at)) throw missingSegment()
  return rows.map(({ seed }) => Buffer.from(seed, 'hex'))
}

const missingSegment = () => damaged(1, 'table quipu_segments', 'a segment is missing or superfluous')

const damaged = (from: number, file: string, reason: string) => new JournalDamaged({ from, file, reason })

/** The segments that started between two positions of a chain. */
export function startedSegments(before: HashChain, after: HashChain): readonly number[] {
  const [from, to] = [before, after].map(({ seq, segmentEvents }) => Math.ceil(seq / segmentEvents))
  return Array.from({ length: to! - from! }, (_, index) => from! + index)
}

export const seedOf = (chain: HashChain, segment: number): string =>
  chain
    .atSegmentStart(segment * chain.segmentEvents + 1)
    .seed()
    .toString('hex')
