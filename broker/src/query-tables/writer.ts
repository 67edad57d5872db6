import { setTimeout as sleep } from 'node:timers/promises'
import type { Order } from '@quipu/core'
import type { Entry, JournalPosition } from '../journal/journal.ts'
import type { Changes, EventProjection, OrderKey } from './projection.ts'
import type { TablesState } from './sqlite/tables.ts'

type Awaitable<Value> = Value | Promise<Value>

/** The query tables of one world, for the one thread that writes them. */
export interface WritableTables {
  readonly position: number
  tablesState(): Awaitable<TablesState>
  /** The stored records of orders. */
  orders(keys: readonly OrderKey[]): Awaitable<readonly Order[]>
  /** Writes rows, position and, if known, the journal hash in one transaction. */
  write(changes: Changes, hash?: string): Awaitable<void>
  /** Makes all written rows durable. */
  sync(): void
  close(): Awaitable<void>
}

/** Reads a journal that another thread is writing. */
export interface EventReader {
  /** The events after a number, up to a durable one. */
  read(after: number, to: number): AsyncIterable<readonly Entry[]>
  close(): Promise<void>
}

export type WriterParts = {
  readonly tables: WritableTables
  readonly reader: EventReader
  readonly projection: EventProjection
  readonly batchEventsMax: number
  /** Whether to retry a failed write: the disk was full and the query tables are not closing. */
  readonly isWorthRetrying?: (error: unknown) => boolean
  /** Called once for each write that must be retried. */
  readonly onRetry?: (error: unknown) => void
}

/** Pause between two attempts to write to a full disk. */
const RETRY_MS = 500

/**
 * Updates the tables from the journal. The projection may start behind the tables. Until it catches up, nothing is
 * written, because older rows would overwrite newer ones.
 */
export class TablesWriter {
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  get position(): number {
    return this.#parts.tables.position
  }

  /** Processes events up to a durable number and yields after each batch. The caller may stop after any batch. */
  async *follow(head: JournalPosition): AsyncGenerator<number> {
    const { tables, projection, reader, batchEventsMax } = this.#parts
    for (const to of [Math.min(tables.position, head.seq), head.seq])
      for await (const batch of batches(reader.read(projection.seq, to), batchEventsMax)) {
        const changes = await projection.take(batch)
        if (changes.seq > tables.position)
          await this.#write(changes, changes.seq === head.seq ? head.hash : undefined)
        yield changes.seq
      }
  }

  /** Retries on a full disk, because the tables can still be read meanwhile. */
  async #write(changes: Changes, hash: string | undefined): Promise<void> {
    for (let tries = 0; ; tries++)
      try {
        return await this.#parts.tables.write(changes, hash)
      } catch (error) {
        if (!this.#parts.isWorthRetrying?.(error)) throw error
        if (tries === 0) this.#parts.onRetry?.(error)
        await sleep(RETRY_MS)
      }
  }

  async close(): Promise<void> {
    await this.#parts.reader.close()
    await this.#parts.tables.close()
  }
}

/** Joins small groups and splits large ones. */
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
