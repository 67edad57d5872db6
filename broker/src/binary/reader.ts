import { readUuid, UUID_BYTES } from './hex.ts'
import {
  CENT,
  CENTS,
  float,
  halves,
  highHalf,
  integer64,
  LENGTH_MASK,
  lowHalf,
  OTHER,
  REPEATABLE_MAX,
  REPEATED,
  UNIT,
  UNITS,
} from './writer.ts'

/** Ids, symbols and dates repeat: equal short texts that were read lately share one value in memory. */
const KEPT_MAX = 10_000
const KEPT_LENGTH_MAX = 36
const HALF = 2 ** 32

/** The bytes are not those of the expected record. */
export class UnreadableRecord extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnreadableRecord'
  }
}

/** Reads what a `Writer` has written. */
export class BinaryReader {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0
  #first = 0n
  /** The last instant and its difference from the first: several instants of a record are often equal. */
  #last = 0n
  #lastDifference = 0n
  readonly #ids: string[] = new Array<string>(REPEATABLE_MAX).fill('')
  #idCount = 0
  readonly #kept = new Map<string, string>()

  /** Reads one record from an offset to an end. */
  record<Value>(
    codec: { readonly read: (reader: BinaryReader) => Value },
    bytes: Buffer,
    at = 0,
    end = bytes.length,
  ): Value {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
    this.#first = 0n
    this.#lastDifference = 0n
    this.#idCount = 0
    let value: Value
    try {
      value = codec.read(this)
    } catch (cause) {
      throw cause instanceof UnreadableRecord ? cause : new UnreadableRecord('the record is too short', cause)
    }
    if (this.#at === end) return value
    const difference = end - this.#at
    throw new UnreadableRecord(
      difference < 0 ? 'the record is too short' : `${difference} bytes follow the last field of the record`,
    )
  }

  /** Reads records that are each after their length. */
  records<Value>(codec: { readonly read: (reader: BinaryReader) => Value }, bytes: Buffer): readonly Value[] {
    const values: Value[] = []
    for (let at = 0; at < bytes.length; at = this.#at) {
      this.#bytes = bytes
      this.#at = at
      const length = this.varint()
      const end = this.#at + length
      if (end > bytes.length) throw new UnreadableRecord(`a record of ${length} bytes does not fit`)
      values.push(this.record(codec, bytes, this.#at, end))
    }
    return values
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? tooShort()
  }

  varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? tooShort()
      value += (byte & 0x7f) * factor
      if (byte <= 0x7f) return value
    }
  }

  /** The number of entries of a list, each of at least one byte. */
  count(): number {
    const count = this.varint()
    if (count > this.#end - this.#at) throw new UnreadableRecord(`a list of ${count} entries does not fit`)
    return count
  }

  boolean(): boolean {
    return this.byte() === 1
  }

  text(): string {
    const head = this.varint()
    const length = head >>> 1
    if (length > this.#end - this.#at) throw new UnreadableRecord(`a text of ${length} bytes does not fit`)
    const at = this.#at
    this.#at = at + length
    return this.#keep(this.#bytes.toString(head & 1 ? 'utf16le' : 'utf8', at, at + length))
  }

  #keep(text: string): string {
    if (text.length > KEPT_LENGTH_MAX) return text
    const kept = this.#kept.get(text)
    if (kept !== undefined) return kept
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    this.#kept.set(text, text)
    return text
  }

  id(): string {
    const head = this.byte()
    if (head >= REPEATED) return this.#repeated(head - REPEATED)
    const id = head === OTHER ? this.text() : this.#uuid()
    if (this.#idCount < REPEATABLE_MAX) this.#ids[this.#idCount++] = id
    return id
  }

  #repeated(index: number): string {
    const id = index < this.#idCount ? this.#ids[index] : undefined
    if (id === undefined) throw new UnreadableRecord('an id repeats one that is not there')
    return id
  }

  #uuid(): string {
    const at = this.#at
    this.#at = at + UUID_BYTES
    return this.#keep(readUuid(this.#bytes, at))
  }

  hex(): string {
    const digits = this.varint()
    if (digits === 1) return this.text()
    const at = this.#at
    this.#at = at + digits / 2
    return this.#bytes.toString('hex', at, this.#at)
  }

  amount(): bigint {
    const head = this.#bytes[this.#at] ?? tooShort()
    const length = head & LENGTH_MASK
    if (length === 0) {
      this.#at += 1
      return 0n
    }
    if (length > 8) return this.#large()
    if (length <= 6 || head >= CENTS) return BigInt(this.integer())
    this.#halves(length)
    return integer64[0] ?? tooShort()
  }

  integer(): number {
    const head = this.#bytes[this.#at] ?? tooShort()
    const value = this.#number(head & LENGTH_MASK)
    return head >= UNITS ? value * UNIT : head >= CENTS ? value * CENT : value
  }

  #number(length: number): number {
    if (length === 0) {
      this.#at += 1
      return 0
    }
    this.#halves(length)
    return highHalf() * HALF + (lowHalf() >>> 0)
  }

  /** Reads an integer of at most eight bytes into `halves`. */
  #halves(length: number): void {
    const bytes = this.#bytes
    const at = this.#at
    this.#at = at + 1 + length
    let low = 0
    let high = 0
    for (let index = Math.min(length, 4); index > 0; index--)
      low = (low << 8) | (bytes[at + index] ?? tooShort())
    for (let index = length; index > 4; index--) high = (high << 8) | (bytes[at + index] ?? tooShort())
    const unused = (length > 4 ? 64 : 32) - 8 * length
    halves[0] = length > 4 ? low : (low << unused) >> unused
    halves[1] = length > 4 ? (high << unused) >> unused : halves[0] >> 31
  }

  #large(): bigint {
    const [bytes, start] = [this.#bytes, this.#at + 1]
    this.#at = start + ((bytes[this.#at] ?? tooShort()) & LENGTH_MASK)
    let value = (bytes[this.#at - 1] ?? tooShort()) > 0x7f ? -1n : 0n
    for (let at = this.#at - 1; at >= start; at--) value = (value << 8n) | BigInt(bytes[at] ?? tooShort())
    return value
  }

  instant(): bigint {
    if (this.#bytes[this.#at] === 0) {
      this.#at += 1
      return this.#first
    }
    const difference = this.amount()
    if (this.#first === 0n) return (this.#first = difference)
    if (difference === this.#lastDifference) return this.#last
    this.#lastDifference = difference
    return (this.#last = this.#first + difference)
  }

  date(): string {
    const packed = this.varint()
    return this.#keep(`${digits(packed >> 9, 4)}-${digits((packed >> 5) & 15, 2)}-${digits(packed & 31, 2)}`)
  }

  number(): number {
    this.#bytes.copy(float.bytes, 0, this.#at, this.#at + float.bytes.length)
    this.#at += float.bytes.length
    return float.value[0] ?? tooShort()
  }
}

/** V8 removes the check `?? tooShort()` of an index that is in range, so it costs nothing. */
function tooShort(): never {
  throw new UnreadableRecord('the record is too short')
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0')
