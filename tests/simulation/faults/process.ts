import assert from 'node:assert/strict'
import type { Instant, WorldId, WorldSettings } from '@quipu/core'
import { simulatedChain } from '../../../broker/src/chain/simulated.ts'
import { VirtualClock } from '../../../broker/src/clock/virtual.ts'
import { builtinIssuer } from '../../../broker/src/issuer/builtin.ts'
import type { TokenIssuer } from '../../../broker/src/issuer/issuer.ts'
import { Fenced, type Journal } from '../../../broker/src/journal/journal.ts'
import { NotApplied } from '../../../broker/src/journal/not-applied.ts'
import { worldMarket } from '../../../broker/src/market/world-market.ts'
import { openMemoryQueryTables } from '../../../broker/src/query-tables/memory.ts'
import type { QueryTables } from '../../../broker/src/query-tables/query-tables.ts'
import { makeRunJob } from '../../../broker/src/world/jobs.ts'
import { openWorld, World } from '../../../broker/src/world/world.ts'
import type { Random } from '../../support/random.ts'
import { tick } from './event-loop.ts'
import { injected, isCrash, isExpectedError } from './injected-error.ts'
import type { Access, Store } from './store.ts'

/**
 * Turns of the event loop after which a world that is not ready has failed. A silent connection takes up to 40,000 of
 * them, and a run may plan several in a row.
 */
const GIVE_UP_TURNS = 200_000
/** Turns after which an idle engine must have checked that it still holds the lease, even without a response. */
const NOTICE_TURNS = 100_000
/** Turns in which an engine that ignores a refusal would send again. */
const WATCHED_TURNS = 3_000

export type ProcessParts = {
  readonly random: Random
  readonly settings: WorldSettings
  readonly store: Store
  readonly now: Instant
}

/** One process with one world. */
export class Process {
  readonly access: Access
  readonly queryTables: SlowQueryTables
  readonly clock: VirtualClock
  /** Whether the world started from a snapshot. */
  usedSnapshot = false
  readonly #parts: ProcessParts
  /** Errors reported by the world, its journal or its query tables. */
  readonly #failures: unknown[] = []
  #world: World | undefined

  constructor(parts: ProcessParts) {
    this.#parts = parts
    this.access = parts.store.connect()
    this.queryTables = new SlowQueryTables(parts.random)
    this.clock = new VirtualClock(parts.now, async () => this.#world?.commands.quiet(), this.#failed)
  }

  get world(): World {
    return this.#world!
  }

  /** Number of failures of the journal or the query tables. */
  get crashes(): number {
    return this.#failures.filter(isCrash).length
  }

  /** Opens the world. Returns false if the process ended first or the store refused it. */
  async start(): Promise<boolean> {
    const opened = await Promise.race([
      this.#open().catch((error: unknown) => ({ error })),
      this.access.ended.then(() => undefined),
    ])
    if (opened instanceof World) return true
    if (opened) this.#assertExpected(opened.error)
    return false
  }

  /** Resolves when the world serves requests; false if it must be restarted. */
  async isUp(): Promise<boolean> {
    for (let turns = 0; turns < GIVE_UP_TURNS; turns++) {
      this.assertNoOtherFailures()
      if (this.access.isEnded() || this.#isFenced) return false
      if (turns > 20) this.#parts.store.release()
      if (this.isServing) return true
      await tick()
    }
    throw new Error('the world did not recover')
  }

  /** Waits until the query tables have caught up or are held. Returns false if the world fails first. */
  async areQueryTablesSettled(): Promise<boolean> {
    while (await this.isUp()) {
      if (this.queryTables.isSettled) return true
      await tick()
    }
    return false
  }

  /** After a take-over this process notices the loss of its lease and sends nothing more. */
  async assertStops(): Promise<void> {
    for (let turns = 0; !this.#isFenced; turns++) {
      this.assertNoOtherFailures()
      if (this.access.isEnded()) return
      assert(turns < NOTICE_TURNS, 'an engine whose world was taken over did not notice')
      await tick()
    }
    const sent = this.access.sent()
    await tick(WATCHED_TURNS)
    assert(!this.isServing, 'an engine whose world was taken over still serves it')
    assert.equal(this.access.sent(), sent, 'an engine whose world was taken over sends nothing more')
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
      assert(this.access.isSuperseded(), 'the engine that holds the lease was refused')
    else assert(isExpectedError(failure), failure as Error)
  }

  readonly #failed = (error: unknown): void => void this.#failures.push(error)

  async #open(): Promise<World> {
    const { random, settings } = this.#parts
    let lost: (error: unknown) => void = () => undefined
    this.#world = await openWorld({
      id: 'simulated' as WorldId,
      code: '00',
      settings,
      clock: this.clock,
      openJournal: () => this.access.openJournal((error) => lost(error)),
      openQueryTables: (journal, failed) => {
        lost = failed
        return this.queryTables.open(journal, failed)
      },
      snapshot: async (journal, upTo) => {
        const state = random.chance(0.6) ? await this.access.snapshot(journal, upTo) : undefined
        if (state) this.usedSnapshot = true
        return state
      },
      market: (worldSettings, added) => worldMarket({ settings: worldSettings, added }),
      runJob: makeRunJob({ chain: simulatedChain(), issuer: unreliableIssuer() }),
      queueMax: 12,
      queryTablesLagMax: 40,
      queryTablesWaitMs: 1,
      failed: this.#failed,
    })
    return this.#world
  }
}

