import { Duplex } from 'node:stream'

/** One end of a connection inside the process. Writes arrive at the other end at once, without a limit. */
class End extends Duplex {
  /** As a socket of this machine. */
  readonly remoteAddress = '127.0.0.1'
  other: End | undefined
  /** While the other end takes in what is written here. */
  isWriting = false

  override _read(): void {}

  /**
   * No program expects the response inside its own write: a WebSocket that is answered while it closes would set the
   * timer of its close after it is closed, and that timer keeps the process for 30 s.
   */
  override _write(chunk: Buffer, _: BufferEncoding, written: () => void): void {
    if (this.other?.isWriting) process.nextTick(() => this.#deliver(chunk, written))
    else this.#deliver(chunk, written)
  }

  #deliver(chunk: Buffer, written: () => void): void {
    this.isWriting = true
    this.other?.push(chunk)
    this.isWriting = false
    written()
  }

  override _final(ended: () => void): void {
    this.other?.push(null)
    ended()
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    const { other } = this
    this.other = undefined
    if (other) setImmediate(() => other.destroy())
    destroyed(error)
  }
}

/** Both ends of a connection inside the process: faster than the network of the machine. */
export function memoryConnection(): readonly [Duplex, Duplex] {
  const [one, other] = [new End(), new End()]
  one.other = other
  other.other = one
  return [one, other]
}
