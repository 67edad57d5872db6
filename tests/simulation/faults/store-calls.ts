/** Controls the calls of a process to its store: holds them, releases them in order, and injects faults. */
export class CallControl<Fault> {
  #waiting: (() => void)[] = []
  #held = false
  #faults = new Map<number, Fault>()
  #calls = 0

  get isHeld(): boolean {
    return this.#held
  }

  hold(): void {
    this.#held = true
  }

  /** Releases `count` waiting calls, or all of them and later calls. */
  release(count = Infinity): void {
    if (count === Infinity) this.#held = false
    for (let left = count; left > 0 && this.#waiting.length > 0; left--) this.#waiting.shift()!()
  }

  /** Injects a fault into the n-th call from now. */
  plan(nth: number, fault: Fault): void {
    this.#faults.set(this.#calls + nth, fault)
  }

  /** Removes all planned faults. */
  clearFaults(): void {
    this.#faults.clear()
  }

  /** Drops waiting calls and planned faults, because the process ended. */
  clear(): void {
    this.#waiting = []
    this.#held = false
    this.#faults.clear()
  }

  async ready(): Promise<void> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The fault of the next call. */
  next(): Fault | undefined {
    return this.#faults.get(++this.#calls)
  }
}
