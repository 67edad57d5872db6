import type { Journal } from '../../../broker/src/journal/journal.ts'
import { openMemoryQueryTables } from '../../../broker/src/query-tables/memory.ts'
import type { QueryTables } from '../../../broker/src/query-tables/query-tables.ts'
import type { Random } from '../../support/random.ts'
import { tick } from './event-loop.ts'
import { injected } from './injected-error.ts'

/** Query tables that can be held, answer with a delay, and can be made to fail. */
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
