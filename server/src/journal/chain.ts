import { createHash, type Hash } from 'node:crypto'
import { endOfLine, Group } from './group.ts'
import type { Entry, Position } from './journal.ts'

/** How many events share one run of SHA-256. Part of the format: another number gives other hashes. */
export const SEGMENT_EVENTS = 65_536

const FIRST_SEED = Buffer.alloc(32)

/**
 * The hash over events: SHA-256 of the segment so far, seeded with the head of the segment before.
 * A segment is a number of events, so groups, files and restarts do not change it.
 */
export class Chain {
  readonly segmentEvents: number
  /** One per segment begun: 32 bytes for 65,536 events, so that an earlier hash can be found again. */
  readonly #seeds: Buffer[]
  #hash: Hash
  #seq: number

  constructor(segmentEvents = SEGMENT_EVENTS, seeds: readonly Buffer[] = [FIRST_SEED]) {
    this.segmentEvents = segmentEvents
    this.#seeds = [...seeds]
    this.#seq = (seeds.length - 1) * segmentEvents
    this.#hash = seeded(this.#seeds.at(-1)!)
  }

  get seq(): number {
    return this.#seq
  }

  get position(): Position {
    return { seq: this.#seq, hash: this.#digest().toString('hex') }
  }

  /** Takes in events: their open lines, each ended by a newline. */
  update(lines: Buffer, count: number): void {
    let start = 0
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, this.#room())
      const end = taken === left ? lines.length : endOfLine(lines, start, taken)
      this.#hash.update(lines.subarray(start, end))
      this.#seq += taken
      left -= taken
      start = end
    }
  }

  /** The head of all segments before the one that the next event belongs to. */
  seed(): Buffer {
    return this.#isFull() ? this.#digest() : this.#seeds.at(-1)!
  }

  /** Which segment the next event belongs to. */
  get segment(): number {
    return Math.floor(this.#seq / this.segmentEvents)
  }

  /** What each segment was begun with. */
  get seeds(): readonly Buffer[] {
    return this.#seeds
  }

  /** A chain that stands where this one does; with other seeds where this one did not know the earlier ones. */
  copy(seeds: readonly Buffer[] = this.#seeds): Chain {
    const copy = new Chain(this.segmentEvents, seeds)
    copy.#hash = this.#hash.copy()
    copy.#seq = this.#seq
    return copy
  }

  /** A chain that stands at the beginning of the segment of that event. */
  before(seq: number): Chain {
    const segment = Math.floor(Math.max(0, seq - 1) / this.segmentEvents)
    return new Chain(this.segmentEvents, this.#seeds.slice(0, segment + 1))
  }

  #room(): number {
    if (this.#isFull()) {
      this.#seeds.push(this.#digest())
      this.#hash = seeded(this.#seeds.at(-1)!)
    }
    return this.#seeds.length * this.segmentEvents - this.#seq
  }

  #isFull(): boolean {
    return this.#seq === this.#seeds.length * this.segmentEvents
  }

  #digest(): Buffer {
    return this.#hash.copy().digest()
  }
}

/** The chain as it was at an earlier event, found by reading that event's segment again. */
export async function chainAt(
  chain: Chain,
  seq: number,
  read: (after: number, to: number) => AsyncIterable<readonly Entry[]>,
): Promise<Chain> {
  if (seq < 0 || seq > chain.seq) throw new RangeError(`event ${seq}: expected 0 to ${chain.seq}`)
  if (seq === chain.seq) return chain.copy()
  const earlier = chain.before(seq)
  for await (const entries of read(earlier.seq, seq)) earlier.update(openLines(entries), entries.length)
  return earlier
}

/** The hashed part of a group. */
export const openLines = (entries: readonly Entry[]): Buffer => Group.of(entries).open()

function seeded(seed: Buffer): Hash {
  return createHash('sha256').update(seed)
}
