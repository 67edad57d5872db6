import { epochSeconds, type Instant, SECOND } from '@quipu/core'
import { Timestamp } from './timestamp.ts'

/** A value that can be encoded. Undefined properties are omitted, as in JSON. */
export type Encodable =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Timestamp
  | readonly Encodable[]
  | { readonly [key: string]: Encodable }

const INITIAL_BYTES = 512
const UINT32_END = 0x1_0000_0000

/**
 * Encodes MessagePack as the clients of the protocol expect it: the shortest form of every integer, because some clients
 * read a 64-bit integer as another type; doubles only for non-integers; keys in insertion order.
 */
export function encodeMessagePack(value: Encodable): Buffer {
  const writer = new Writer()
  write(writer, value)
  return writer.written()
}

function write(writer: Writer, value: Encodable): void {
  if (value === null || value === undefined) writer.byte(0xc0)
  else if (typeof value === 'boolean') writer.byte(value ? 0xc3 : 0xc2)
  else if (typeof value === 'number') writeNumber(writer, value)
  else if (typeof value === 'bigint') writeBigint(writer, value)
  else if (typeof value === 'string') writeText(writer, value)
  else if (value instanceof Timestamp) writeTimestamp(writer, value.at)
  else if (value instanceof Uint8Array) {
    writer.header(BINARY, value.length)
    writer.bytes(value)
  } else if (Array.isArray(value)) {
    writer.header(ARRAY, value.length)
    for (const item of value) write(writer, item)
  } else writeMap(writer, value as { readonly [key: string]: Encodable })
}

function writeMap(writer: Writer, value: { readonly [key: string]: Encodable }): void {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  writer.header(MAP, keys.length)
  for (const key of keys) {
    writeText(writer, key)
    write(writer, value[key])
  }
}

function writeText(writer: Writer, text: string): void {
  const length = Buffer.byteLength(text)
  writer.header(TEXT, length)
  writer.text(text, length)
}

function writeNumber(writer: Writer, value: number): void {
  if (!Number.isSafeInteger(value)) writer.double(value)
  else if (value >= 0) writePositive(writer, value)
  else writeNegative(writer, value)
}

function writePositive(writer: Writer, value: number): void {
  if (value < 0x80) writer.byte(value)
  else if (value < 0x100) writer.tagged(0xcc, 1, value)
  else if (value < 0x1_0000) writer.tagged(0xcd, 2, value)
  else if (value < UINT32_END) writer.tagged(0xce, 4, value)
  else writer.wide(0xcf, BigInt(value))
}

function writeNegative(writer: Writer, value: number): void {
  if (value >= -0x20) writer.byte(value & 0xff)
  else if (value >= -0x80) writer.tagged(0xd0, 1, value & 0xff)
  else if (value >= -0x8000) writer.tagged(0xd1, 2, value & 0xffff)
  else if (value >= -0x8000_0000) writer.tagged(0xd2, 4, value >>> 0)
  else writer.wide(0xd3, BigInt.asUintN(64, BigInt(value)))
}

function writeBigint(writer: Writer, value: bigint): void {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER))
    writeNumber(writer, Number(value))
  else if (value > 0n && BigInt.asUintN(64, value) === value) writer.wide(0xcf, value)
  else if (value < 0n && BigInt.asIntN(64, value) === value) writer.wide(0xd3, BigInt.asUintN(64, value))
  else throw new RangeError(`bug: ${value} does not fit into 64 bits`)
}

/** The timestamp extension, in the shortest of its three forms that holds the instant. */
function writeTimestamp(writer: Writer, at: Instant): void {
  const seconds = epochSeconds(at)
  const nanos = Number(at - BigInt(seconds) * SECOND)
  if (seconds >= 0 && seconds < UINT32_END && nanos === 0) {
    writer.tagged(0xd6, 1, 0xff)
    writer.number(4, seconds)
  } else if (seconds >= 0 && seconds < 4 * UINT32_END) {
    writer.tagged(0xd7, 1, 0xff)
    writer.big((BigInt(nanos) << 34n) | BigInt(seconds))
  } else {
    writer.tagged(0xc7, 2, 0x0cff)
    writer.number(4, nanos)
    writer.big(BigInt.asUintN(64, BigInt(seconds)))
  }
}

/** The tags of a length: `fix` below `fixEnd`, otherwise with one, two or four bytes (0: not available). */
type LengthTags = {
  readonly fix: number
  readonly fixEnd: number
  readonly by: readonly [number, number, number]
}

const TEXT: LengthTags = { fix: 0xa0, fixEnd: 32, by: [0xd9, 0xda, 0xdb] }
const BINARY: LengthTags = { fix: 0, fixEnd: 0, by: [0xc4, 0xc5, 0xc6] }
const ARRAY: LengthTags = { fix: 0x90, fixEnd: 16, by: [0, 0xdc, 0xdd] }
const MAP: LengthTags = { fix: 0x80, fixEnd: 16, by: [0, 0xde, 0xdf] }

/** A buffer that grows as it is written. */
class Writer {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  #length = 0

  byte(value: number): void {
    const at = this.#reserve(1)
    this.#buffer[at] = value
  }

  number(bytes: 1 | 2 | 4, value: number): void {
    const at = this.#reserve(bytes)
    this.#buffer.writeUIntBE(value, at, bytes)
  }

  big(value: bigint): void {
    const at = this.#reserve(8)
    this.#buffer.writeBigUInt64BE(value, at)
  }

  tagged(tag: number, bytes: 1 | 2 | 4, value: number): void {
    this.byte(tag)
    this.number(bytes, value)
  }

  wide(tag: number, value: bigint): void {
    this.byte(tag)
    this.big(value)
  }

  double(value: number): void {
    this.byte(0xcb)
    const at = this.#reserve(8)
    this.#buffer.writeDoubleBE(value, at)
  }

  header({ fix, fixEnd, by: [one, two, four] }: LengthTags, length: number): void {
    if (length < fixEnd) this.byte(fix | length)
    else if (one && length < 0x100) this.tagged(one, 1, length)
    else if (length < 0x1_0000) this.tagged(two, 2, length)
    else this.tagged(four, 4, length)
  }

  text(text: string, length: number): void {
    const at = this.#reserve(length)
    this.#buffer.write(text, at)
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#buffer.set(bytes, at)
  }

  written(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Grows the buffer if necessary and returns the offset of the next bytes. */
  #reserve(bytes: number): number {
    const at = this.#length
    const end = at + bytes
    if (end > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, 2 * this.#buffer.length))
      this.#buffer.copy(grown, 0, 0, at)
      this.#buffer = grown
    }
    this.#length = end
    return at
  }
}
