import type { Random } from '../../random.ts'

/** A change to a file that the platter may not hold yet. */
export type Unsynced =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  /** Zeros at the end of the file, up to this length. */
  | { readonly kind: 'space'; readonly length: number }
  | { readonly kind: 'truncate'; readonly length: number }

/** How a power cut treats what was not synced. */
export type Manner = 'none' | 'all' | 'torn' | 'sectors'

const SECTOR_BYTES = 512

/** What would be left of one file: what was synced, and some of what was not. */
export class Platter {
  readonly #random: Random
  #content = Buffer.alloc(0)
  #length = 0
  unsynced: Unsynced[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** What is not there of it reads as zeros. */
  get bytes(): Buffer {
    return this.#content.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  sync(): void {
    for (const change of this.unsynced) this.#take(change)
    this.unsynced = []
  }

  /**
   * The system gives up on what it could not write: any sector of it may be there, none will be written later, and
   * the process still reads it all. What is known about the file, such as its length, is kept apart and stays.
   */
  failSync(): void {
    this.#takeSectors()
    this.unsynced = this.unsynced.filter(({ kind }) => kind === 'truncate')
  }

  lose(manner: Manner): void {
    if (manner === 'all') this.sync()
    if (manner === 'torn') this.#takeTorn()
    if (manner === 'sectors') this.#takeSectors()
    this.unsynced = []
  }

  /** In order up to some change, and of that one any number of bytes. */
  #takeTorn(): void {
    const changes = this.unsynced.slice(0, this.#random.integer(0, this.unsynced.length))
    const last = changes.pop()
    for (const change of changes) this.#take(change)
    if (last?.kind !== 'write') return
    this.#take({ ...last, bytes: last.bytes.subarray(0, this.#random.integer(0, last.bytes.length)) })
  }

  /** A disk writes in the order it likes: any sectors, each as it was at some time, and never of two times at once. */
  #takeSectors(): void {
    const late = new Set<number>()
    const share = this.#random.pick([0.1, 0.5, 0.9])
    for (const change of this.unsynced) {
      // Of space there may be any part, but what is not there reads as zeros anyway.
      if (change.kind !== 'write') {
        if (this.#random.chance(share)) this.#take(change)
        continue
      }
      const { at, bytes } = change
      for (let start = 0; start < bytes.length; ) {
        const end = Math.min(bytes.length, start + SECTOR_BYTES - ((at + start) % SECTOR_BYTES))
        const sector = Math.floor((at + start) / SECTOR_BYTES)
        if (!this.#random.chance(share)) late.add(sector)
        if (!late.has(sector))
          this.#take({ kind: 'write', at: at + start, bytes: bytes.subarray(start, end) })
        start = end
      }
    }
  }

  #take(change: Unsynced): void {
    if (change.kind === 'truncate') {
      this.#content.fill(0, change.length)
      this.#length = Math.min(this.#length, change.length)
      return
    }
    if (change.kind === 'space') {
      this.#length = Math.max(this.#length, change.length)
      return
    }
    const end = change.at + change.bytes.length
    if (end > this.#content.length) {
      const grown = Buffer.alloc(Math.max(end, 2 * this.#content.length))
      this.#content.copy(grown)
      this.#content = grown
    }
    change.bytes.copy(this.#content, change.at)
    this.#length = Math.max(this.#length, end)
  }
}
