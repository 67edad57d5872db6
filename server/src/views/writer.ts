import type { Entry, Position } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import type { Projection } from './projection.ts'
import type { Tables } from './tables.ts'

export type WriterParts = {
  readonly tables: Tables
  readonly journalFolder: string
  readonly projection: Projection
  readonly batchEventsMax: number
}

/**
 * Brings tables and their replica of the state forward, reading the journal's files itself. The replica may begin
 * earlier than the tables: until it has come up to them it is fed, and nothing is written, since older rows would
 * hide newer ones.
 */
export class Writer {
  readonly #parts: WriterParts
  readonly #reader: JournalReader

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.#reader = new JournalReader(parts.journalFolder)
  }

  get position(): number {
    return this.#parts.tables.position
  }

  /** Goes on to a number that is durable, and yields after each batch; whoever stops asking stops it there. */
  async *follow(head: Position): AsyncGenerator<number> {
    const { tables, projection, batchEventsMax } = this.#parts
    for (const to of [Math.min(tables.position, head.seq), head.seq])
      for await (const batch of batches(this.#reader.read(projection.state.seq, to), batchEventsMax)) {
        const changes = projection.take(batch)
        if (changes.seq > tables.position)
          tables.write(changes, changes.seq === head.seq ? head.hash : undefined)
        yield changes.seq
      }
  }

  async close(): Promise<void> {
    await this.#reader.close()
    this.#parts.tables.close()
  }
}

/** Small groups are written together, large ones in pieces. */
async function* batches(
  groups: AsyncIterable<readonly Entry[]>,
  eventsMax: number,
): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = []
  for await (const group of groups)
    for (const entry of group) {
      batch.push(entry)
      if (batch.length < eventsMax) continue
      yield batch
      batch = []
    }
  if (batch.length > 0) yield batch
}
