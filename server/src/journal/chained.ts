import { type Chain, chainAt } from './chain.ts'
import { type Entry, type Journal, JournalClosed, type Position } from './journal.ts'
import { forkInMemory } from './memory.ts'

/** The part of a journal that is the same for every store: everything that follows from its chain and its reader. */
export abstract class ChainedJournal implements Journal {
  /** The chain at the last durable event. */
  protected chain: Chain
  /** Why the journal no longer accepts calls. */
  protected closedBecause: unknown

  constructor(chain: Chain) {
    this.chain = chain
  }

  abstract append(entries: readonly Entry[]): Promise<void>
  abstract close(): Promise<void>
  /** The events after a number, up to another. Independent of this object: forks still read after it is closed. */
  protected abstract readonly readRange: (after: number, to: number) => AsyncIterable<readonly Entry[]>

  read(after: number): AsyncIterable<readonly Entry[]> {
    this.#assertOpen()
    return this.readRange(after, this.chain.seq)
  }

  isCurrentHolder(): boolean {
    return true
  }

  head(): Position {
    this.#assertOpen()
    return this.chain.position
  }

  async hashAt(seq: number): Promise<string> {
    this.#assertOpen()
    return (await chainAt(this.chain, seq, this.readRange)).position.hash
  }

  async fork(at?: number): Promise<Journal> {
    this.#assertOpen()
    return forkInMemory(await chainAt(this.chain, at ?? this.chain.seq, this.readRange), this.readRange)
  }

  #assertOpen(): void {
    if (this.closedBecause) throw new JournalClosed('the journal is closed', this.closedBecause)
  }
}
