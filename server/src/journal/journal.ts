import type { Entry } from './entry.ts'
import type { Group } from './group.ts'

export type { Entry } from './entry.ts'

/** The number of the last event, and the hash over all events up to it. Nothing yet: number 0. */
export type Position = { readonly seq: number; readonly hash: string }

/** The truth of one world: its events in order, numbered from 1. */
export interface Journal {
  /**
   * Adds a group: all of it or none. Resolves once it would survive a power cut; then its last event is the head.
   * One at a time: the next group is handed over when this one has resolved, and this one stays as it is until then. Rejects with AppendFailed,
   * after which this object is dead and only opening the journal anew tells what is there.
   */
  append(entries: readonly Entry[] | Group): Promise<void>
  /** The events after that number, in order, in batches of any size, up to the head at the time of the call. */
  read(after: number): AsyncIterable<readonly Entry[]>
  /**
   * Whether this object may answer for the world. False once another process may have taken the world over; what was
   * read before is then out of date.
   */
  isHeld(): boolean
  /** The last durable event. */
  head(): Position
  /** The hash as it was at an earlier number: what a snapshot is checked against. */
  hashAt(seq: number): Promise<string>
  /** A journal in memory that begins with this one's events up to a number (default: the head), without copying them. */
  fork(at?: number): Promise<Journal>
  /** Waits for the group under way. Every later call fails. */
  close(): Promise<void>
}

/** An append that did not succeed. `certain`: it is not in the journal and never will be; otherwise nobody can know. */
export class AppendFailed extends Error {
  readonly certain: boolean

  constructor(certain: boolean, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'AppendFailed'
    this.certain = certain
  }
}

/** Another engine has taken the world over: what was to be added is not there, and this one has to stop. */
export class Fenced extends AppendFailed {
  constructor(world: string, holder: string) {
    super(true, `the world ${world} was taken over by ${holder}`)
    this.name = 'Fenced'
  }
}

/** A call on a journal that was closed or has failed. */
export class JournalClosed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'JournalClosed'
  }
}

/** Where a journal is damaged: events before `from` are sound. */
export type Damage = {
  readonly from: number
  /** The file, or the table. */
  readonly file: string
  /** The byte, in a file. */
  readonly offset?: number
  readonly reason: string
}

/** The damage in words. */
export function damageText({ from, file, offset, reason }: Damage): string {
  return `damaged from event ${from} on: ${file}${offset === undefined ? '' : ` at byte ${offset}`}: ${reason}`
}

/** Acknowledged events can not be read back as they were written. */
export class JournalDamaged extends Error {
  readonly damage: Damage

  constructor(damage: Damage) {
    super(`journal ${damageText(damage)}`)
    this.name = 'JournalDamaged'
    this.damage = damage
  }
}

/** Something that Quipu writes only after an event is durable, and the number of that event. */
export type Follower = { readonly name: string; readonly seq: number }

/** Durable events are missing at the end of the journal: something that only follows the journal is ahead of it. */
export class JournalLost extends Error {
  /** The last event that is left. */
  readonly end: number
  readonly ahead: readonly Follower[]

  constructor(end: number, ahead: readonly Follower[]) {
    const proof = ahead.map(({ name, seq }) => `${name} was written after event ${seq}`).join(', ')
    super(`the journal lost its end: its last event is ${end}, but ${proof}`)
    this.name = 'JournalLost'
    this.end = end
    this.ahead = ahead
  }
}

/** The loss that followers prove, if one of them is ahead of the journal. */
export function lossOf(end: number, followers: readonly Follower[]): JournalLost | undefined {
  const ahead = followers.filter(({ seq }) => seq > end).sort((one, other) => other.seq - one.seq)
  return ahead.length === 0 ? undefined : new JournalLost(end, ahead)
}

/** A record written by a newer program than this one. */
export class JournalNewer extends Error {
  readonly found: number
  readonly supported: number

  constructor(found: number, supported: number, file: string) {
    super(`${file} has journal format ${found}, this program reads up to ${supported}`)
    this.name = 'JournalNewer'
    this.found = found
    this.supported = supported
  }
}

/** What opening cut off: a group that was being written when the process or the machine stopped. */
export type Recovered = { readonly cutBytes: number }
