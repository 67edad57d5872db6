import { mapWithPauses } from '@quipu/broker/clock/long-work.ts'
import { LedgerLegShape } from '@quipu/contract'
import { cellsOf, csvLine } from '../wire/csv.ts'
import { eventToWire, matchingLegs } from '../wire/event-wire.ts'
import type { NumberedEvent } from '../wire/numbered-event.ts'
import { type ScannedJournal, type ScanQuery, scan } from './scan.ts'

/** A page of the events or postings of a journal: plain data, because a thread may read the page. */
export type JournalQuery = ScanQuery & {
  readonly list: 'events' | 'postings'
  readonly format: 'json' | 'csv' | 'ndjson'
}

export type JournalPage = {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The last scanned event. */
  readonly upTo: number
  /** The cursor of the next page. */
  readonly next: string | null
}

/** Events per batch. */
const TURN_EVENTS = 10

/** Reads one page. Its bytes share no memory with others, so a thread can transfer them. */
export async function readJournalPage(journal: ScannedJournal, query: JournalQuery): Promise<JournalPage> {
  const { found, upTo, isEnd } = await scan(journal, query)
  const next = isEnd ? null : `${upTo}`
  const rows = await mapWithPauses(found, TURN_EVENTS, rowsOf(query))
  return { bytes: new TextEncoder().encode(textOf(query, rows.flat(), next)), upTo, next }
}

/** Converts an event to its rows, each as text. */
function rowsOf({ list, format, filter }: JournalQuery): (event: NumberedEvent) => readonly string[] {
  if (list === 'events') return (event) => [JSON.stringify(eventToWire(event))]
  return (event) =>
    matchingLegs(event, filter.leg).map((leg) =>
      format === 'csv' ? csvLine(cellsOf(LEG_COLUMNS, leg)) : JSON.stringify(leg),
    )
}

const LEG_COLUMNS = Object.keys(LedgerLegShape.fields)

function textOf({ list, format }: JournalQuery, rows: readonly string[], next: string | null): string {
  if (format === 'csv') return csvLine(LEG_COLUMNS) + rows.join('')
  if (format === 'ndjson') return rows.map((row) => `${row}\n`).join('')
  return `{"${list}":[${rows}],"next_cursor":${JSON.stringify(next)}}`
}
