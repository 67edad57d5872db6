import assert from 'node:assert/strict'
import type { Note } from '../faults/store.ts'

/** The outcome of an attempt for its client. `unknown`: the connection was closed without an answer. */
export type Outcome = 'pending' | 'accepted' | 'refused' | 'notApplied' | 'unknown'

export type Attempt = { readonly tag: string | undefined; outcome: Outcome }

/** A stored event of the journal, with its sealed part. */
export type Line = { readonly open: string; readonly sealed?: string }

/** A word, a digest or an amount that identifies a request. */
const TAG = /\w{8,}/g

/** Everything that a client has received, which must stay true. */
export class Acknowledgements {
  /** The part of the journal that was read so far. */
  readonly lines: Line[] = []
  readonly #found = new Set<string>()
  readonly #shown = new Map<number, string>()
  readonly #attempts: Attempt[] = []
  /** The highest event number of all answers and messages. */
  seq = 0
  #seqAtEnd = 0
  readonly #note: Note

  constructor(note: Note) {
    this.#note = note
  }

  begin(tag: string | undefined): Attempt {
    const attempt: Attempt = { tag, outcome: 'pending' }
    this.#attempts.push(attempt)
    return attempt
  }

  end(attempt: Attempt, outcome: Outcome): void {
    attempt.outcome = outcome
    this.#note(`answer to ${attempt.tag}: ${outcome}`)
  }

  /** An answer or a message had this event under this number. */
  show(seq: number, open: string): void {
    const before = this.#shown.get(seq)
    if (before !== undefined) assert.equal(open, before, `two events were shown as number ${seq}`)
    this.#shown.set(seq, open)
    this.seq = Math.max(this.seq, seq)
  }

  /** Another process runs the world: every event that a client received must be in its journal. */
  takenOver(): void {
    this.#seqAtEnd = this.seq
  }

  /** The process ended: pending attempts get no answer. */
  connectionLost(): void {
    this.#seqAtEnd = this.seq
    for (const attempt of this.#attempts) if (attempt.outcome === 'pending') attempt.outcome = 'unknown'
  }

  /** Compares the whole journal after a restart with the events before it. */
  restarted(all: readonly Line[]): void {
    const acknowledgedSeq = this.#seqAtEnd
    assert(
      all.length >= acknowledgedSeq,
      `an answer had event ${acknowledgedSeq}, the journal ends with ${all.length}`,
    )
    assert(all.length >= this.lines.length, `the journal had ${this.lines.length} events, now ${all.length}`)
    for (const [index, line] of this.lines.entries())
      assert.deepEqual(all[index], line, `event ${index + 1} differs from before`)
    this.append(all.slice(this.lines.length))
  }

  append(lines: readonly Line[]): void {
    for (const line of lines) {
      this.lines.push(line)
      this.#note(`event ${this.lines.length}: ${line.open}`)
      for (const [tag] of `${line.open}${line.sealed ?? ''}`.matchAll(TAG)) this.#found.add(tag)
      const shown = this.#shown.get(this.lines.length)
      if (shown !== undefined)
        assert.equal(line.open, shown, `event ${this.lines.length} differs from the event that was shown`)
    }
  }

  /** Accepted requests are in the journal once; refused requests are not. */
  assertConsistent(): void {
    for (const [tag, attempts] of Map.groupBy(this.#attempts, (attempt) => attempt.tag)) {
      if (tag === undefined) continue
      const outcomes = attempts.map(({ outcome }) => outcome)
      const isStored = this.#found.has(tag)
      const accepted = outcomes.filter((outcome) => outcome === 'accepted').length
      assert(accepted <= 1, `${tag} was accepted ${accepted} times`)
      if (accepted === 1) assert(isStored, `${tag} was accepted but is lost`)
      else if (!outcomes.includes('unknown') && !outcomes.includes('pending'))
        assert(!isStored, `${tag} is stored, but was answered with ${outcomes}`)
    }
  }

  /** Number of attempts by outcome. */
  counts(): Record<string, number> {
    const byOutcome = Map.groupBy(this.#attempts, ({ outcome }) => outcome)
    const outcomes = ['accepted', 'refused', 'notApplied', 'unknown'] as const
    return Object.fromEntries(outcomes.map((outcome) => [outcome, byOutcome.get(outcome)?.length ?? 0]))
  }
}
