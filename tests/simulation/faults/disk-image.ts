import type { Random } from '../../support/random.ts'

/** A change to a file that may not be on the disk yet. */
export type Unsynced =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  /** Zeros at the end of the file, up to this length. */
  | { readonly kind: 'space'; readonly length: number }
  | { readonly kind: 'truncate'; readonly length: number }

/** Which unsynced changes survive a power cut. */
export type PowerCutMode = 'none' | 'all' | 'torn' | 'sectors'

const SECTOR_BYTES = 512

/** The content of one file after a power cut: all synced changes and some unsynced ones. */
export class DiskImage {
  readonly #random: Random
  #content = Buffer.alloc(0)
  #length = 0
  unsynced: Unsynced[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** Missing bytes read as zeros. */
  get bytes(): Buffer {
    return this.#content.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  sync(): void {
    for (const change of this.unsynced) this.#apply(change)
    this.unsynced = []
  }

  /**
   * The system drops the pages that it could not write: any sector may be on the disk, none will be written later, and
   * the process still reads all of them. Metadata such as the length of the file is stored separately and stays.
   */
  failSync(): void {
    this.#applySectors()
    this.unsynced = this.unsynced.filter(({ kind }) => kind === 'truncate')
  }

  losePower(mode: PowerCutMode): void {
    if (mode === 'all') this.sync()
    if (mode === 'torn') this.#applyTorn()
    if (mode === 'sectors') this.#applySectors()
    this.unsynced = []
  }

  /** Applies changes in order up to a random one, and of that one a random number of bytes. */
  #applyTorn(): void {
    const changes = this.unsynced.slice(0, this.#random.integer(0, this.unsynced.length))
    const last = changes.pop()
    for (const change of changes) this.#apply(change)
    if (last?.kind !== 'write') return
    this.#apply({ ...last, bytes: last.bytes.subarray(0, this.#random.integer(0, last.bytes.length)) })
  }

  /** A disk writes sectors in any order: each sector has one version, and a skipped sector stays old. */
  #applySectors(): void {
    const skipped = new Set<number>()
    const share = this.#random.pick([0.1, 0.5, 0.9])
    for (const change of this.unsynced) {
      // A part of the space is possible too, but missing bytes read as zeros anyway.
      if (change.kind !== 'write') {
        if (this.#random.chance(share)) this.#apply(change)
        continue
      }
      const { at, bytes } = change
      for (let start = 0; start < bytes.length; ) {
        const end = Math.min(bytes.length, start + SECTOR_BYTES - ((at + start) % SECTOR_BYTES))
        const sector = Math.floor((at + start) / SECTOR_BYTES)
        if (!this.#random.chance(share)) skipped.add(sector)
        if (!skipped.has(sector))
          this.#apply({ kind: 'write', at: at + start, bytes: bytes.subarray(start, end) })
        start = end
      }
    }
  }

  #apply(change: Unsynced): void {
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
