import { missing } from '@quipu/core/values'
import { diskOperations, makeFolder, writeAll } from '../data-folder/file-operations.ts'
import { HashChain } from './chain.ts'
import type { JournalPosition } from './journal.ts'
import { type SegmentFile, segmentPath } from './segment-file.ts'
import { type JournalPiece, walk } from './walk.ts'

const CHUNK_BYTES = 1024 * 1024

export type CopyOptions = {
  /** The last durable event, when the journal is in use during the copy. */
  readonly upTo?: number | undefined
  /** Called regularly with the number of the last checked event. */
  readonly progress?: ((seq: number) => void) | undefined
  readonly segmentEvents?: number
}

/**
 * Copies the journal of a folder into another folder, which must not have one. Only checked records are copied. A
 * torn group at the end and preallocated space are omitted. Resolves when the copy is on disk.
 */
export async function copyJournal(
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<JournalPosition> {
  const chain = new HashChain(options.segmentEvents)
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

  async take({ file, bytes }: JournalPiece): Promise<void> {
    if (file !== this.#source) await this.#begin(file)
    this.#waiting.push(...bytes)
    for (const { length } of bytes) this.#waitingBytes += length
    if (this.#waitingBytes >= CHUNK_BYTES) await this.#flush()
  }

  /** Resolves when the whole file is on disk. */
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
    await writeAll(diskOperations, this.#file ?? missing('the file'), bytes, this.#at)
    this.#at += bytes.length
    this.#waiting = []
    this.#waitingBytes = 0
    this.#progress()
  }
}
