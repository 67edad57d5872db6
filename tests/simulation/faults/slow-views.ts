import type { Journal } from '../../../broker/src/journal/journal.ts'
import { openMemoryViews } from '../../../broker/src/views/memory.ts'
import type { Views } from '../../../broker/src/views/views.ts'
import type { Random } from '../../support/random.ts'
import { tick } from './event-loop.ts'
import { injected } from './injected-error.ts'

/** Views that can be held, answer with a delay, and can be made to fail. */
export class SlowViews {
  readonly #random: Random
  #held = false
  #views: Views | undefined
  #target = 0
  #fail: (error: unknown) => void = () => undefined

  constructor(random: Random) {
    this.#random = random
  }

  readonly open = async (journal: Journal, failed: (error: unknown) => void): Promise<Views> => {
    const views = await openMemoryViews(journal)
    this.#views = views
    this.#fail = failed
    this.#held = false
    this.#target = 0
    let isOver = false
    const follow = views.follow.bind(views)
    views.follow = (seq) => {
      this.#target = seq
      if (!this.#held) follow(seq)
      // Real views report by themselves that they have failed.
      views.reached(seq).catch((error) => {
        if (!isOver) failed(error)
        isOver = true
      })
    }
    const { orderByClientId, callByKey } = views
    views.orderByClientId = (...args) => this.#delay(orderByClientId.apply(views, args))
    views.callByKey = (...args) => this.#delay(callByKey.apply(views, args))
    return views
  }

  get isHeld(): boolean {
    return this.#held
  }

  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#views?.follow(this.#target)
  }

  /** Whether the views have caught up or are held. */
  get isSettled(): boolean {
    return this.#held || (this.#views?.position() ?? 0) >= this.#target
  }

  fail(): void {
    this.#fail(injected(new Error('the views failed')))
  }

  /** The result may be outdated when it is returned. */
  async #delay<Result>(query: Promise<Result>): Promise<Result> {
    const result = await query
    await tick(this.#random.pick([0, 0, 0, 2, 20]))
    return result
  }
}
