import type { Journal } from '../../server/src/journal/journal.ts'
import { openMemoryViews } from '../../server/src/views/memory.ts'
import type { Views } from '../../server/src/views/views.ts'

export class ViewsGaveUp extends Error {}

/** Views that go on only while they are let, and can be made to give up. */
export class SlowViews {
  #held = false
  #views: Views | undefined
  #target = 0
  #fail: (error: unknown) => void = () => undefined

  readonly open = async (journal: Journal, failed: (error: unknown) => void): Promise<Views> => {
    const views = await openMemoryViews(journal)
    this.#views = views
    this.#fail = failed
    this.#held = false
    this.#target = 0
    const follow = views.follow.bind(views)
    views.follow = (seq) => {
      this.#target = seq
      if (!this.#held) follow(seq)
    }
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
    this.#fail(new ViewsGaveUp('the views gave up'))
  }
}
