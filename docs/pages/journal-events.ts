import { brokerEvents } from '../../core/src/events.ts'
import { eventKinds } from '../../server/src/journal/event-kinds.table.ts'

/** The schemas of all events for other programs, in the order of their numbers. */
export function journalEvents(): string {
  const lines = eventKinds.map((kind) => JSON.stringify({ kind, fields: brokerEvents[kind].fields }))
  return `[\n${lines.join(',\n')}\n]\n`
}
