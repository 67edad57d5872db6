/** A stored event: `open` is hashed; `sealed` is not (digests of secrets, the API request). */
export type Entry = { readonly open: Buffer; readonly sealed?: Buffer }

/** Reads parts one after another: each part is its length and its bytes. */
export class EntryParts {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  /** A number: seven bits a byte, the lowest first. */
  number(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++]!
      value |= (byte & 0x7f) << shift
      if (!(byte > 0x7f)) return value >>> 0
    }
  }

  next(): Buffer {
    const length = this.number()
    return this.#bytes.subarray(this.#at, (this.#at += length))
  }

  /** Moves over the next parts. */
  advance(count: number): void {
    for (let left = count; left > 0; left--) {
      const length = this.number()
      this.#at += length
    }
  }
}

/** The events of a group: each open part after its length; each sealed part after the index of its event and its length. */
export type GroupBytes = { readonly open: Buffer; readonly sealed: Buffer; readonly count: number }

export function entriesOf({ open, sealed, count }: GroupBytes): Entry[] {
  const parts = new EntryParts(open)
  const entries: Entry[] = []
  for (let index = 0; index < count; index++) entries.push({ open: parts.next() })
  for (const rest = new EntryParts(sealed); rest.at < sealed.length; ) {
    const index = rest.number()
    entries[index] = { open: entries[index]!.open, sealed: rest.next() }
  }
  return entries
}
