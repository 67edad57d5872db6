import { setTimeout as sleep } from 'node:timers/promises'
import {
  definedFields,
  type ImportedSeries,
  isMarketChange,
  type MarketChange,
  missing,
  type WorldId,
} from '@quipu/core'
import type { Entry } from '../journal/journal.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { eventOf, storedKind } from '../journal/stored-event.ts'
import type { World } from '../world/world.ts'

/** The journal of a followed world, wherever the world is held. */
export type FollowedJournal = {
  /** Its last durable event. */
  readonly seq: number
  /** The events after a number, up to `seq`. */
  read(after: number): AsyncIterable<readonly Entry[]>
}

export type FollowedWorlds = {
  /** The world, if this process holds it. */
  get(world: WorldId): World | undefined
  /** The journal of a world that another process may hold. */
  stored(world: WorldId): Promise<FollowedJournal | undefined>
}

/** Fails if this server does not have imported data that a world will use. */
export type CheckData = (world: WorldId, data: readonly ImportedSeries[]) => Promise<void>

export type FollowingParts = {
  readonly failed: (world: WorldId, error: unknown) => void
  /** Default: no check. */
  readonly checkData?: CheckData | undefined
}

/** How often the journal of a world that another node holds is read. */
const POLL_MS = 1_000
/** After so many events without a change of the market, their number is stored: a restart continues there. */
const MARK_EVENTS = 10_000

/** Copies market changes from the followed world into a world, each once and in order. */
export class Following {
  readonly #world: World
  readonly #followed: WorldId
  readonly #worlds: FollowedWorlds
  readonly #parts: FollowingParts
  readonly #stop = new AbortController()
  /** The last event that was read, and the last one whose number the world has stored. */
  #read = 0
  #copied = 0
  /** The failure is reported once. */
  #isFailing = false

  constructor(world: World, followed: WorldId, worlds: FollowedWorlds, parts: FollowingParts) {
    this.#world = world
    this.#followed = followed
    this.#worlds = worlds
    this.#parts = parts
  }

  /** Copies until it is stopped: at once what a world of this process changes, else once a second. */
  async run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const local = this.#worlds.get(this.#followed)
      const { promise: changed, resolve } = Promise.withResolvers<void>()
      // Before the journal is read, so that no change is missed.
      const stopListening = local?.publisher.listen((events) => {
        if (events.some(({ event }) => isMarketChange(event.kind))) resolve()
      })
      await this.#tryToCopy()
      await Promise.race([changed, sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined)])
      stopListening?.()
    }
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Copies everything that the journal of the followed world has now. */
  async copy(): Promise<void> {
    this.#copied = (this.#world.view.followed ?? missing('the followed world')).seq
    this.#read = Math.max(this.#read, this.#copied)
    const journal = await this.#journal()
    if (!journal) return
    if (journal.seq < this.#copied)
      throw new Error(
        `the journal of ${this.#followed} lost its end: ${this.#copied} events were copied, it has ${journal.seq}`,
      )
    // It has lost events without a change of the market; others have their numbers.
    if (journal.seq < this.#read) this.#read = this.#copied
    if (journal.seq <= this.#read) return
    for await (const entries of journal.read(this.#read))
      for (const entry of entries) {
        if (this.#stop.signal.aborted) return
        await this.#take(this.#read + 1, entry)
        this.#read += 1
      }
  }

  async #tryToCopy(): Promise<void> {
    try {
      await this.copy()
      this.#isFailing = false
    } catch (error) {
      // What was read may not be copied: the next attempt begins after the last copy.
      this.#read = 0
      if (this.#stop.signal.aborted || error instanceof NotApplied) return
      if (!this.#isFailing) this.#parts.failed(this.#world.id, error)
      this.#isFailing = true
    }
  }

  async #take(seq: number, entry: Entry): Promise<void> {
    const isChange = isMarketChange(storedKind(entry))
    if (!isChange && seq - this.#copied < MARK_EVENTS) return
    const change = isChange ? (eventOf(entry) as MarketChange) : undefined
    // Without the data the world would have no prices. It continues as it is, and tries again.
    if (change?.kind === 'importedDataUsed') await this.#parts.checkData?.(this.#world.id, change.data)
    const copy = { kind: 'copyMarket', after: this.#copied, seq, ...definedFields({ change }) } as const
    await this.#world.commands.submit(copy, () => undefined)
    this.#copied = seq
  }

  async #journal(): Promise<FollowedJournal | undefined> {
    const local = this.#worlds.get(this.#followed)
    if (!local) return this.#worlds.stored(this.#followed)
    const { journal } = local.storage
    return { seq: journal.head().seq, read: (after) => journal.read(after) }
  }
}

/** The worlds of a process that follow others. */
export class Followings {
  readonly #worlds: FollowedWorlds
  readonly #parts: () => FollowingParts
  readonly #running = new Map<WorldId, Following>()

  constructor(worlds: FollowedWorlds, parts: () => FollowingParts) {
    this.#worlds = worlds
    this.#parts = parts
  }

  of(world: World, followed: WorldId): Following {
    return new Following(world, followed, this.#worlds, this.#parts())
  }

  /** Begins to copy into a world that was opened. */
  start(world: World, followed: WorldId | undefined): void {
    this.stop(world.id)
    if (followed === undefined) return
    const following = this.of(world, followed)
    this.#running.set(world.id, following)
    void following.run()
  }

  stop(world: WorldId): void {
    this.#running.get(world)?.stop()
    this.#running.delete(world)
  }
}
