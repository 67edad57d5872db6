/** Where all calls of a process to its store pass: in order, held back where wanted, and one of them to its ruin. */
export class Gate<Trouble> {
  #waiting: (() => void)[] = []
  #held = false
  #troubles = new Map<number, Trouble>()
  #calls = 0

  get isHeld(): boolean {
    return this.#held
  }

  hold(): void {
    this.#held = true
  }

  /** Lets so many of the waiting calls run, or all of them and those that follow. */
  letGo(count = Infinity): void {
    if (count === Infinity) this.#held = false
    for (let left = count; left > 0 && this.#waiting.length > 0; left--) this.#waiting.shift()!()
  }

  /** Makes the n-th call from now go wrong. */
  plan(nth: number, trouble: Trouble): void {
    this.#troubles.set(this.#calls + nth, trouble)
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.#troubles.clear()
  }

  /** Nobody is waited for: the process is over. */
  clear(): void {
    this.#waiting = []
    this.#held = false
    this.#troubles.clear()
  }

  async passed(): Promise<void> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** What goes wrong with the call that is made now. */
  next(): Trouble | undefined {
    return this.#troubles.get(++this.#calls)
  }
}
