import { crc32 } from 'node:zlib'
import { StoreDamaged, StoreNewer } from './failures.ts'
import type { Time } from './rows.ts'

/**
 * A part holds the blocks of a stretch of one series:
 * head: 8 bytes of mark, format version (4), 4 of zero · each block's bytes, one after the other · for each block 40
 * bytes in the index: where it begins (8), its length, rows and CRC-32 (4 each), the nanoseconds below the microsecond
 * of its first and last row (2 each), the microseconds (8 each) · foot: where the index begins (8), blocks (4), CRC-32
 * of the index (4), 8 bytes of mark. Numbers are little-endian, those of 8 bytes doubles.
 */
export const PART_FORMAT = 1
const HEAD_MARK = 'QUIPUMKT'
const FOOT_MARK = 'QUIPUEND'
export const HEAD_BYTES = 16
const ENTRY_BYTES = 40
const FOOT_BYTES = 24

export type BlockEntry = {
  readonly at: number
  readonly bytes: number
  readonly rows: number
  readonly checksum: number
  readonly first: Time
  readonly last: Time
}

export function headBytes(): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES)
  bytes.write(HEAD_MARK, 'latin1')
  bytes.writeUInt32LE(PART_FORMAT, 8)
  return bytes
}

/** The index of blocks and the foot behind it. */
export function indexBytes(entries: readonly BlockEntry[], at: number): Buffer {
  const length = entries.length * ENTRY_BYTES
  const bytes = Buffer.alloc(length + FOOT_BYTES)
  for (const [number, entry] of entries.entries()) putEntry(bytes, number * ENTRY_BYTES, entry)
  bytes.writeDoubleLE(at, length)
  bytes.writeUInt32LE(entries.length, length + 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, length)), length + 12)
  bytes.write(FOOT_MARK, length + 16, 'latin1')
  return bytes
}

function putEntry(bytes: Buffer, at: number, entry: BlockEntry): void {
  bytes.writeDoubleLE(entry.at, at)
  bytes.writeUInt32LE(entry.bytes, at + 8)
  bytes.writeUInt32LE(entry.rows, at + 12)
  bytes.writeUInt32LE(entry.checksum, at + 16)
  bytes.writeUInt16LE(entry.first.nanos, at + 20)
  bytes.writeUInt16LE(entry.last.nanos, at + 22)
  bytes.writeDoubleLE(entry.first.micros, at + 24)
  bytes.writeDoubleLE(entry.last.micros, at + 32)
}

/** Bytes `from` up to `to` of a file; fewer where it ends. */
export type ReadBytes = (from: number, length: number) => Buffer

/** Checks head and foot and reads the index. Throws StoreDamaged and StoreNewer. */
export function readIndex(file: string, size: number, read: ReadBytes): readonly BlockEntry[] {
  if (size < HEAD_BYTES + FOOT_BYTES) throw new StoreDamaged(file, size, 'the file ends too early')
  const head = read(0, HEAD_BYTES)
  if (head.toString('latin1', 0, 8) !== HEAD_MARK) throw new StoreDamaged(file, 0, 'not a file of the store')
  const format = head.readUInt32LE(8)
  if (format > PART_FORMAT) throw new StoreNewer(file, format, PART_FORMAT)
  const foot = read(size - FOOT_BYTES, FOOT_BYTES)
  const [at, count] = [foot.readDoubleLE(0), foot.readUInt32LE(8)]
  const isWhole =
    foot.toString('latin1', 16) === FOOT_MARK &&
    at + count * ENTRY_BYTES + FOOT_BYTES === size &&
    at >= HEAD_BYTES
  if (!isWhole) throw new StoreDamaged(file, size - FOOT_BYTES, 'the end of the file is not what was written')
  const index = read(at, count * ENTRY_BYTES)
  if (crc32(index) !== foot.readUInt32LE(12))
    throw new StoreDamaged(file, at, 'the checksum of the index differs')
  return Array.from({ length: count }, (_, number) => entryAt(index, number * ENTRY_BYTES))
}

const entryAt = (bytes: Buffer, at: number): BlockEntry => ({
  at: bytes.readDoubleLE(at),
  bytes: bytes.readUInt32LE(at + 8),
  rows: bytes.readUInt32LE(at + 12),
  checksum: bytes.readUInt32LE(at + 16),
  first: { micros: bytes.readDoubleLE(at + 24), nanos: bytes.readUInt16LE(at + 20) },
  last: { micros: bytes.readDoubleLE(at + 32), nanos: bytes.readUInt16LE(at + 22) },
})
