import { Chain, chainAt } from './chain.ts'
import { Group } from './group.ts'
import { AppendFailed, type Entry, type Journal, JournalClosed, type Position } from './journal.ts'

const BATCH_EVENTS = 1024

type Read = (after: number, to: number) => AsyncIterable<readonly Entry[]>

/** A journal in memory only. */
export function openMemoryJournal(options: { readonly segmentEvents?: number } = {}): Journal {
  return new MemoryJournal(new Chain(options.segmentEvents), readNothing)
}

/** A journal in memory that starts with the events of a parent, without copying them. */
export function forkInMemory(chain: Chain, parent: Read): Journal {
  return new MemoryJournal(chain, parent)
}

class MemoryJournal implements Journal {
  readonly #parent: Read
  readonly #parentEvents: number
  readonly #entries: Entry[] = []
  readonly #chain: Chain
  #closedBecause: unknown

  constructor(chain: Chain, parent: Read) {
    this.#chain = chain
    this.#parent = parent
    this.#parentEvents = chain.seq
  }

  async append(entries: readonly Entry[] | Group): Promise<void> {
    if (this.#closedBecause) throw new AppendFailed(true, 'the journal is closed', this.#closedBecause)
    try {
      const group = entries instanceof Group ? entries : Group.of(entries)
      const added = group.entries()
      this.#chain.update(group.open(), group.count)
      for (const entry of added) this.#entries.push(entry)
    } catch (cause) {
      this.#closedBecause = cause
      throw new AppendFailed(true, 'the group was rejected', cause)
    }
  }

  read(after: number): AsyncIterable<readonly Entry[]> {
    this.#assertOpen()
    return this.#readRange(after, this.#chain.seq)
  }

  isCurrentHolder(): boolean {
    return true
  }

  head(): Position {
    this.#assertOpen()
    return this.#chain.position
  }

  async hashAt(seq: number): Promise<string> {
    this.#assertOpen()
    return (await chainAt(this.#chain, seq, this.#readRange)).position.hash
  }

  async fork(at = this.#chain.seq): Promise<Journal> {
    this.#assertOpen()
    return new MemoryJournal(await chainAt(this.#chain, at, this.#readRange), this.#readRange)
  }

  async close(): Promise<void> {
    this.#closedBecause ??= 'closed'
  }

  // An arrow function, because forks still read through it after this journal is closed.
  readonly #readRange: Read = (after, to) => this.#batches(after, to)

  async *#batches(after: number, to: number): AsyncGenerator<readonly Entry[]> {
    const inherited = this.#parentEvents
    if (after < inherited) yield* this.#parent(after, Math.min(to, inherited))
    for (let start = Math.max(after, inherited); start < to; start += BATCH_EVENTS) {
      yield this.#entries.slice(start - inherited, Math.min(start + BATCH_EVENTS, to) - inherited)
    }
  }

  #assertOpen(): void {
    if (this.#closedBecause) throw new JournalClosed('the journal is closed', this.#closedBecause)
  }
}

async function* readNothing(): AsyncGenerator<readonly Entry[]> {}
