import { BinaryWriter } from '../binary/writer.ts'

/** A larger buffer is released after its group, because most groups are small. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024
/** Bytes reserved before the events for the record header, so that a group becomes a record without a copy. */
const HEADER_SPACE = 128
/** The end of a record. It is not zero, so a record that was not written to its end is recognized. */
const RECORD_END = 0x0a

type Write = (writer: BinaryWriter) => void

/** Events that are appended to a journal together, written into buffers that later groups reuse. */
export class EventGroup {
  /** Each event after its length. */
  #open = newOpen()
  /** Each sealed part after the index of its event and its length. */
  #sealed = new BinaryWriter()
  #count = 0

  static of(entries: readonly Entry[]): EventGroup {
    const group = new EventGroup()
    for (const { open, sealed } of entries)
      group.add((writer) => writer.copy(open), sealed && ((writer) => writer.copy(sealed)))
    return group
  }

  get count(): number {
    return this.#count
  }

  /** Adds an event: the functions write its open part and its sealed part, if it has one. */
  add(open: Write, sealed?: Write): void {
    const ends = [this.#open.end, this.#sealed.end] as const
    try {
      this.#open.part(open)
      if (sealed) {
        this.#sealed.varint(this.#count)
        this.#sealed.part(sealed)
      }
    } catch (error) {
      // An event that cannot be stored leaves nothing in the group.
      this.#open.end = ends[0]
      this.#sealed.end = ends[1]
      throw error
    }
    this.#count += 1
  }

  /** The hashed bytes. Valid until the group is cleared. */
  open(): Buffer {
    return this.#open.bytes.subarray(HEADER_SPACE, this.#open.end)
  }

  /** The group as a file record, with space for the header. Valid until the group is cleared. */
  record(headerBytes: number): { readonly bytes: Buffer; readonly sealedBytes: number } {
    if (headerBytes > HEADER_SPACE) throw new Error(`bug: no space for a header of ${headerBytes} bytes`)
    const { end: sealedBytes, bytes: sealed } = this.#sealed
    this.#open.reserve(sealedBytes + 1)
    const { bytes, end } = this.#open
    sealed.copy(bytes, end, 0, sealedBytes)
    bytes[end + sealedBytes] = RECORD_END
    return { bytes: bytes.subarray(HEADER_SPACE - headerBytes, end + sealedBytes + 1), sealedBytes }
  }

  /** A copy of the bytes, in a buffer outside of Node's pool: a small buffer would keep a whole slab in memory. */
  bytes(): GroupBytes {
    const openBytes = this.#open.end - HEADER_SPACE
    const copy = Buffer.allocUnsafeSlow(openBytes + this.#sealed.end)
    this.open().copy(copy)
    this.#sealed.bytes.copy(copy, openBytes, 0, this.#sealed.end)
    return { open: copy.subarray(0, openBytes), sealed: copy.subarray(openBytes), count: this.#count }
  }

  /** Copies of the added events. */
  entries(): Entry[] {
    return entriesOf(this.bytes())
  }

  clear(): void {
    if (this.#open.bytes.length > KEPT_BYTES_MAX) this.#open = newOpen()
    if (this.#sealed.bytes.length > KEPT_BYTES_MAX) this.#sealed = new BinaryWriter()
    this.#open.end = HEADER_SPACE
    this.#sealed.end = 0
    this.#count = 0
  }
}

function newOpen(): BinaryWriter {
  const writer = new BinaryWriter()
  writer.reserve(HEADER_SPACE)
  writer.end = HEADER_SPACE
  return writer
}

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
