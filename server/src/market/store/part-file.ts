import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { decodeBlock, encodeBlock } from './block.ts'
import { StoreChanged, StoreDamaged } from './failures.ts'
import { type BlockEntry, HEAD_BYTES, headBytes, indexBytes, readIndex } from './part-format.ts'
import { type Kind, type Rows, timeAt } from './rows.ts'

/** Bytes are handed to the disk in pieces of this size. */
const WRITE_BYTES = 1 << 20

/** Writes blocks into a new file; it is whole and on the disk once it is finished. */
export class PartWriter {
  readonly path: string
  readonly entries: BlockEntry[] = []
  #file: number
  #at = HEAD_BYTES
  #waiting: Buffer[] = [headBytes()]
  #waitingBytes = HEAD_BYTES
  readonly #hash = createHash('sha256')

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'wx', 0o600)
  }

  get bytes(): number {
    return this.#at
  }

  add(rows: Rows, from: number, to: number): void {
    const payload = Buffer.from(encodeBlock(rows, from, to))
    this.#push(payload, {
      rows: to - from,
      checksum: crc32(payload),
      first: timeAt(rows, from),
      last: timeAt(rows, to - 1),
    })
  }

  /** A block as it stands in another file. */
  copy(payload: Buffer, entry: BlockEntry): void {
    this.#push(payload, entry)
  }

  /** Answers the size and the SHA-256 of the file. */
  finish({ sync }: { readonly sync: boolean }): { readonly bytes: number; readonly sha256: string } {
    const index = indexBytes(this.entries, this.#at)
    this.#write(index)
    this.#flush()
    if (sync) fsyncSync(this.#file)
    closeSync(this.#file)
    return { bytes: this.#at + index.length, sha256: this.#hash.digest('hex') }
  }

  /** Gives the file up; it stays for whoever sweeps. */
  abandon(): void {
    closeSync(this.#file)
  }

  #push(payload: Buffer, about: Pick<BlockEntry, 'rows' | 'checksum' | 'first' | 'last'>): void {
    const { rows, checksum, first, last } = about
    this.entries.push({ at: this.#at, bytes: payload.length, rows, checksum, first, last })
    this.#at += payload.length
    this.#write(payload)
  }

  #write(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= WRITE_BYTES) this.#flush()
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting)
    this.#hash.update(bytes)
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#file, bytes, written, bytes.length - written)
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

/** A finished file, open for reading until it is closed. */
export class PartReader {
  readonly path: string
  readonly entries: readonly BlockEntry[]
  readonly #file: number

  constructor(path: string) {
    this.path = path
    this.#file = opened(path)
    try {
      const { size } = fstatSync(this.#file)
      this.entries = readIndex(path, size, (from, length) => this.#read(from, length))
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  /** The bytes of a block; they are what was written, or StoreDamaged is thrown. */
  payload(entry: BlockEntry): Buffer {
    const bytes = this.#read(entry.at, entry.bytes)
    if (bytes.length !== entry.bytes || crc32(bytes) !== entry.checksum)
      throw new StoreDamaged(this.path, entry.at, `the checksum of a block of ${entry.bytes} bytes differs`)
    return bytes
  }

  rows(kind: Kind, entry: BlockEntry): Rows {
    return decodeBlock(kind, this.payload(entry))
  }

  close(): void {
    closeSync(this.#file)
  }

  #read(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const taken = readSync(this.#file, bytes, filled, length - filled, from + filled)
      if (taken === 0) break
      filled += taken
    }
    return bytes.subarray(0, filled)
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new StoreChanged(path)
    throw error
  }
}
