import {
  decodeTimestampExtension,
  Encoder,
  EXT_TIMESTAMP,
  ExtensionCodec,
  encodeTimeSpecToTimestamp,
} from '@msgpack/msgpack'
import type { Instant } from '@quipu/core'
import { epochSeconds, formatInstant, instantOfNanos, SECOND } from '@quipu/core/values'

/** An instant on a data stream: text in JSON, the timestamp extension in MessagePack. */
export class Timestamp {
  readonly at: Instant

  constructor(at: Instant) {
    this.at = at
  }

  toJSON(): string {
    return formatInstant(this.at)
  }
}

const extensionCodec = new ExtensionCodec()
extensionCodec.register({
  type: EXT_TIMESTAMP,
  encode: (value) => (value instanceof Timestamp ? timestampBytes(value.at) : null),
  decode: decodeTimestampExtension,
})
const encoder = new Encoder({ extensionCodec, ignoreUndefined: true })

/**
 * Encodes MessagePack as the clients of the protocol expect it: the shortest form of every integer, because some clients
 * read a 64-bit integer as another type; doubles only for non-integers; keys in insertion order.
 */
export const encodeMessagePack = (value: unknown): Uint8Array => encoder.encode(value)

/** Exact to the nanosecond, which a Date is not. */
function timestampBytes(at: Instant): Uint8Array {
  const sec = epochSeconds(at)
  return encodeTimeSpecToTimestamp({ sec, nsec: Number(at - BigInt(sec) * SECOND) })
}

/** A decoded value. Integers beyond 2^53 are bigints; maps have no prototype, so that no key is special. */
export type Decoded =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Timestamp
  | Extension
  | readonly Decoded[]
  | { readonly [key: string]: Decoded }

/** An extension type other than the timestamp. */
export class Extension {
  readonly type: number
  readonly data: Uint8Array

  constructor(type: number, data: Uint8Array) {
    this.type = type
    this.data = data
  }
}

/** The bytes are not MessagePack, or are nested too deeply. */
export class NotMessagePack extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotMessagePack'
  }
}

const DEPTH_MAX = 32

/** Decodes one value from all the bytes. Throws only `NotMessagePack`. */
export function decodeMessagePack(bytes: Uint8Array): Decoded {
  const reader = new Reader(bytes)
  const value = read(reader, 0)
  if (reader.left > 0) throw new NotMessagePack(`${reader.left} bytes after the value`)
  return value
}

function read(reader: Reader, depth: number): Decoded {
  if (depth > DEPTH_MAX) throw new NotMessagePack(`nested deeper than ${DEPTH_MAX} levels`)
  const tag = reader.number(1)
  if (tag < 0x80) return tag
  if (tag < 0x90) return readMap(reader, tag & 0x0f, depth)
  if (tag < 0xa0) return readArray(reader, tag & 0x0f, depth)
  if (tag < 0xc0) return reader.text(tag & 0x1f)
  if (tag >= 0xe0) return tag - 0x100
  const readTagged = tagged[tag]
  if (!readTagged) throw new NotMessagePack('0xc1 is never used')
  return readTagged(reader, depth)
}

/** The values whose format is in a whole byte. */
const tagged: Readonly<Record<number, (reader: Reader, depth: number) => Decoded>> = {
  192: () => null,
  194: () => false,
  195: () => true,
  196: (reader) => reader.bytes(reader.number(1)),
  197: (reader) => reader.bytes(reader.number(2)),
  198: (reader) => reader.bytes(reader.number(4)),
  199: (reader) => readExtension(reader, reader.number(1)),
  200: (reader) => readExtension(reader, reader.number(2)),
  201: (reader) => readExtension(reader, reader.number(4)),
  202: (reader) => reader.view(4).getFloat32(0),
  203: (reader) => reader.view(8).getFloat64(0),
  204: (reader) => reader.number(1),
  205: (reader) => reader.number(2),
  206: (reader) => reader.number(4),
  207: (reader) => plain(reader.view(8).getBigUint64(0)),
  208: (reader) => reader.view(1).getInt8(0),
  209: (reader) => reader.view(2).getInt16(0),
  210: (reader) => reader.view(4).getInt32(0),
  211: (reader) => plain(reader.view(8).getBigInt64(0)),
  212: (reader) => readExtension(reader, 1),
  213: (reader) => readExtension(reader, 2),
  214: (reader) => readExtension(reader, 4),
  215: (reader) => readExtension(reader, 8),
  216: (reader) => readExtension(reader, 16),
  217: (reader) => reader.text(reader.number(1)),
  218: (reader) => reader.text(reader.number(2)),
  219: (reader) => reader.text(reader.number(4)),
  220: (reader, depth) => readArray(reader, reader.number(2), depth),
  221: (reader, depth) => readArray(reader, reader.number(4), depth),
  222: (reader, depth) => readMap(reader, reader.number(2), depth),
  223: (reader, depth) => readMap(reader, reader.number(4), depth),
}

/** Every item has at least one byte, so a false length is detected before anything is allocated. */
function readArray(reader: Reader, length: number, depth: number): Decoded {
  reader.expect(length)
  const items: Decoded[] = []
  for (let index = 0; index < length; index++) items.push(read(reader, depth + 1))
  return items
}

function readMap(reader: Reader, length: number, depth: number): Decoded {
  reader.expect(2 * length)
  const map: Record<string, Decoded> = Object.create(null)
  for (let index = 0; index < length; index++) {
    const key = read(reader, depth + 1)
    if (typeof key !== 'string' && typeof key !== 'number')
      throw new NotMessagePack('a map key is neither text nor a number')
    map[key] = read(reader, depth + 1)
  }
  return map
}

function readExtension(reader: Reader, length: number): Decoded {
  const type = reader.view(1).getInt8(0)
  const data = reader.view(length)
  if (type !== -1) return new Extension(type, new Uint8Array(data.buffer, data.byteOffset, length).slice())
  if (length === 4) return timestamp(BigInt(data.getUint32(0)), 0n)
  if (length === 8) {
    const both = data.getBigUint64(0)
    return timestamp(both & 0x3_ffff_ffffn, both >> 34n)
  }
  if (length === 12) return timestamp(data.getBigInt64(4), BigInt(data.getUint32(0)))
  throw new NotMessagePack(`a timestamp of ${length} bytes`)
}

function timestamp(seconds: bigint, nanos: bigint): Timestamp {
  if (nanos > 999_999_999n) throw new NotMessagePack('a timestamp with more than a second of nanoseconds')
  return new Timestamp(instantOfNanos(seconds * 1_000_000_000n + nanos))
}

const plain = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

class Reader {
  readonly #bytes: Uint8Array
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#offset
  }

  expect(length: number): void {
    if (length > this.left) throw new NotMessagePack(`expected ${length} bytes, ${this.left} left`)
  }

  bytes(length: number): Uint8Array {
    return this.#take(length).slice()
  }

  view(length: number): DataView {
    const { buffer, byteOffset } = this.#take(length)
    return new DataView(buffer, byteOffset, length)
  }

  number(bytes: 1 | 2 | 4): number {
    let value = 0
    for (const byte of this.#take(bytes)) value = value * 0x100 + byte
    return value
  }

  text(length: number): string {
    const bytes = this.#take(length)
    try {
      return utf8.decode(bytes)
    } catch {
      throw new NotMessagePack('text that is not UTF-8')
    }
  }

  #take(length: number): Uint8Array {
    this.expect(length)
    this.#offset += length
    return this.#bytes.subarray(this.#offset - length, this.#offset)
  }
}
