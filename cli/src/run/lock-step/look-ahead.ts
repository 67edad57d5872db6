import type { MessagesAhead } from '@quipu/contract'

/**
 * A program that is ahead of the broker: it has received messages of later instants. Until the broker has reached the
 * time of the program, requests of the program wait.
 */
export class LookAhead {
  /** Messages that the program may receive. */
  #offered: MessagesAhead | undefined
  /** Messages that the program was given. */
  #given: MessagesAhead['frames'] | undefined
  /** The time of the program. */
  #until = Number.NEGATIVE_INFINITY
  #received = 0
  #waiting: (() => void)[] = []

  /** How many of the last offered messages the program has received. */
  get received(): number {
    return this.#received
  }

  get isAhead(): boolean {
    return this.#until > Number.NEGATIVE_INFINITY
  }

  /** The broker has reached `now`, and offers messages of later instants. */
  update(now: number, offered: MessagesAhead | undefined): void {
    this.#offered = offered
    this.#received = 0
    if (now >= this.#until) this.#arrive()
  }

  /** The messages to give to the program; undefined if there are none. */
  take(): MessagesAhead | undefined {
    const offered = this.#offered
    this.#offered = undefined
    return offered
  }

  /** The program is given messages. */
  give(frames: MessagesAhead['frames']): void {
    this.#given = frames
    this.#until = Number.POSITIVE_INFINITY
  }

  /** The program is done with the given messages, and has received the first `count`. */
  end(count: number): void {
    const last = this.#given?.[count - 1]
    this.#given = undefined
    this.#received = count
    if (last) this.#until = last[0]
    else this.#arrive()
  }

  /**
   * Runs `begin` when the broker has reached the time of the program; at once if the program is not ahead. It may change
   * what happens next, so the program does not receive what was offered before.
   */
  enter(begin: () => void): void {
    if (this.isAhead) return void this.#waiting.push(begin)
    this.#offered = undefined
    begin()
  }

  /** The replay is over. */
  close(): void {
    this.#offered = undefined
    this.#arrive()
  }

  #arrive(): void {
    this.#until = Number.NEGATIVE_INFINITY
    for (const begin of this.#waiting.splice(0)) this.enter(begin)
  }
}
