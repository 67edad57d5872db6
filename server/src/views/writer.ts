import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry, Position } from '../journal/journal.ts'
import type { Changes, Projection } from './projection.ts'
import type { Standing } from './tables.ts'

type Awaitable<Value> = Value | Promise<Value>

/** The query tables of one world, for the one thread that writes them. */
export interface WritableTables {
  readonly position: number
  standing(): Awaitable<Standing>
  /** Rows and position, and the journal's hash there if it is known, all or none. */
  write(changes: Changes, hash?: string): Awaitable<void>
  /** What was written so far would survive a power cut. */
  sync(): void
  close(): Awaitable<void>
}

/** Reads a journal that is being written meanwhile. */
export interface EventReader {
  /** The events after a number, up to one that is durable. */
  read(after: number, to: number): AsyncIterable<readonly Entry[]>
  close(): Promise<void>
}

export type WriterParts = {
  readonly tables: WritableTables
  readonly reader: EventReader
  readonly projection: Projection
  readonly batchEventsMax: number
  /** Whether to try a failed write again, because the disk was full and nobody asks to stop. */
  readonly isWorthRetrying?: (error: unknown) => boolean
}

/** Between two attempts to write to a full disk. */
const RETRY_MS = 500

/**
 * Brings tables and their replica of the state forward, reading the journal itself. The replica may begin
 * earlier than the tables: until it has come up to them it is fed, and nothing is written, since older rows would
 * hide newer ones.
 */
export class Writer {
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  get position(): number {
    return this.#parts.tables.position
  }

  /** Goes on to a number that is durable, and yields after each batch; whoever stops asking stops it there. */
  async *follow(head: Position): AsyncGenerator<number> {
    const { tables, projection, reader, batchEventsMax } = this.#parts
    for (const to of [Math.min(tables.position, head.seq), head.seq])
      for await (const batch of batches(reader.read(projection.state.seq, to), batchEventsMax)) {
        const changes = projection.take(batch)
        if (changes.seq > tables.position)
          await this.#write(changes, changes.seq === head.seq ? head.hash : undefined)
        yield changes.seq
      }
  }

  /** Tables that cannot be written for a while can still be read: a full disk does not end them. */
  async #write(changes: Changes, hash: string | undefined): Promise<void> {
    for (;;)
      try {
        return await this.#parts.tables.write(changes, hash)
      } catch (error) {
        if (!this.#parts.isWorthRetrying?.(error)) throw error
        await sleep(RETRY_MS)
      }
  }

  async close(): Promise<void> {
    await this.#parts.reader.close()
    await this.#parts.tables.close()
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
