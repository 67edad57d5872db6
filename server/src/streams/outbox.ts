import type { Writable } from 'node:stream'

/** Written behind something, it tells when that has been taken. */
const NOTHING = Buffer.alloc(0)

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
  #waiting: Batch | undefined
  #writingBytes = 0
  #takenBytes = 0
  #stuckSinceMs: number | undefined
  #closed = false
  #emptied: (() => void)[] | undefined

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  get bytes(): number {
    return (this.#waiting?.bytes ?? 0) + this.#writingBytes
  }

  /** What the network has taken. */
  get sentBytes(): number {
    return this.#takenBytes - this.bytes
  }

  /** How long the network has not taken what it was given. */
  get lagMs(): number {
    return this.#stuckSinceMs === undefined ? 0 : performance.now() - this.#stuckSinceMs
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
    this.#takenBytes -= this.#waiting?.bytes ?? 0
    this.#waiting = undefined
    this.#append(frame)
  }

  /** Hands over what has gathered. Also when a write is under way: the last words before a close. */
  flush(): void {
    if (!this.#parts.isOpen()) this.close()
    if (this.#closed || !this.#waiting) return
    const { bytes, whole } = this.#waiting
    const { socket } = this.#parts
    this.#waiting = undefined
    socket.write(whole)
    // Nearly always the network has taken it by now. To be called back for that would cost as much as all the rest.
    if (socket.writableLength === 0) return this.#allWritten()
    this.#writingBytes += bytes
    this.#stuckSinceMs ??= performance.now()
    socket.write(NOTHING, () => this.#written(bytes))
  }

  /** What the tick calls. While a write is under way more is left to gather. */
  tick(): void {
    if (this.#writingBytes === 0) this.flush()
  }

  /** Resolves when everything has been handed to the network, or never will be. */
  async sent(): Promise<void> {
    if (this.#closed || this.bytes === 0) return
    this.tick()
    await new Promise<void>((resolve) => {
      this.#emptied = [...(this.#emptied ?? []), resolve]
    })
  }

  /** The socket is gone, or takes no more. */
  close(): void {
    this.#closed = true
    this.#waiting = undefined
    this.#wakeEmptied()
  }

  #append(frame: Buffer): void {
    const { tick } = this.#parts
    this.#takenBytes += frame.length
    if (!this.#waiting) tick.add(this)
    this.#waiting = (this.#waiting ?? tick.nothing).with(frame)
  }

  #written(bytes: number): void {
    this.#writingBytes -= bytes
    if (this.#writingBytes === 0) this.#allWritten()
  }

  #allWritten(): void {
    this.#stuckSinceMs = undefined
    if (this.#waiting) this.flush()
    else this.#wakeEmptied()
  }

  #wakeEmptied(): void {
    const emptied = this.#emptied
    this.#emptied = undefined
    for (const resolve of emptied ?? []) resolve()
  }
}

/** Clients written to in one turn: with thousands of them, requests have their turns in between. */
export const PER_TURN = 128

/** The end of a turn of the event loop: every outbox that got something in it is flushed once, in the order they got it. */
export class FlushTick {
  readonly #filled = new Set<Outbox>()
  #nothing = new Batch()
  #isSet = false

  /** Where the batches of this turn begin, so that those who are sent the same share them. */
  get nothing(): Batch {
    return this.#nothing
  }

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
    this.#nothing = new Batch()
    let left = PER_TURN
    for (const outbox of this.#filled) {
      if (left-- === 0) break
      this.#filled.delete(outbox)
      outbox.tick()
    }
    if (this.#filled.size > 0) this.#set()
  }
}

/**
 * Frames in the order they came. Whoever is sent the same frames in the same order holds the same batch, so a
 * thousand clients with one subscription have theirs put together once.
 */
export class Batch {
  readonly bytes: number
  readonly #before: Batch | undefined
  readonly #frame: Buffer | undefined
  /** What it was continued to: most often by one frame alone, by one for each codec otherwise. */
  #next: Batch | undefined
  #others: Map<Buffer, Batch> | undefined
  #whole: Buffer | undefined

  constructor(before?: Batch, frame?: Buffer) {
    this.#before = before
    this.#frame = frame
    this.bytes = (before?.bytes ?? 0) + (frame?.length ?? 0)
  }

  with(frame: Buffer): Batch {
    if (this.#next && this.#next.#frame === frame) return this.#next
    const known = this.#others?.get(frame)
    if (known) return known
    const next = new Batch(this, frame)
    if (!this.#next) this.#next = next
    else this.#others = (this.#others ?? new Map()).set(frame, next)
    return next
  }

  get whole(): Buffer {
    this.#whole ??= this.#joined()
    return this.#whole
  }

  #joined(): Buffer {
    const frames: Buffer[] = []
    for (let at: Batch | undefined = this; at; at = at.#before) if (at.#frame) frames.push(at.#frame)
    return frames.length === 1 ? frames[0]! : Buffer.concat(frames.reverse(), this.bytes)
  }
}
