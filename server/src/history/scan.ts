import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { Journal, JournalPosition } from '@quipu/broker/journal/journal.ts'
import {
  type Filter,
  isWanted,
  mayBeWanted,
  type NumberedEvent,
  numberedEntry,
} from '../wire/numbered-event.ts'

export type Scanned = {
  readonly found: readonly NumberedEvent[]
  /** The last scanned event. */
  readonly upTo: number
  /** Whether all durable events are scanned. */
  readonly isEnd: boolean
}

/** The events of a journal, and the number of its last durable event. */
export type ScannedJournal = Pick<Journal, 'read'> & { head(): Pick<JournalPosition, 'seq'> }

export type ScanQuery = {
  readonly after: number
  readonly limit: number
  readonly scanMax: number
  readonly filter: Filter
}

/** Entries per batch, skipped or read; other requests run between batches. */
const SKIPPED_MAX = 2_000
const READ_MAX = 20

/**
 * Scans the journal after a number until `limit` events are found, `scanMax` events are scanned, or the journal ends.
 * Scans only durable events.
 */
export async function scan(
  journal: ScannedJournal,
  { after, limit, scanMax, filter }: ScanQuery,
): Promise<Scanned> {
  const found: NumberedEvent[] = []
  const isCandidate = mayBeWanted(filter)
  let upTo = after
  let cost = 0
  await pauseWork()
  for await (const entries of journal.read(after)) {
    for (const entry of entries) {
      upTo += 1
      cost += 1 / SKIPPED_MAX
      if (isCandidate(entry)) {
        cost += 1 / READ_MAX
        const event = numberedEntry(upTo, entry)
        if (isWanted(event, filter)) found.push(event)
      }
      if (found.length >= limit || upTo - after >= scanMax)
        return { found, upTo, isEnd: upTo >= journal.head().seq }
      if (cost < 1) continue
      cost = 0
      await pauseWork()
    }
  }
  return { found, upTo, isEnd: true }
}
