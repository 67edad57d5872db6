/** Bytes that are being written; grows as needed. */
export class Sink {
  bytes = Buffer.allocUnsafe(1 << 16)
  at = 0

  /** Room for so many more. */
  reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + more))
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.at++] = value
  }

  double(value: number): void {
    this.reserve(8)
    this.at = this.bytes.writeDoubleLE(value, this.at)
  }

  varint(value: number): void {
    this.reserve(8)
    this.at = putVarint(this.bytes, this.at, value)
  }

  text(value: string): void {
    const length = Buffer.byteLength(value)
    this.varint(length)
    this.reserve(length)
    this.at += this.bytes.write(value, this.at)
  }
}

/** Bytes that are being read. */
export class Source {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  byte(): number {
    return this.bytes[this.at++]!
  }

  double(): number {
    this.at += 8
    return this.bytes.readDoubleLE(this.at - 8)
  }

  varint(): number {
    let [value, factor] = [0, 1]
    for (;;) {
      const byte = this.bytes[this.at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
  }

  text(): string {
    const length = this.varint()
    this.at += length
    return this.bytes.toString('utf8', this.at - length, this.at)
  }
}

/** Seven bits a byte, lowest first; up to 2^53, which takes eight bytes. Answers where the next one goes. */
export function putVarint(bytes: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest >= 0x10000000) {
    bytes[at++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  while (rest >= 128) {
    bytes[at++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

/** Whole numbers of either sign as whole numbers from 0 on, small ones staying small. */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

export const varintLength = (value: number): number =>
  value < 0x80
    ? 1
    : value < 0x4000
      ? 2
      : value < 0x200000
        ? 3
        : value < 0x10000000
          ? 4
          : value < 0x800000000
            ? 5
            : 7

/** Writes the differences of whole numbers to what was foretold. */
export function putDifferences(
  sink: Sink,
  values: Float64Array,
  foretold: Float64Array,
  count: number,
): void {
  sink.reserve(count * 8)
  const { bytes } = sink
  let at = sink.at
  for (let row = 0; row < count; row++) {
    const difference = values[row]! - foretold[row]!
    const value = difference < 0 ? -2 * difference - 1 : 2 * difference
    if (value < 128) bytes[at++] = value
    else at = putVarint(bytes, at, value)
  }
  sink.at = at
}

/** Reads differences; the caller adds what was foretold. */
export function takeDifferences(source: Source, values: Float64Array, count: number): void {
  const { bytes } = source
  let at = source.at
  for (let row = 0; row < count; row++) {
    let byte = bytes[at++]!
    let value = byte & 127
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = bytes[at++]!
      value += (byte & 127) * factor
    }
    values[row] = value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
  source.at = at
}
