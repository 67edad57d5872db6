import type { JournalEventRecord } from '@quipu/contract'
import type { Client } from '@quipu/sdk'

/** All events of a world, and the orders and mints that they name. */
export type JournalReading = {
  readonly events: readonly JournalEventRecord[]
  /** Order ids by account id and name: a client order id, or `entry/take_profit` for a leg. */
  readonly orderIds: ReadonlyMap<string, string>
  /** The name of an order by its id. */
  readonly orderNames: ReadonlyMap<string, string>
}

const PAGE = 1000

export async function readJournal(operator: Client, world: string): Promise<JournalReading> {
  const events: JournalEventRecord[] = []
  let cursor: string | null = null
  do {
    const query: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor !== null && { cursor }) }
    const page = await operator.listEvents({ params: { world }, query })
    events.push(...page.events)
    cursor = page.next_cursor
  } while (cursor !== null)
  return { events, ...ordersIn(events) }
}

type PlacedOrder = {
  readonly id: string
  readonly accountId: string
  readonly clientOrderId: string
  readonly group?: { readonly role: keyof typeof legs; readonly parentId?: string }
}

const legs = { entry: '', takeProfit: 'take_profit', stopLoss: 'stop_loss' } as const

function ordersIn(events: readonly JournalEventRecord[]): Pick<JournalReading, 'orderIds' | 'orderNames'> {
  const [orderIds, orderNames] = [new Map<string, string>(), new Map<string, string>()]
  for (const { kind, event } of events) {
    if (kind !== 'orderAccepted') continue
    const { id, accountId, clientOrderId, group } = event['order'] as PlacedOrder
    const parent = group?.parentId === undefined ? undefined : orderNames.get(group.parentId)
    const name = group && parent !== undefined ? `${parent}/${legs[group.role]}` : clientOrderId
    orderIds.set(orderKey(accountId, name), id)
    orderIds.set(orderKey(accountId, clientOrderId), id)
    orderNames.set(id, name)
  }
  return { orderIds, orderNames }
}

export const orderKey = (accountId: string, name: string): string => `${accountId} ${name}`

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
export function timelineOf(steps: readonly StepLine[], journal: JournalReading): readonly TimelineLine[] {
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

function describe({ kind, order_id, event }: JournalEventRecord, { orderNames }: JournalReading): string {
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
