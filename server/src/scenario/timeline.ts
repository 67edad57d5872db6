import type { JournalEventRecord } from '@quipu/contract'
import type { ReadJournal } from './journal.ts'

/** Something that happened, by the clock of the world. */
export type TimelineLine = {
  readonly at: string
  /** A step of the scenario, or an event of the journal. */
  readonly source: 'step' | 'event'
  readonly what: string
}

/** A line of a step, after the events up to this number. */
export type StepLine = { readonly at: string; readonly after: number; readonly what: string }

/** Events before the first step, and those that say nothing about trading. */
const hidden =
  /^(worldOpened|partnerAdded|accountOpened|key\w+|app\w+|job\w+|signingKeyStored|issuer\w+|behaviourSet)$/
const alsoHidden =
  /^(listingsChanged|custodyAccountSet|linkRequested|accountLinked|userAdded|accountAssigned)$/

/** The steps and events of a run, in order. */
export function timelineOf(steps: readonly StepLine[], journal: ReadJournal): readonly TimelineLine[] {
  const lines: TimelineLine[] = []
  let next = 0
  const addSteps = (before: number): void => {
    for (; next < steps.length && steps[next]!.after < before; next++) {
      const { at, what } = steps[next]!
      lines.push({ at, source: 'step', what })
    }
  }
  for (const event of journal.events) {
    addSteps(event.number)
    if (!hidden.test(event.kind) && !alsoHidden.test(event.kind))
      lines.push({ at: event.at, source: 'event', what: describe(event, journal) })
  }
  addSteps(Number.POSITIVE_INFINITY)
  return lines
}

/** Fields that identify an event, in this order. */
const shown = ['side', 'quantity', 'symbol', 'price', 'limit', 'cash', 'amount', 'why', 'reason'] as const

function describe({ kind, order_id, event }: JournalEventRecord, { orderNames }: ReadJournal): string {
  const inner = event['order'] ?? event['action'] ?? event['request'] ?? event['marketEvent']
  const fields = typeof inner === 'object' && inner !== null ? { ...event, ...inner } : event
  const name = order_id === undefined ? undefined : orderNames.get(order_id)
  const details = shown.flatMap((field) => {
    const value = (fields as Readonly<Record<string, unknown>>)[field]
    if (typeof value !== 'string' && typeof value !== 'number') return []
    return [field === 'price' || field === 'limit' ? `at ${value}` : String(value)]
  })
  return [kind, name, ...details].filter((part) => part !== undefined).join(' ')
}
