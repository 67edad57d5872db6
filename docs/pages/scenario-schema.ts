import { scenarioSchema } from '@quipu/contract'
import { eventKinds } from '../../broker/src/journal/event-kinds.table.ts'
import { brokerEvents } from '../../core/src/events.ts'

export const scenarioSchemaPage = (): string => `${JSON.stringify(scenarioSchema(), undefined, 2)}\n`

/** The schemas of all events for other programs, in the order of their numbers. */
export function journalEvents(): string {
  const lines = eventKinds.map((kind) => JSON.stringify({ kind, fields: brokerEvents[kind].fields }))
  return `[\n${lines.join(',\n')}\n]\n`
}
