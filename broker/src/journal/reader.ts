import { type FoundRecord, recordAt } from './find-record.ts'
import { type Entry, JournalDamaged } from './journal.ts'
import { entriesIn, HEADER_BYTES_MAX, parseFileHeader } from './record.ts'
import { listSegments, segmentPath } from './segment-file.ts'
import { JournalWindow } from './window.ts'

/** The position before a record: file, offset, and number of the event before it. */
type Cursor = { readonly window: JournalWindow; readonly offset: number; readonly seq: number }

/**
 * Reads the records of a journal that another thread may be writing. The caller names the last durable event. The
 * reader keeps its position, so that following the journal reads only new records. Only one read may run at a time.
 */
export class JournalReader {
  readonly #folder: string
  #cursor: Cursor | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The events after a number, up to a durable one. */
  async *read(after: number, to: number): AsyncGenerator<readonly Entry[]> {
    if (after >= to) return
    let cursor = await this.#seek(after)
    for (;;) {
      const { header, payload, end } = await this.#recordAt(cursor)
      cursor = this.#cursor!
      const last = cursor.seq + header.count
      const [start, stop] = [Math.max(0, after - cursor.seq), to - cursor.seq]
      if (last <= to) cursor = this.#cursor = { ...cursor, offset: end, seq: last }
      if (last > after) yield entriesIn(header, payload).slice(start, stop)
      if (last >= to) return
    }
  }

  async close(): Promise<void> {
    await this.#cursor?.window.close()
    this.#cursor = undefined
  }

  async #seek(after: number): Promise<Cursor> {
    if (this.#cursor && this.#cursor.seq <= after) {
      this.#cursor.window.forget()
      return this.#cursor
    }
    const file = (await listSegments(this.#folder)).findLast(({ first }) => first <= after + 1)
    return this.#enter(file?.first ?? after + 1)
  }

  async #enter(first: number): Promise<Cursor> {
    await this.close()
    const path = segmentPath(this.#folder, first)
    const window = await JournalWindow.open(path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? damaged(path, 0, first, 'the file is missing') : error
    })
    this.#cursor = { window, offset: 0, seq: first - 1 }
    const header = parseFileHeader(await window.at(0, HEADER_BYTES_MAX), path)
    if (!header) throw damaged(path, 0, first, 'the header of the file does not match')
    this.#cursor = { window, offset: header.bytes, seq: first - 1 }
    return this.#cursor
  }

  async #recordAt(place: Cursor): Promise<FoundRecord> {
    const { window, offset, seq } = place
    const found = await recordAt(window, offset)
    if (found.kind === 'record' && found.header.first === seq + 1) return found
    const hasNext = found.kind === 'blank' && window.path !== segmentPath(this.#folder, seq + 1)
    if (hasNext) return this.#recordAt(await this.#enter(seq + 1))
    throw damaged(
      window.path,
      offset,
      seq + 1,
      found.kind === 'bad' ? found.reason : 'a record is missing here',
    )
  }
}

function damaged(file: string, offset: number, from: number, reason: string): JournalDamaged {
  return new JournalDamaged({ from, file, offset, reason })
}
