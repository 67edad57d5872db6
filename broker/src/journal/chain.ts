import { createHash, type Hash } from 'node:crypto'
import { lastOf } from '@quipu/core/values'
import { EntryParts, EventGroup } from './group.ts'
import type { Entry, JournalPosition } from './journal.ts'

/** Events per SHA-256 segment. This number is part of the format: changing it changes the hashes. */
export const SEGMENT_EVENTS = 65_536

const FIRST_SEED = Buffer.alloc(32)

/**
 * The hash over all events: SHA-256 of the current segment, seeded with the final hash of the previous segment.
 * Segments have a fixed number of events, so groups, files and restarts do not change the hash.
 */
export class HashChain {
  readonly segmentEvents: number
  /**
   * One seed per started segment (32 bytes for 65,536 events), so that the hash at an earlier event can be computed.
   */
  readonly #seeds: Buffer[]
  #hash: Hash
  #seq: number

  constructor(segmentEvents = SEGMENT_EVENTS, seeds: readonly Buffer[] = [FIRST_SEED]) {
    this.segmentEvents = segmentEvents
    this.#seeds = [...seeds]
    this.#seq = (seeds.length - 1) * segmentEvents
    this.#hash = seeded(lastOf(this.#seeds))
  }

  get seq(): number {
    return this.#seq
  }

  get position(): JournalPosition {
    return { seq: this.#seq, hash: this.#digest().toString('hex') }
  }

  /** Adds events: their open parts, each after its length. */
  update(open: Buffer, count: number): void {
    let start = 0
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, this.#eventsLeftInSegment())
      const end = taken === left ? open.length : endOfParts(open, start, taken)
      this.#hash.update(open.subarray(start, end))
      this.#seq += taken
      left -= taken
      start = end
    }
  }

  /** The seed of the segment that the next event belongs to: the hash of all earlier segments. */
  seed(): Buffer {
    return this.#isFull() ? this.#digest() : lastOf(this.#seeds)
  }

  /** The segment that the next event belongs to. */
  get segment(): number {
    return Math.floor(this.#seq / this.segmentEvents)
  }

  /** A chain at the same position. */
  copy(): HashChain {
    const copy = new HashChain(this.segmentEvents, this.#seeds)
    copy.#hash = this.#hash.copy()
    copy.#seq = this.#seq
    return copy
  }

  /** A chain at the start of the segment that has an event. */
  atSegmentStart(seq: number): HashChain {
    const segment = Math.floor(Math.max(0, seq - 1) / this.segmentEvents)
    return new HashChain(this.segmentEvents, this.#seeds.slice(0, segment + 1))
  }

  #eventsLeftInSegment(): number {
    if (this.#isFull()) {
      this.#seeds.push(this.#digest())
      this.#hash = seeded(lastOf(this.#seeds))
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

/** The chain at an earlier event. Reads that event's segment again. */
export async function chainAt(
  chain: HashChain,
  seq: number,
  read: (after: number, to: number) => AsyncIterable<readonly Entry[]>,
): Promise<HashChain> {
  if (seq < 0 || seq > chain.seq) throw new RangeError(`event ${seq}: expected 0 to ${chain.seq}`)
  if (seq === chain.seq) return chain.copy()
  const earlier = chain.atSegmentStart(seq)
  for await (const entries of read(earlier.seq, seq)) earlier.update(openBytes(entries), entries.length)
  return earlier
}

/** The hashed bytes of events. */
export const openBytes = (entries: readonly Entry[]): Buffer => EventGroup.of(entries).open()

function endOfParts(bytes: Buffer, start: number, count: number): number {
  const parts = new EntryParts(bytes, start)
  parts.advance(count)
  return parts.at
}

function seeded(seed: Buffer): Hash {
  return createHash('sha256').update(seed)
}
