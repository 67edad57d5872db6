import { diskOperations, type FileOperations, makeFolder } from '../data-folder/file-operations.ts'
import { type AppendFile, createAppendFile, reopenAppendFile, UnknownOutcome } from './append-file.ts'
import { HashChain } from './chain.ts'
import { EventGroup } from './group.ts'
import type { JournalSource } from './journal.ts'
import { AppendFailed, type Entry, type Journal, type JournalPosition, type Recovered } from './journal.ts'
import { ChainedJournal } from './memory.ts'
import { JournalReader } from './reader.ts'
import { recordOf } from './record.ts'
import { walk } from './walk.ts'

export type FilesOptions = {
  /** For tests only; the default is part of the format. */
  readonly segmentEvents?: number
  readonly operations?: FileOperations
  /** Called with the checked journal, before anything is written. If it throws, the folder stays unchanged. */
  readonly onChecked?: ((journal: CheckedJournal) => Promise<void>) | undefined
}

/** A sound journal: its last event, and the file that ends with torn bytes, if any. */
export type CheckedJournal = { readonly head: JournalPosition; readonly tornFile?: string }

/** A journal in its own folder. `recovered` is the torn group that opening cut off. */
export type FilesJournal = Journal & { readonly recovered?: Recovered }

/** Checks every record, cuts off a torn group at the end, and syncs the remaining records to disk. */
export async function openFilesJournal(folder: string, options: FilesOptions = {}): Promise<FilesJournal> {
  const { operations = diskOperations, segmentEvents } = options
  const chain = new HashChain(segmentEvents)
  const last = await walk(folder, chain)
  await options.onChecked?.({ head: chain.position, ...(last?.tornBytes ? { tornFile: last.path } : {}) })
  await makeFolder(operations, folder)
  const current = last && (await reopenAppendFile(operations, folder, last))
  const journal = new Files({ folder, operations, chain, current })
  return last?.tornBytes ? Object.assign(journal, { recovered: { cutBytes: last.tornBytes } }) : journal
}

type JournalFilesParts = {
  readonly folder: string
  readonly operations: FileOperations
  readonly chain: HashChain
  readonly current: AppendFile | undefined
}

class Files extends ChainedJournal {
  readonly source: JournalSource
  readonly #folder: string
  readonly #operations: FileOperations
  #current: AppendFile | undefined
  #appending: Promise<void> | undefined

  constructor({ folder, operations, chain, current }: JournalFilesParts) {
    super(chain)
    this.#folder = folder
    this.source = { folder }
    this.#operations = operations
    this.#current = current
  }

  async append(entries: readonly Entry[] | EventGroup): Promise<void> {
    const group = entries instanceof EventGroup ? entries : EventGroup.of(entries)
    if (this.closedBecause) throw new AppendFailed(true, 'the journal is closed', this.closedBecause)
    if (this.#appending)
      throw new AppendFailed(true, 'bug: a group was appended before the last one was stored')
    if (group.count === 0) return
    this.#appending = this.#store(group)
    try {
      await this.#appending
    } catch (cause) {
      this.closedBecause = cause
      await this.#current?.close().catch(() => {})
      throw new AppendFailed(!(cause instanceof UnknownOutcome), 'the group could not be stored', cause)
    } finally {
      this.#appending = undefined
    }
  }

  async close(): Promise<void> {
    await this.#appending?.catch(() => {})
    if (this.closedBecause) return
    this.closedBecause = 'closed'
    await this.#current?.close()
  }

  async #store(group: EventGroup): Promise<void> {
    const { count } = group
    const { bytes, open } = recordOf(this.chain.seq + 1, group)
    const file = await this.#fileForNext()
    await file.append(bytes)
    this.chain.update(open, count)
  }

  // A group is never split: a group that starts in this segment is stored in this file, even if it ends in the next
  // one.
  async #fileForNext(): Promise<AppendFile> {
    const chain = this.chain
    if (this.#current && Math.floor(this.#current.after / chain.segmentEvents) === chain.segment) {
      return this.#current
    }
    const next = await createAppendFile(this.#operations, this.#folder, chain.seq, chain.seed())
    const finished = this.#current
    this.#current = next
    await finished?.close()
    return next
  }

  protected readonly readRange = (after: number, to: number) => readBetween(this.#folder, after, to)
}

// Opens its own files, because forks still read after the journal is closed.
async function* readBetween(folder: string, after: number, to: number): AsyncGenerator<readonly Entry[]> {
  const reader = new JournalReader(folder)
  try {
    yield* reader.read(after, to)
  } finally {
    await reader.close()
  }
}
