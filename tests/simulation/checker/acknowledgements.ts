import assert from 'node:assert/strict'
import { encode, HOUR, type Instant } from '@quipu/core'
import type { Entry } from '../../../broker/src/journal/journal.ts'
import { eventOf } from '../../../broker/src/journal/stored-event.ts'
import type { Note } from '../faults/store.ts'

/** The outcome of an attempt for its client. `unknown`: the connection was closed without a response. */
export type Outcome = 'pending' | 'accepted' | 'refused' | 'notApplied' | 'unknown'

export type Attempt = { readonly tag: string | undefined; outcome: Outcome }

/** A word, a digest or an amount that identifies a request. */
const TAG = /\w{8,}/g

/** An idempotency key may be used again after so much world time. */
const KEY_LIFETIME = 24n * HOUR

/** Everything that a client has received, which must stay true. */
export class Acknowledgements {
  /** The part of the journal that was read so far. */
  readonly entries: Entry[] = []
  readonly #found = new Set<string>()
  /** The times at which the call of an idempotency key was executed. */
  readonly #executed = new Map<string, Instant[]>()
  readonly #shown = new Map<number, Buffer>()
  readonly #attempts: Attempt[] = []
  /** The highest event number of all responses and messages. */
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
    this.#note(`response to ${attempt.tag}: ${outcome}`)
  }

  /** A response or a message had this event under this number. */
  show(seq: number, { open }: Entry): void {
    const before = this.#shown.get(seq)
    if (before) assert.deepEqual(open, before, `two events were shown as number ${seq}`)
    this.#shown.set(seq, open)
    this.seq = Math.max(this.seq, seq)
  }

  /** Another process runs the world: every event that a client received must be in its journal. */
  takenOver(): void {
    this.#seqAtEnd = this.seq
  }

  /** The process ended: pending attempts get no response. */
  connectionLost(): void {
    this.#seqAtEnd = this.seq
    for (const attempt of this.#attempts) if (attempt.outcome === 'pending') attempt.outcome = 'unknown'
  }

  /** Compares the whole journal after a restart with the events before it. */
  restarted(all: readonly Entry[]): void {
    const acknowledgedSeq = this.#seqAtEnd
    assert(
      all.length >= acknowledgedSeq,
      `a response had event ${acknowledgedSeq}, the journal ends with ${all.length}`,
    )
    assert(
      all.length >= this.entries.length,
      `the journal had ${this.entries.length} events, now ${all.length}`,
    )
    for (const [index, entry] of this.entries.entries())
      assert.deepEqual(all[index], entry, `event ${index + 1} differs from before`)
    this.append(all.slice(this.entries.length))
  }

  append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entries.push(entry)
      const event = eventOf(entry)
      if (event.kind === 'callAnswered') this.#execute(event.key, event.at)
      const text = encode(event)
      this.#note(`event ${this.entries.length}: ${text}`)
      for (const [tag] of text.matchAll(TAG)) this.#found.add(tag)
      const shown = this.#shown.get(this.entries.length)
      if (shown)
        assert.deepEqual(
          entry.open,
          shown,
          `event ${this.entries.length} differs from the event that was shown`,
        )
    }
  }

  #execute(key: string, at: Instant): void {
    const times = this.#executed.get(key) ?? []
    const last = times.at(-1)
    assert(last === undefined || at - last >= KEY_LIFETIME, `${key} was executed at ${last} and at ${at}`)
    this.#executed.set(key, [...times, at])
  }

  /** Accepted requests are in the journal once, or once in the lifetime of their key; refused requests are not. */
  assertConsistent(): void {
    for (const [tag, attempts] of Map.groupBy(this.#attempts, (attempt) => attempt.tag)) {
      if (tag === undefined) continue
      const outcomes = attempts.map(({ outcome }) => outcome)
      const isStored = this.#found.has(tag)
      const accepted = outcomes.filter((outcome) => outcome === 'accepted').length
      const executed = this.#executed.get(tag)?.length ?? 1
      assert(accepted <= executed, `${tag} was executed ${executed} and accepted ${accepted} times`)
      if (accepted > 0) assert(isStored, `${tag} was accepted but is lost`)
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
