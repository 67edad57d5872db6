import { brokerEvents } from '../../core/src/events.ts'
import { eventKinds } from '../../server/src/journal/event-kinds.table.ts'

/** The schemas of all events for other programs, in the order of their numbers. */
export function journalEvents(): string {
  const schemas = eventKinds.map((kind) => brokerEvents.find(({ constant }) => constant.value === kind)!)
  const lines = schemas.map(({ fields, constant }) => JSON.stringify({ kind: constant.value, fields }))
  return `[\n${lines.join(',\n')}\n]\n`
}
