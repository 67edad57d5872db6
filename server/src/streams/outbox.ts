import type { Writable } from 'node:stream'

/** Written after data; its callback reports that the data was sent. */
const EMPTY = Buffer.alloc(0)

export type OutboxParts = {
  readonly socket: Writable
  /** False once a closing frame has been sent: nothing may follow it. */
  readonly isOpen: () => boolean
  readonly tick: FlushTick
  /** Maximum of unsent bytes, here and in the socket. */
  readonly bytesMax: number
  /** Called above the maximum: the client reads too slowly. */
  readonly overflowed: () => void
}

/**
 * The unsent frames of one client. All frames of one turn of the event loop are sent in one write. Only one write is
 * pending at a time, so that other frames wait here, where they can be counted and dropped.
 */
export class Outbox {
  readonly #parts: OutboxParts
  #waiting: MessageBatch | undefined
  #writingBytes = 0
  #acceptedBytes = 0
  #blockedSinceMs: number | undefined
  #closed = false
  #emptied: (() => void)[] | undefined

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  get bytes(): number {
    return (this.#waiting?.bytes ?? 0) + this.#writingBytes
  }

  /** Bytes that were sent to the network. */
  get sentBytes(): number {
    return this.#acceptedBytes - this.bytes
  }

  /** How long the pending write has been waiting. */
  get lagMs(): number {
    return this.#blockedSinceMs === undefined ? 0 : performance.now() - this.#blockedSinceMs
  }

  push(frame: Buffer): void {
    if (this.#accepts(frame)) this.#append(frame)
  }

  /** Writes the frame at once, together with the frames before it, unless a write is pending. */
  pushNow(frame: Buffer): void {
    if (!this.#accepts(frame)) return
    this.#append(frame, this.#writingBytes > 0)
    this.tick()
  }

  /** Drops all unsent frames and sends a last one instead. */
  pushLast(frame: Buffer): void {
    if (this.#closed) return
    this.#acceptedBytes -= this.#waiting?.bytes ?? 0
    this.#waiting = undefined
    this.#append(frame)
  }

  /** Writes the collected frames, also while a write is pending: needed before a close. */
  flush(): void {
    if (!this.#parts.isOpen()) this.close()
    if (this.#closed || !this.#waiting) return
    const { bytes, joined } = this.#waiting
    const { socket } = this.#parts
    this.#waiting = undefined
    socket.write(joined)
    // The data is almost always sent by now; a callback would cost as much as the write itself.
    if (socket.writableLength === 0) return this.#allWritten()
    this.#writingBytes += bytes
    this.#blockedSinceMs ??= performance.now()
    socket.write(EMPTY, () => this.#written(bytes))
  }

  /** Called by the tick. While a write is pending, frames continue to collect. */
  tick(): void {
    if (this.#writingBytes === 0) this.flush()
  }

  /** Resolves when everything was sent, or when the outbox is closed. */
  async drained(): Promise<void> {
    this.tick()
    if (this.#closed || this.bytes === 0) return
    await new Promise<void>((resolve) => {
      this.#emptied = [...(this.#emptied ?? []), resolve]
    })
  }

  /** The socket is closed or closing. */
  close(): void {
    this.#closed = true
    this.#waiting = undefined
    this.#wakeEmptied()
  }

  /** Returns false if the outbox is closed or full. */
  #accepts(frame: Buffer): boolean {
    if (this.#closed) return false
    if (this.bytes + frame.length <= this.#parts.bytesMax) return true
    this.#parts.overflowed()
    return false
  }

  #append(frame: Buffer, isFlushedLater = true): void {
    const { tick } = this.#parts
    this.#acceptedBytes += frame.length
    if (!this.#waiting && isFlushedLater) tick.add(this)
    this.#waiting = (this.#waiting ?? tick.emptyBatch).with(frame)
  }

  #written(bytes: number): void {
    this.#writingBytes -= bytes
    if (this.#writingBytes === 0) this.#allWritten()
  }

  #allWritten(): void {
    this.#blockedSinceMs = undefined
    if (this.#waiting) this.flush()
    else this.#wakeEmptied()
  }

  #wakeEmptied(): void {
    const emptied = this.#emptied
    this.#emptied = undefined
    for (const resolve of emptied ?? []) resolve()
  }
}

/** Clients per turn of the event loop, so that requests are served between thousands of writes. */
export const PER_TURN = 128

/** Flushes every filled outbox once when a turn of the event loop ends, in the order they were filled. */
export class FlushTick {
  readonly #filled = new Set<Outbox>()
  #emptyBatch = new MessageBatch()
  #isSet = false

  /** Where this turn's batches begin, so that clients with the same frames share a batch. */
  get emptyBatch(): MessageBatch {
    return this.#emptyBatch
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
    this.#emptyBatch = new MessageBatch()
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
 * Frames in order. Clients with the same frames in the same order share one batch, so the frames of a thousand clients
 * with the same subscription are joined once.
 */
export class MessageBatch {
  readonly bytes: number
  readonly #before: MessageBatch | undefined
  readonly #frame: Buffer | undefined
  /** The batches that continue this one: usually one, otherwise one per codec. */
  #next: MessageBatch | undefined
  #others: Map<Buffer, MessageBatch> | undefined
  #joinedFrames: Buffer | undefined

  constructor(before?: MessageBatch, frame?: Buffer) {
    this.#before = before
    this.#frame = frame
    this.bytes = (before?.bytes ?? 0) + (frame?.length ?? 0)
  }

  with(frame: Buffer): MessageBatch {
    if (this.#next && this.#next.#frame === frame) return this.#next
    const known = this.#others?.get(frame)
    if (known) return known
    const next = new MessageBatch(this, frame)
    if (!this.#next) this.#next = next
    else this.#others = (this.#others ?? new Map()).set(frame, next)
    return next
  }

  get joined(): Buffer {
    this.#joinedFrames ??= this.#join()
    return this.#joinedFrames
  }

  #join(): Buffer {
    const frames: Buffer[] = []
    for (let at: MessageBatch | undefined = this; at; at = at.#before) if (at.#frame) frames.push(at.#frame)
    return frames.length === 1 ? frames[0]! : Buffer.concat(frames.reverse(), this.bytes)
  }
}
