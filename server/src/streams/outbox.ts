import type { Writable } from 'node:stream'

export type OutboxParts = {
  readonly socket: Writable
  /** False once a closing frame has been sent: nothing may follow it. */
  readonly isOpen: () => boolean
  readonly tick: FlushTick
  /** What may wait here and in the socket together. */
  readonly bytesMax: number
  /** More came than that: the client reads too slowly. */
  readonly overflowed: () => void
}

/**
 * What waits to be sent to one client. All frames that come in one turn of the event loop leave in one write, and
 * there is one write under way at a time, so that what waits longer waits here, where it can be counted and dropped.
 */
export class Outbox {
  readonly #parts: OutboxParts
  #frames: Buffer[] = []
  #waitingBytes = 0
  #writingBytes = 0
  #closed = false
  #emptied: (() => void)[] = []

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  get bytes(): number {
    return this.#waitingBytes + this.#writingBytes
  }

  push(frame: Buffer): void {
    if (this.#closed) return
    if (this.bytes + frame.length > this.#parts.bytesMax) {
      this.#parts.overflowed()
      return
    }
    this.#append(frame)
  }

  /** Drops all that waits and says one last thing instead. */
  pushLast(frame: Buffer): void {
    if (this.#closed) return
    this.#frames = []
    this.#waitingBytes = 0
    this.#append(frame)
  }

  /** Hands over what has gathered. Also when a write is under way: the last words before a close. */
  flush(): void {
    if (!this.#parts.isOpen()) this.close()
    if (this.#closed || this.#waitingBytes === 0) return
    const bytes = this.#waitingBytes
    const chunk = this.#frames.length === 1 ? this.#frames[0]! : Buffer.concat(this.#frames, bytes)
    this.#frames = []
    this.#waitingBytes = 0
    this.#writingBytes += bytes
    this.#parts.socket.write(chunk, () => this.#written(bytes))
  }

  /** What the tick calls. While a write is under way more is left to gather. */
  tick(): void {
    if (this.#writingBytes === 0) this.flush()
  }

  /** Resolves when everything has been handed to the network, or never will be. */
  async sent(): Promise<void> {
    if (this.#closed || this.bytes === 0) return
    this.tick()
    await new Promise<void>((resolve) => this.#emptied.push(resolve))
  }

  /** The socket is gone, or takes no more. */
  close(): void {
    this.#closed = true
    this.#frames = []
    this.#waitingBytes = 0
    this.#wakeEmptied()
  }

  #append(frame: Buffer): void {
    this.#frames.push(frame)
    this.#waitingBytes += frame.length
    this.#parts.tick.add(this)
  }

  #written(bytes: number): void {
    this.#writingBytes -= bytes
    if (this.#writingBytes > 0) return
    if (this.#waitingBytes > 0) this.flush()
    else this.#wakeEmptied()
  }

  #wakeEmptied(): void {
    const waiting = this.#emptied
    this.#emptied = []
    for (const resolve of waiting) resolve()
  }
}

/** Clients written to in one turn: with thousands of them, requests have their turns in between. */
const PER_TURN = 128

/** The end of a turn of the event loop: every outbox that got something in it is flushed once, in the order they got it. */
export class FlushTick {
  readonly #filled = new Set<Outbox>()
  #isSet = false

  add(outbox: Outbox): void {
    this.#filled.add(outbox)
    this.#set()
  }

  #set(): void {
    if (this.#isSet) return
    this.#isSet = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isSet = false
    let left = PER_TURN
    for (const outbox of this.#filled) {
      if (left-- === 0) break
      this.#filled.delete(outbox)
      outbox.tick()
    }
    if (this.#filled.size > 0) this.#set()
  }
}
