import { type Chain, chainAt } from './chain.ts'
import { type Entry, type Journal, JournalClosed, type Position } from './journal.ts'
import { forkInto } from './memory.ts'

/** The part of a journal that is the same for every store: everything that follows from its chain and its reader. */
export abstract class ChainedJournal implements Journal {
  /** The chain at the last durable event. */
  protected chain: Chain
  /** Why the journal no longer accepts calls. */
  protected ended: unknown

  constructor(chain: Chain) {
    this.chain = chain
  }

  abstract append(entries: readonly Entry[]): Promise<void>
  abstract close(): Promise<void>
  /** The events after a number, up to another. Independent of this object: forks still read after it is closed. */
  protected abstract readonly between: (after: number, to: number) => AsyncIterable<readonly Entry[]>

  read(after: number): AsyncIterable<readonly Entry[]> {
    this.#assertOpen()
    return this.between(after, this.chain.seq)
  }

  isHeld(): boolean {
    return true
  }

  head(): Position {
    this.#assertOpen()
    return this.chain.position
  }

  async hashAt(seq: number): Promise<string> {
    this.#assertOpen()
    return (await chainAt(this.chain, seq, this.between)).position.hash
  }

  async fork(at?: number): Promise<Journal> {
    this.#assertOpen()
    return forkInto(await chainAt(this.chain, at ?? this.chain.seq, this.between), this.between)
  }

  #assertOpen(): void {
    if (this.ended) throw new JournalClosed('the journal is closed', this.ended)
  }
}
