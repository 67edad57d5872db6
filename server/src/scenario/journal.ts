import type { JournalEventRecord } from '@quipu/contract'
import type { Client } from '@quipu/sdk'

/** All events of a world, and the orders and mints that they name. */
export type ReadJournal = {
  readonly events: readonly JournalEventRecord[]
  /** Order ids by account id and name: a client order id, or `entry/take_profit` for a leg. */
  readonly orderIds: ReadonlyMap<string, string>
  /** The name of an order by its id. */
  readonly orderNames: ReadonlyMap<string, string>
}

const PAGE = 1000

export async function readJournal(operator: Client, world: string): Promise<ReadJournal> {
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

function ordersIn(events: readonly JournalEventRecord[]): Pick<ReadJournal, 'orderIds' | 'orderNames'> {
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
