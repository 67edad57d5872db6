/** Running reads of the query tables. Memory releases nothing that such a read did not see. */
export class ArchiveReads {
  readonly #positions = new Map<object, number>()

  /** The last event up to which memory may release records. */
  min(position: number): number {
    return Math.min(position, ...this.#positions.values())
  }

  /** Runs a read of query tables that are at this position. */
  async run<Value>(position: number, read: () => Promise<Value>): Promise<Value> {
    const ticket = {}
    this.#positions.set(ticket, position)
    try {
      return await read()
    } finally {
      this.#positions.delete(ticket)
    }
  }
}
