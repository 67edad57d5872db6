import type { Entry, EventGroup } from './group.ts'

export type { Entry } from './group.ts'

/** The number of the last event, and the hash over all events up to it. An empty journal has number 0. */
export type JournalPosition = { readonly seq: number; readonly hash: string }

/** Where another thread can read the durable events of a journal. */
export type JournalSource =
  | { readonly folder: string }
  | {
      /** Of PostgreSQL. */
      readonly url: string
      readonly world: string
    }

/** The event log of one world: its events in order, numbered from 1. The state of the world is derived from it. */
export interface Journal {
  /** Where another thread can read this journal; absent in memory. */
  readonly source?: JournalSource
  /**
   * Appends a group atomically. Resolves when the group is durable; its last event is then the head. Only one append
   * may run at a time, and the group must not change while it runs. Rejects with AppendFailed; then this object is
   * unusable, and only reopening the journal shows which events it contains.
   */
  append(entries: readonly Entry[] | EventGroup): Promise<void>
  /** The events after that number, in order, in batches of any size, up to the head at the time of the call. */
  read(after: number): AsyncIterable<readonly Entry[]>
  /**
   * Whether this process still holds the world. False once another process may have taken the world over; data read
   * before is then out of date.
   */
  isCurrentHolder(): boolean
  /** The fencing number of the lease; absent without a lease. */
  readonly fence?: number
  /** Milliseconds since the lease was last extended; absent without a lease. */
  leaseAgeMs?(): number
  /** The last durable event. */
  head(): JournalPosition
  /** The hash at an earlier number, to check a snapshot against. */
  hashAt(seq: number): Promise<string>
  /**
   * A journal in memory that starts with the events of this one up to a number (default: the head), without copying.
   */
  fork(at?: number): Promise<Journal>
  /** Waits for the running append. Every later call fails. */
  close(): Promise<void>
}

/**
 * A failed append. `certain`: the group is not in the journal. Otherwise the outcome is unknown until it is reopened.
 */
export class AppendFailed extends Error {
  readonly certain: boolean

  constructor(certain: boolean, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'AppendFailed'
    this.certain = certain
  }
}

/** Another engine has taken the world over. The group is not stored, and this engine must stop. */
export class Fenced extends AppendFailed {
  constructor(world: string, holder: string) {
    super(true, `the world ${world} was taken over by ${holder}`)
    this.name = 'Fenced'
  }
}

/** The journal does not exist, or no stored world has it any more: the world was deleted or reset. */
export class JournalDeleted extends Error {
  constructor(journal: string) {
    super(`the journal ${journal} belongs to no stored world: the world was deleted or reset`)
    this.name = 'JournalDeleted'
  }
}

/** A call on a journal that was closed or has failed. */
export class JournalClosed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'JournalClosed'
  }
}

/** The location of damage in a journal. Events before `from` are sound. */
export type Damage = {
  readonly from: number
  /** The file, or the table. */
  readonly file: string
  /** The byte, in a file. */
  readonly offset?: number
  readonly reason: string
}

/** The damage as a message. */
export function damageText({ from, file, offset, reason }: Damage): string {
  return `damaged from event ${from} on: ${file}${offset === undefined ? '' : ` at byte ${offset}`}: ${reason}`
}

/** Acknowledged events cannot be read back as they were written. */
export class JournalDamaged extends Error {
  readonly damage: Damage

  constructor(damage: Damage) {
    super(`journal ${damageText(damage)}`)
    this.name = 'JournalDamaged'
    this.damage = damage
  }
}

/** Data that Quipu writes only after an event is durable, and the number of that event. */
export type Follower = { readonly name: string; readonly seq: number }

/** Durable events are missing at the end of the journal: data that follows the journal is ahead of it. */
export class JournalLost extends Error {
  /** The last remaining event. */
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

/**
 * Durable events are missing in a journal that this process has opened again, such as after the promotion of a standby
 * that was not synchronous. Data in memory, such as of streams and credentials, is of events that were lost.
 */
export class JournalShortened extends JournalLost {
  constructor(end: number, published: number) {
    super(end, [{ name: 'a message to clients', seq: published }])
    this.name = 'JournalShortened'
  }
}

/** Whether this engine must not open its world again. */
export const isLostForGood = (error: unknown): error is Fenced | JournalShortened =>
  error instanceof Fenced || error instanceof JournalShortened

/** The loss, if a follower is ahead of the journal. */
export function lossOf(end: number, followers: readonly Follower[]): JournalLost | undefined {
  const ahead = followers.filter(({ seq }) => seq > end).sort((one, other) => other.seq - one.seq)
  return ahead.length === 0 ? undefined : new JournalLost(end, ahead)
}

/** A record in a journal format that this version of Quipu does not read. */
export class JournalNewer extends Error {
  override readonly name = 'JournalNewer'

  constructor(found: number, supported: number, file: string) {
    super(`${file} has journal format ${found}, this version reads up to ${supported}`)
  }
}

/** The torn group that opening cut off: the process or the machine stopped while it was written. */
export type Recovered = { readonly cutBytes: number }

/** A node of a cluster: the name of its holder, and its URL. */
export type Successor = { readonly name: string; readonly address: string }
