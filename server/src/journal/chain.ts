import { createHash, type Hash } from 'node:crypto'
import type { Entry, Position } from './journal.ts'

/** How many events share one run of SHA-256. Part of the format: another number gives other hashes. */
export const SEGMENT_EVENTS = 65_536

const NEWLINE = 0x0a
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
export function openLines(entries: readonly Entry[]): Buffer {
  const text = openText(entries)
  return framed(entries, text, Buffer.from(text))
}

/** The same before it is bytes. */
export function openText(entries: readonly Entry[]): string {
  let text = ''
  for (const { open } of entries) text += open + '\n'
  return text
}

/** These bytes of a group, once it is sure that nothing in them looks like a frame. */
export function framed(entries: readonly Entry[], text: string, bytes: Buffer): Buffer {
  // The group is searched whole, line by line only when something is there: a tenth of the time.
  if (!isFramed(text, bytes, entries.length)) for (const { open } of entries) checkedLine(open)
  return bytes
}

// What ends a line, begins a record, and marks unwritten space; JSON has none of them.
const [RECORD, UNWRITTEN] = [0x1e, 0x00]

function isFramed(text: string, bytes: Buffer, lines: number): boolean {
  return (
    text.isWellFormed() &&
    !bytes.includes(RECORD) &&
    !bytes.includes(UNWRITTEN) &&
    endOfLine(bytes, 0, lines) === bytes.length
  )
}

/** Control characters frame records and mark unwritten space, so no line may hold one. JSON.stringify makes none. */
export function checkedLine(line: string): string {
  if (/[\x00-\x1f]/.test(line) || !line.isWellFormed()) {
    throw new Error(`bug: an event must be one line of JSON, received ${JSON.stringify(line.slice(0, 80))}`)
  }
  return line
}

function seeded(seed: Buffer): Hash {
  return createHash('sha256').update(seed)
}

function endOfLine(lines: Buffer, start: number, count: number): number {
  let end = start
  for (let line = 0; line < count; line++) end = lines.indexOf(NEWLINE, end) + 1
  return end
}
