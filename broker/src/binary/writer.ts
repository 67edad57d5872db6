import { missing } from '@quipu/core/values'
import { HEX_BYTES_MAX, UUID_BYTES, writeHex, writeUuid } from './hex.ts'

/** A shorter text is copied character by character; for a longer one a native call is faster. */
const SHORT_LENGTH = 64
const ASCII_MAX = 0x7f
const VARINT_BYTES_MAX = 8
/** A larger number needs more than one byte. */
const ONE_BYTE_MAX = 0x7f
/** Length of a 64-bit integer or floating-point number. */
const INTEGER_BYTES = 8

/** Head byte of an id: a UUID, another text, or the first of the ids that a record may repeat. */
export const [UUID, OTHER, REPEATED] = [0, 1, 2] as const
/** How many ids in a record can be repeated with one byte. */
export const REPEATABLE_MAX = 16

/** An amount is stored without a factor, in cents or in units, whichever is the largest that divides it. */
export const [CENT, UNIT] = [1e7, 1e9] as const
/** The head byte of an amount: its factor in the upper two bits, its length in the others. */
export const [CENTS, UNITS, LENGTH_MASK] = [0x40, 0x80, 0x3f] as const

/** A 64-bit integer and its halves, the lower one first, in the same memory. */
export const integer64 = new BigInt64Array(1)
export const halves = new Int32Array(integer64.buffer)
export const lowHalf = (): number => halves[0] ?? missing('the lower half')
export const highHalf = (): number => halves[1] ?? missing('the higher half')
const HALF = 2 ** 32

const float64 = new Float64Array(1)
export const float = { value: float64, bytes: Buffer.from(float64.buffer) } as const

