import assert from 'node:assert/strict'
import type { Instant, WorldId, WorldSettings } from '@quipu/core'
import { simulatedChain } from '../../server/src/chain/simulated.ts'
import { VirtualClock } from '../../server/src/clock/virtual.ts'
import { NotApplied, OutcomeUnknown } from '../../server/src/engine.ts'
import { makeRunJob } from '../../server/src/jobs.ts'
import { openFilesJournal } from '../../server/src/journal/files.ts'
import { type Entry, type Journal, JournalClosed } from '../../server/src/journal/journal.ts'
import { syntheticMarket } from '../../server/src/market/synthetic.ts'
import { loadSnapshot } from '../../server/src/views/snapshot.ts'
import { World } from '../../server/src/world.ts'
import type { Dice } from '../dice.ts'
import { breath } from './breath.ts'
import { Disk } from './disk.ts'
import { moodyIssuer } from './live.ts'
import { buryEngines } from './recorder.ts'
import { SlowViews, ViewsGaveUp } from './slow-views.ts'

/** So small that a short life has many files. */
export const SEGMENT_EVENTS = 48

/** A world that is not back by then never comes. */
const GIVE_UP_MS = 10_000

/** A machine that runs one world on one disk, and can be switched off at any moment. */
export class Machine {
  readonly disk: Disk
  readonly views: SlowViews
  readonly #dice: Dice
  readonly #settings: WorldSettings
  #world: World | undefined
  #clock: VirtualClock | undefined
  /** What the clock on the wall shows while nothing runs. */
  #now: Instant
  /** Failures of this process behind the scenes. */
  failures: unknown[] = []
  readonly counts = { starts: 0, cuts: 0, kills: 0, failures: 0, snapshotStarts: 0, tornTails: 0 }

  constructor(dice: Dice, settings: WorldSettings, start: Instant) {
    this.#dice = dice
    this.disk = new Disk(dice)
    this.views = new SlowViews(dice)
    this.#settings = settings
    this.#now = start
  }

  get world(): World {
    return this.#world!
  }

  get clock(): VirtualClock {
    return this.#clock!
  }

  /** Starts the process, again where the power fails or the disk refuses before it is up. */
  async start(): Promise<void> {
    for (;;) {
      this.counts.starts += 1
      this.failures = []
      const opened = await Promise.race([
        this.#open().catch((error: unknown) => ({ error })),
        this.disk.dead.then(() => undefined),
      ])
      if (opened instanceof World) {
        this.#world = opened
        return
      }
      if (opened) assert(isTrouble(opened.error), opened.error as Error)
      this.stop(opened ? 'kill' : 'cut')
    }
  }

  /** The process ends without a word; with the power goes what was not synced. */
  stop(how: 'cut' | 'kill'): void {
    buryEngines()
    this.disk.cut()
    this.counts.failures += this.failures.filter(isCrash).length
    this.counts[how === 'cut' ? 'cuts' : 'kills'] += 1
    this.#now = this.#clock?.now() ?? this.#now
    this.#world = undefined
    if (how === 'cut') this.disk.restart()
    else this.disk.reconnect()
  }

  /** The wall clock may have gone on, or been put back a little. */
  passTime(ns: bigint): void {
    this.#now = (this.#now + ns) as Instant
  }

  /** Resolves when the world can be asked; false where it had better be started anew. */
  async isUp(): Promise<boolean> {
    const since = performance.now()
    for (let tries = 0; performance.now() - since < GIVE_UP_MS; tries++) {
      this.assertNoOtherFailures()
      if (this.disk.isDead) return false
      // From the second time on a world waits before it is rebuilt, longer than a test can.
      if (this.failures.filter(isCrash).length > 1) return false
      if (tries > 20) this.disk.letGo()
      try {
        void this.world.view
        return true
      } catch (error) {
        assert(error instanceof NotApplied)
        await breath()
      }
    }
    throw new Error('the world did not come back')
  }

  /** Waits for the views to come as far as they may. False where the world fails before they do. */
  async areViewsSettled(): Promise<boolean> {
    while (await this.isUp()) {
      if (this.views.isSettled) return true
      await breath()
    }
    return false
  }

  assertNoOtherFailures(): void {
    for (const failure of this.failures) assert(isTrouble(failure), failure as Error)
  }

  async #open(): Promise<World> {
    const dice = this.#dice
    const failed = (error: unknown) => void this.failures.push(error)
    const operations = this.disk.operations
    const { folder } = this.disk
    let opened: World | undefined
    const clock = new VirtualClock(this.#now, async () => opened?.quiet(), failed)
    this.#clock = clock
    opened = await World.open({
      id: 'simulated' as WorldId,
      settings: this.#settings,
      clock,
      openJournal: async () => {
        const isOver = () => this.disk.operations !== operations
        if (isOver()) return new Promise(() => undefined)
        const journal = await openFilesJournal(folder, { operations, segmentEvents: SEGMENT_EVENTS })
        if (isOver()) return new Promise(() => undefined)
        if (journal.recovered) this.counts.tornTails += 1
        return journal
      },
      openViews: this.views.open,
      snapshot: async (journal) => {
        const state = dice.isLucky(0.6) ? await loadSnapshot(this.disk.aside, journal) : undefined
        if (state) this.counts.snapshotStarts += 1
        return state
      },
      market: syntheticMarket,
      runJob: makeRunJob({ chain: simulatedChain(), issuer: moodyIssuer() }),
      queueMax: 12,
      viewsLagMax: 40,
      viewsWaitMs: 1,
      failed,
    })
    return opened
  }
}

/** What a journal has grown by; nothing where it ended in the same instant, an instant before its world is told. */
export async function readOn(journal: Journal, known: number): Promise<readonly Entry[] | undefined> {
  const grown: Entry[] = []
  try {
    for await (const entries of journal.read(known)) grown.push(...entries)
    return grown
  } catch (error) {
    assert(isTrouble(error), error as Error)
    return undefined
  }
}

/** A failure that this simulation has caused, or what is said because of one. */
export const isTrouble = (error: unknown): boolean =>
  error instanceof NotApplied ||
  error instanceof OutcomeUnknown ||
  error instanceof JournalClosed ||
  isCrash(error)

function isCrash(error: unknown): boolean {
  if (error instanceof ViewsGaveUp) return true
  const { code, cause } = error as { readonly code?: string; readonly cause?: unknown }
  return code === 'SIMULATED' || (cause !== undefined && isCrash(cause))
}

/** Trouble is what the disk makes; anything else is a fault of the program. */
export function isOnlyTrouble(error: unknown): false {
  assert(isTrouble(error), error as Error)
  return false
}
