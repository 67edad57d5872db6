import { diskOperations, makeFolder, writeAll } from '../process/file-operations.ts'
import { Chain } from './chain.ts'
import type { Position } from './journal.ts'
import { type SegmentFile, segmentPath } from './segment-file.ts'
import { type Piece, walk } from './walk.ts'

const CHUNK_BYTES = 1024 * 1024

export type CopyOptions = {
  /** The last durable event, where the journal is being written meanwhile. */
  readonly upTo?: number | undefined
  /** Called now and then with the number of the last event that was checked. */
  readonly progress?: ((seq: number) => void) | undefined
  readonly segmentEvents?: number
}

/**
 * Writes the journal of one folder into another, which must have none. What arrives is what was checked: records,
 * their order and the chain of hashes; a torn group at the end and space that waits for records stay behind. It
 * resolves when all of it is on the disk.
 */
export async function copyJournal(from: string, to: string, options: CopyOptions = {}): Promise<Position> {
  const chain = new Chain(options.segmentEvents)
  await makeFolder(diskOperations, to)
  const copy = new Copy(to, () => options.progress?.(chain.seq))
  try {
    await walk(from, chain, options.upTo, (piece) => copy.take(piece))
    await copy.endFile()
  } finally {
    await copy.close()
  }
  await diskOperations.syncFolder(to)
  return chain.position
}

class Copy {
  readonly #folder: string
  readonly #progress: () => void
  #source: SegmentFile | undefined
  #file: number | undefined
  #at = 0
  #waiting: Buffer[] = []
  #waitingBytes = 0

  constructor(folder: string, progress: () => void) {
    this.#folder = folder
    this.#progress = progress
  }

  async take({ file, bytes }: Piece): Promise<void> {
    if (file !== this.#source) await this.#begin(file)
    this.#waiting.push(...bytes)
    for (const { length } of bytes) this.#waitingBytes += length
    if (this.#waitingBytes >= CHUNK_BYTES) await this.#flush()
  }

  /** All of the file is on the disk. */
  async endFile(): Promise<void> {
    if (this.#file === undefined) return
    await this.#flush()
    await diskOperations.sync(this.#file)
    await this.close()
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) await diskOperations.close(file)
  }

  async #begin(source: SegmentFile): Promise<void> {
    await this.endFile()
    this.#source = source
    this.#file = await diskOperations.open(segmentPath(this.#folder, source.first), 'wx')
    this.#at = 0
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting)
    await writeAll(diskOperations, this.#file!, bytes, this.#at)
    this.#at += bytes.length
    this.#waiting = []
    this.#waitingBytes = 0
    this.#progress()
  }
}
