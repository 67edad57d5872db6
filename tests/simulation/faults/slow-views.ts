import type { Journal } from '../../../server/src/journal/journal.ts'
import { openMemoryViews } from '../../../server/src/views/memory.ts'
import type { Views } from '../../../server/src/views/views.ts'
import type { Random } from '../../random.ts'
import { made } from './injected-error.ts'
import { breath } from './tick.ts'

/** Views that go on only while they are let, take their time to answer, and can be made to give up. */
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
      // Real views say so themselves when they can not go on.
      views.reached(seq).catch((error) => {
        if (!isOver) failed(error)
        isOver = true
      })
    }
    const { orderByClientId, requestByKey } = views
    views.orderByClientId = (...of) => this.#late(orderByClientId.apply(views, of))
    views.requestByKey = (...of) => this.#late(requestByKey.apply(views, of))
    return views
  }

  get isHeld(): boolean {
    return this.#held
  }

  hold(): void {
    this.#held = true
  }

  letGo(): void {
    this.#held = false
    this.#views?.follow(this.#target)
  }

  /** Whether they have come as far as they may. */
  get isSettled(): boolean {
    return this.#held || (this.#views?.position() ?? 0) >= this.#target
  }

  fail(): void {
    this.#fail(made(new Error('the views gave up')))
  }

  /** What was found may be old by the time it is told. */
  async #late<Found>(finding: Promise<Found>): Promise<Found> {
    const found = await finding
    await breath(this.#random.pick([0, 0, 0, 2, 20]))
    return found
  }
}
