/** Counts the HTTP requests of clients to one world. */
export class ClientRequests {
  #begun = 0
  #open = 0
  #waiting: (() => void)[] = []

  /** The number of requests since the world was opened. */
  get begun(): number {
    return this.#begun
  }

  begin(): void {
    this.#begun += 1
    this.#open += 1
  }

  /** The response of a request is written. */
  end(): void {
    this.#open -= 1
    if (this.#open === 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when no request is open. */
  async none(): Promise<void> {
    while (this.#open > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
