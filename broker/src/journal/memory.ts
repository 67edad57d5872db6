import { setImmediate as nextTurn } from 'node:timers/promises'
import { chainAt, HashChain } from './chain.ts'
import { EventGroup, entriesOf, type GroupBytes } from './group.ts'
import { AppendFailed, type Entry, type Journal, JournalClosed, type JournalPosition } from './journal.ts'

/** The events that a reader applies in one turn of the event loop: a few milliseconds, then other worlds run. */
const BATCH_EVENTS = 256

type Read = (after: number, to: number) => AsyncIterable<readonly Entry[]>

/** The part of a journal that is the same for every store: everything that follows from its chain and its reader. */
export abstract class ChainedJournal implements Journal {
  /** The chain at the last durable event. */
  protected chain: HashChain
  /** Why the journal no longer accepts calls. */
  protected closedBecause: unknown
  /** Hashes at earlier events. The checks of snapshots and of query tables need the same few. */
  readonly #hashes = new Map<number, Promise<string>>()

  constructor(chain: HashChain) {
    this.chain = chain
  }

  abstract append(entries: readonly Entry[]): Promise<void>
  abstract close(): Promise<void>
  /** The events after a number, up to another. Independent of this object: forks still read after it is closed. */
  protected abstract readonly readRange: Read

  read(after: number): AsyncIterable<readonly Entry[]> {
    this.#assertOpen()
    return this.readRange(after, this.chain.seq)
  }

  isCurrentHolder(): boolean {
    return true
  }

  head(): JournalPosition {
    this.#assertOpen()
    return this.chain.position
  }

  async hashAt(seq: number): Promise<string> {
    this.#assertOpen()
    if (seq === this.chain.seq) return this.chain.position.hash
    let hash = this.#hashes.get(seq)
    if (!hash) this.knowHash(seq, (hash = this.#computeHash(seq)))
    return hash
  }

  protected knowHash(seq: number, hash: Promise<string>): void {
    this.#hashes.set(seq, hash)
    hash.catch(() => this.#hashes.delete(seq))
  }

  async #computeHash(seq: number): Promise<string> {
    return (await chainAt(this.chain, seq, this.readRange)).position.hash
  }

  async fork(at?: number): Promise<Journal> {
    this.#assertOpen()
    return new MemoryJournal(await chainAt(this.chain, at ?? this.chain.seq, this.readRange), this.readRange)
  }

  #assertOpen(): void {
    if (this.closedBecause) throw new JournalClosed('the journal is closed', this.closedBecause)
  }
}

/** A journal in memory only. */
export function openMemoryJournal(options: { readonly segmentEvents?: number } = {}): Journal {
  return new MemoryJournal(new HashChain(options.segmentEvents), readNothing)
}

/** A journal in memory that starts with the events of a parent, without copying them. */
class MemoryJournal extends ChainedJournal {
  readonly #parent: Read
  readonly #parentEvents: number
  /** Each page has the bytes of BATCH_EVENTS events: as objects with buffers, the events would take twice the memory. */
  readonly #pages: GroupBytes[] = []
  /** The events after the last page. */
  #recent: Entry[] = []

  constructor(chain: HashChain, parent: Read) {
    super(chain)
    this.#parent = parent
    this.#parentEvents = chain.seq
  }

  async append(entries: readonly Entry[] | EventGroup): Promise<void> {
    if (this.closedBecause) throw new AppendFailed(true, 'the journal is closed', this.closedBecause)
    try {
      const group = entries instanceof EventGroup ? entries : EventGroup.of(entries)
      const added = group.entries()
      this.chain.update(group.open(), group.count)
      for (const entry of added) this.#add(entry)
    } catch (cause) {
      this.closedBecause = cause
      throw new AppendFailed(true, 'the group was rejected', cause)
    }
  }

  async close(): Promise<void> {
    this.closedBecause ??= 'closed'
  }

  // An arrow function, because forks still read through it after this journal is closed.
  protected readonly readRange: Read = (after, to) => this.#batches(after, to)

  async *#batches(after: number, to: number): AsyncGenerator<readonly Entry[]> {
    const inherited = this.#parentEvents
    if (after < inherited) yield* this.#parent(after, Math.min(to, inherited))
    for (let start = Math.max(after, inherited); start < to; ) {
      if (start > after) await nextTurn()
      const first = (start - inherited) % BATCH_EVENTS
      const page = this.#page((start - inherited - first) / BATCH_EVENTS)
      const batch = page.slice(first, first + to - start)
      yield batch
      start += batch.length
    }
  }

  #add(entry: Entry): void {
    this.#recent.push(entry)
    if (this.#recent.length < BATCH_EVENTS) return
    this.#pages.push(EventGroup.of(this.#recent).bytes())
    this.#recent = []
  }

  #page(number: number): readonly Entry[] {
    const page = this.#pages[number]
    return page ? entriesOf(page) : this.#recent
  }
}

async function* readNothing(): AsyncGenerator<readonly Entry[]> {}
