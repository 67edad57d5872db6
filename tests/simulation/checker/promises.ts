import assert from 'node:assert/strict'
import type { Note } from '../faults/store.ts'

/** How a try ended for the one who made it. `unknown`: the connection was closed, and nobody said anything. */
export type Outcome = 'underWay' | 'accepted' | 'refused' | 'notApplied' | 'unknown'

export type Try = { readonly tag: string | undefined; outcome: Outcome }

/** An event as the journal has it, with its sealed part. */
export type Line = { readonly open: string; readonly sealed?: string }

/** A word, a digest or an amount that a wish can be known by. */
const TAG = /\w{8,}/g

/** What was shown to anyone, and so must hold for ever. */
export class Promises {
  /** The journal as far as it was seen. */
  readonly lines: Line[] = []
  readonly #found = new Set<string>()
  readonly #shown = new Map<number, string>()
  readonly #tries: Try[] = []
  /** The highest number that any answer or message carried. */
  seq = 0
  #seqAtEnd = 0
  readonly #note: Note

  constructor(note: Note) {
    this.#note = note
  }

  try(tag: string | undefined): Try {
    const made: Try = { tag, outcome: 'underWay' }
    this.#tries.push(made)
    return made
  }

  ended(made: Try, outcome: Outcome): void {
    made.outcome = outcome
    this.#note(`answer to ${made.tag}: ${outcome}`)
  }

  /** An answer or a message showed this event under this number. */
  show(seq: number, open: string): void {
    const before = this.#shown.get(seq)
    if (before !== undefined) assert.equal(open, before, `two events were shown as number ${seq}`)
    this.#shown.set(seq, open)
    this.seq = Math.max(this.seq, seq)
  }

  /** Another process has the world: all that anyone was told so far must be in its journal. */
  takenOver(): void {
    this.#seqAtEnd = this.seq
  }

  /** The process is over: whoever still waits is told nothing. */
  lostTouch(): void {
    this.#seqAtEnd = this.seq
    for (const made of this.#tries) if (made.outcome === 'underWay') made.outcome = 'unknown'
  }

  /** The journal from its beginning, after a restart: all that was there before still is. */
  restarted(all: readonly Line[]): void {
    const promised = this.#seqAtEnd
    assert(all.length >= promised, `an answer carried ${promised}, the journal ends with ${all.length}`)
    assert(all.length >= this.lines.length, `the journal had ${this.lines.length} events, now ${all.length}`)
    for (const [index, line] of this.lines.entries())
      assert.deepEqual(all[index], line, `event ${index + 1} is another than before`)
    this.grown(all.slice(this.lines.length))
  }

  grown(more: readonly Line[]): void {
    for (const line of more) {
      this.lines.push(line)
      this.#note(`event ${this.lines.length}: ${line.open}`)
      for (const [tag] of `${line.open}${line.sealed ?? ''}`.matchAll(TAG)) this.#found.add(tag)
      const shown = this.#shown.get(this.lines.length)
      if (shown !== undefined)
        assert.equal(line.open, shown, `event ${this.lines.length} was shown otherwise`)
    }
  }

  /** What was answered is what is found. */
  assertKept(): void {
    for (const [tag, tries] of Map.groupBy(this.#tries, (made) => made.tag)) {
      if (tag === undefined) continue
      const ended = tries.map(({ outcome }) => outcome)
      const isThere = this.#found.has(tag)
      const accepted = ended.filter((outcome) => outcome === 'accepted').length
      assert(accepted <= 1, `${tag} was accepted ${accepted} times`)
      if (accepted === 1) assert(isThere, `${tag} was accepted and is lost`)
      else if (!ended.includes('unknown') && !ended.includes('underWay'))
        assert(!isThere, `${tag} is there, and was answered with ${ended}`)
    }
  }

  /** How the tries ended, and how often. */
  counts(): Record<string, number> {
    const ended = Map.groupBy(this.#tries, ({ outcome }) => outcome)
    const outcomes = ['accepted', 'refused', 'notApplied', 'unknown'] as const
    return Object.fromEntries(outcomes.map((outcome) => [outcome, ended.get(outcome)?.length ?? 0]))
  }
}