/** Writes values one after another into a buffer that grows. `docs/internals/journal.md` specifies the bytes. */
export class BinaryWriter {
  bytes: Buffer = Buffer.alloc(0)
  end = 0
  /** The first instant of the current record; later ones are stored as differences from it. */
  #first = 0n
  readonly #ids: string[] = new Array<string>(REPEATABLE_MAX).fill('')
  #idCount = 0

  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.end + count))
    this.bytes.copy(larger, 0, 0, this.end)
    this.bytes = larger
  }

  /** The bytes of one record, in a buffer of their own. Overwrites everything that was written before. */
  record<Value>(
    codec: { readonly write: (writer: BinaryWriter, value: Value) => void },
    value: Value,
  ): Buffer {
    this.end = 0
    this.#begin()
    codec.write(this, value)
    return Buffer.from(this.bytes.subarray(0, this.end))
  }

  /** The bytes of records, each after its length. Overwrites everything that was written before. */
  records<Value>(
    codec: { readonly write: (writer: BinaryWriter, value: Value) => void },
    values: Iterable<Value>,
  ): Buffer {
    this.end = 0
    for (const value of values) this.part(() => codec.write(this, value))
    return Buffer.from(this.bytes.subarray(0, this.end))
  }

  /** A record: the number of its bytes, and what `write` writes. */
  part(write: (writer: BinaryWriter) => void): void {
    const start = this.end
    this.byte(0)
    this.#begin()
    write(this)
    const length = this.end - start - 1
    if (length <= ONE_BYTE_MAX) {
      this.bytes[start] = length
      return
    }
    const moved = start + (length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : length < 1 << 28 ? 4 : 5)
    this.reserve(VARINT_BYTES_MAX)
    this.bytes.copyWithin(moved, start + 1, this.end)
    this.end = start
    this.varint(length)
    this.end = moved + length
  }

  #begin(): void {
    this.#first = 0n
    this.#idCount = 0
  }

  copy(bytes: Buffer): void {
    this.reserve(bytes.length)
    this.end += bytes.copy(this.bytes, this.end)
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.end++] = value
  }

  /** A whole number below 2^53, seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.reserve(VARINT_BYTES_MAX)
    let rest = value
    for (; rest > ONE_BYTE_MAX; rest = Math.floor(rest / 128)) this.bytes[this.end++] = (rest % 128) | 0x80
    this.bytes[this.end++] = rest
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0)
  }

  /** Twice the number of bytes, and the text in UTF-8; for a text with half a character, one more, and UTF-16. */
  text(text: string): void {
    if (text.length < SHORT_LENGTH && this.#ascii(text)) return
    const encoding = text.isWellFormed() ? 'utf8' : 'utf16le'
    const length = Buffer.byteLength(text, encoding)
    this.varint(2 * length + (encoding === 'utf8' ? 0 : 1))
    this.reserve(length)
    this.end += this.bytes.write(text, this.end, encoding)
  }

  #ascii(text: string): boolean {
    const { length } = text
    this.reserve(1 + length)
    const { bytes, end } = this
    bytes[end] = 2 * length
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code > ASCII_MAX) return false
      bytes[end + 1 + at] = code
    }
    this.end = end + 1 + length
    return true
  }

  id(text: string): void {
    const ids = this.#ids
    const count = this.#idCount
    for (let at = 0; at < count; at++) if (ids[at] === text) return this.byte(REPEATED + at)
    if (count < REPEATABLE_MAX) ids[this.#idCount++] = text
    this.reserve(1 + UUID_BYTES)
    if (writeUuid(text, this.bytes, this.end + 1)) {
      this.bytes[this.end] = UUID
      this.end += 1 + UUID_BYTES
      return
    }
    this.byte(OTHER)
    this.text(text)
  }

  /** The number of digits, always even, and the bytes. For any other text, a 1 and the text. */
  hex(text: string): void {
    const start = this.end
    this.varint(text.length)
    this.reserve(HEX_BYTES_MAX)
    if (writeHex(text, this.bytes, this.end)) {
      this.end += text.length / 2
      return
    }
    this.end = start
    this.varint(1)
    this.text(text)
  }

  amount(value: bigint): void {
    const number = Number(value)
    if (Number.isSafeInteger(number)) return this.integer(number)
    integer64[0] = value
    if (integer64[0] === value) this.#signed(0, lowHalf(), highHalf())
    else this.#large(value)
  }

  integer(value: number): void {
    if (value === 0) return this.byte(0)
    if (!Number.isSafeInteger(value)) throw new Error(`bug: ${value} cannot be stored as an integer`)
    const cents = value / CENT
    if (!Number.isInteger(cents)) return this.#signed(0, value | 0, Math.floor(value / HALF))
    const units = value / UNIT
    if (Number.isInteger(units)) this.#signed(UNITS, units | 0, Math.floor(units / HALF))
    else this.#signed(CENTS, cents | 0, Math.floor(cents / HALF))
  }

  #signed(factor: number, low: number, high: number): void {
    const head = this.end
    this.reserve(1 + INTEGER_BYTES)
    this.end = head + 1
    this.#shortest(low, high)
    this.bytes[head] = factor | (this.end - head - 1)
  }

  #large(value: bigint): void {
    const head = this.end
    this.byte(0)
    let rest = value
    for (; BigInt.asIntN(64, rest) !== rest; rest >>= 64n) {
      integer64[0] = rest
      this.reserve(INTEGER_BYTES)
      this.bytes.writeInt32LE(lowHalf(), this.end)
      this.bytes.writeInt32LE(highHalf(), this.end + 4)
      this.end += INTEGER_BYTES
    }
    integer64[0] = rest
    this.reserve(INTEGER_BYTES)
    this.#shortest(lowHalf(), highHalf())
    const length = this.end - head - 1
    if (length > LENGTH_MASK) throw new Error(`bug: an amount of ${length} bytes cannot be stored`)
    this.bytes[head] = length
  }

  /** Two's complement in the fewest bytes, the lowest first. */
  #shortest(low: number, high: number): void {
    const { bytes, end } = this
    bytes[end] = low
    bytes[end + 1] = low >> 8
    bytes[end + 2] = low >> 16
    bytes[end + 3] = low >> 24
    if (high === low >> 31) {
      this.end = end + lengthOf(low)
      return
    }
    bytes[end + 4] = high
    bytes[end + 5] = high >> 8
    bytes[end + 6] = high >> 16
    bytes[end + 7] = high >> 24
    this.end = end + 4 + lengthOf(high)
  }

  /** The first instant of a record as an amount, later ones as differences from it. */
  instant(value: bigint): void {
    if (value === this.#first) return this.byte(0)
    this.amount(value - this.#first)
    if (this.#first === 0n) this.#first = value
  }

  /** Year, month and day in one number: 512 times the year, plus 32 times the month, plus the day. */
  date(text: string): void {
    const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8)]
    this.varint((Number(year) << 9) | (Number(month) << 5) | Number(day))
  }

  number(value: number): void {
    float.value[0] = value
    this.reserve(INTEGER_BYTES)
    float.bytes.copy(this.bytes, this.end)
    this.end += INTEGER_BYTES
  }
}

const lengthOf = (value: number): number =>
  value === (value << 24) >> 24 ? 1 : value === (value << 16) >> 16 ? 2 : value === (value << 8) >> 8 ? 3 : 4
