import assert from 'node:assert/strict'
import type { Instant, WorldId, WorldSettings } from '@quipu/core'
import { simulatedChain } from '../../../server/src/chain/simulated.ts'
import { VirtualClock } from '../../../server/src/clock/virtual.ts'
import { Fenced } from '../../../server/src/journal/journal.ts'
import { worldMarket } from '../../../server/src/market/world-market.ts'
import { NotApplied } from '../../../server/src/process/not-applied.ts'
import { makeRunJob } from '../../../server/src/world/jobs.ts'
import { World } from '../../../server/src/world/world.ts'
import type { Random } from '../../random.ts'
import { moodyIssuer } from '../simulation.ts'
import { isCrash, isTrouble } from './injected-error.ts'
import { SlowViews } from './slow-views.ts'
import type { Access, Store } from './store.ts'
import { breath } from './tick.ts'

/** Turns of the event loop after which a world that is not back never comes. */
const GIVE_UP_TURNS = 60_000
/** By then an engine that does nothing has looked whether the world is still its own, even where no answer came. */
const NOTICE_TURNS = 100_000
/** In so many turns an engine that goes on after it was refused would have tried again. */
const WATCHED_TURNS = 3_000

export type ProcessParts = {
  readonly random: Random
  readonly settings: WorldSettings
  readonly store: Store
  readonly now: Instant
}

/** One process with one world, from its start until it ends in whatever way. */
export class Process {
  readonly access: Access
  readonly views: SlowViews
  readonly clock: VirtualClock
  /** Whether it began with a snapshot. */
  usedSnapshot = false
  readonly #parts: ProcessParts
  /** What went wrong behind the scenes. */
  readonly #failures: unknown[] = []
  #world: World | undefined

  constructor(parts: ProcessParts) {
    this.#parts = parts
    this.access = parts.store.connect()
    this.views = new SlowViews(parts.random)
    this.clock = new VirtualClock(parts.now, async () => this.#world?.quiet(), this.#failed)
  }

  get world(): World {
    return this.#world!
  }

  /** How often journal or views have failed it. */
  get crashes(): number {
    return this.#failures.filter(isCrash).length
  }

  /** Opens the world. False where the process ended before it was up, or the store refused. */
  async start(): Promise<boolean> {
    const opened = await Promise.race([
      this.#open().catch((error: unknown) => ({ error })),
      this.access.dead.then(() => undefined),
    ])
    if (opened instanceof World) return true
    if (opened) this.#assertExpected(opened.error)
    return false
  }

  /** Resolves when the world can be asked; false where it had better be started anew. */
  async isUp(): Promise<boolean> {
    for (let turns = 0; turns < GIVE_UP_TURNS; turns++) {
      this.assertNoOtherFailures()
      if (this.access.isDead() || this.#isFenced) return false
      if (turns > 20) this.#parts.store.letGo()
      if (this.isServing) return true
      await breath()
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

  /** A later process has the world: this one notices by itself, and then does nothing any more. */
  async assertStops(): Promise<void> {
    for (let turns = 0; !this.#isFenced; turns++) {
      this.assertNoOtherFailures()
      if (this.access.isDead()) return
      assert(turns < NOTICE_TURNS, 'an engine whose world was taken over did not notice')
      await breath()
    }
    const sent = this.access.sent()
    await breath(WATCHED_TURNS)
    assert(!this.isServing, 'an engine whose world was taken over still serves it')
    assert.equal(this.access.sent(), sent, 'an engine whose world was taken over stays away from it')
  }

  assertNoOtherFailures(): void {
    for (const failure of this.#failures) this.#assertExpected(failure)
  }

  get isServing(): boolean {
    try {
      return this.world.view !== undefined
    } catch (error) {
      assert(error instanceof NotApplied)
      return false
    }
  }

  get #isFenced(): boolean {
    return this.#failures.some((failure) => failure instanceof Fenced)
  }

  #assertExpected(failure: unknown): void {
    if (failure instanceof Fenced)
      assert(this.access.isSuperseded(), 'the engine that holds the world was refused')
    else assert(isTrouble(failure), failure as Error)
  }

  readonly #failed = (error: unknown): void => void this.#failures.push(error)

  async #open(): Promise<World> {
    const { random, settings } = this.#parts
    let lost: (error: unknown) => void = () => undefined
    this.#world = await World.open({
      id: 'simulated' as WorldId,
      settings,
      clock: this.clock,
      openJournal: () => this.access.openJournal((error) => lost(error)),
      openViews: (journal, failed) => {
        lost = failed
        return this.views.open(journal, failed)
      },
      snapshot: async (journal, upTo) => {
        const state = random.chance(0.6) ? await this.access.snapshot(journal, upTo) : undefined
        if (state) this.usedSnapshot = true
        return state
      },
      market: (given, added) => worldMarket({ settings: given, added }),
      runJob: makeRunJob({ chain: simulatedChain(), issuer: moodyIssuer() }),
      queueMax: 12,
      viewsLagMax: 40,
      viewsWaitMs: 1,
      failed: this.#failed,
    })
    return this.#world
  }
}
