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