/** Accepts, refuses or fails the first time; only the id of the request decides. */
function unreliableIssuer(): TokenIssuer {
  const calledIds = new Set<string>()
  return {
    ...builtinIssuer(simulatedChain()),
    async mint({ requestId }) {
      const isFirst = !calledIds.has(requestId)
      calledIds.add(requestId)
      if (isFirst && /^[0-4]/.test(requestId)) throw new Error('no response from the issuer')
      return /[01]$/.test(requestId)
        ? { ok: false, reason: 'not today' }
        : { ok: true, issuerRequestId: `i-${requestId}` }
    },
    confirm: async ({ requestId }) =>
      /[23]$/.test(requestId) ? { ok: false, reason: 'not any more' } : { ok: true },
  }
}

/** Query tables that can be held, response with a delay, and can be made to fail. */
export class SlowQueryTables {
  readonly #random: Random
  #held = false
  #queryTables: QueryTables | undefined
  #target = 0
  #fail: (error: unknown) => void = () => undefined

  constructor(random: Random) {
    this.#random = random
  }

  readonly open = async (journal: Journal, failed: (error: unknown) => void): Promise<QueryTables> => {
    const queryTables = await openMemoryQueryTables(journal)
    this.#queryTables = queryTables
    this.#fail = failed
    this.#held = false
    this.#target = 0
    let isOver = false
    const follow = queryTables.follow.bind(queryTables)
    queryTables.follow = (seq) => {
      this.#target = seq
      if (!this.#held) follow(seq)
      // Real query tables report by themselves that they have failed.
      queryTables.reached(seq).catch((error) => {
        if (!isOver) failed(error)
        isOver = true
      })
    }
    const { orderByClientId, callByKey } = queryTables
    queryTables.orderByClientId = (...args) => this.#delay(orderByClientId.apply(queryTables, args))
    queryTables.callByKey = (...args) => this.#delay(callByKey.apply(queryTables, args))
    return queryTables
  }

  get isHeld(): boolean {
    return this.#held
  }

  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#queryTables?.follow(this.#target)
  }

  /** Whether the query tables have caught up or are held. */
  get isSettled(): boolean {
    return this.#held || (this.#queryTables?.position() ?? 0) >= this.#target
  }

  fail(): void {
    this.#fail(injected(new Error('the query tables failed')))
  }

  /** The result may be outdated when it is returned. */
  async #delay<Result>(query: Promise<Result>): Promise<Result> {
    const result = await query
    await tick(this.#random.pick([0, 0, 0, 2, 20]))
    return result
  }
}
