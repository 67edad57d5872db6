import type { Client } from '@quipu/sdk'
import type { UnacknowledgedFill, WorldEvent } from './types.ts'

/** Responses that show fills or their effect. */
const showsFills: ReadonlySet<string> = new Set([
  'getOrder',
  'getOrderByClientOrderId',
  'listOrders',
  'listPositions',
  'getPosition',
  'getAccount',
  'listActivities',
  'listActivitiesByType',
])

/** A stream sends one message for the authentication and one for the subscription before its updates. */
const GREETING_MESSAGES = 2
const PAGE = 1000

/**
 * The fills of an account that its program does not know of. A program knows of a fill if a response to it includes the fill, or if
 * the fill was sent to a stream of trade updates that is still open.
 */
export async function unacknowledgedFills(
  operator: Client,
  world: string,
  accountId: string,
): Promise<readonly UnacknowledgedFill[]> {
  const events = await orderEvents(operator, world, accountId)
  const fills = events.filter(({ kind }) => kind === 'orderFilled')
  if (fills.length === 0) return []
  const read = await lastEventRead(operator, world, accountId)
  const sent = await updatesSent(operator, world, accountId)
  return fills
    .filter((fill) => fill.number > read && events.length - events.indexOf(fill) > sent)
    .map(({ number, at, order_id }) => ({ number, at, orderId: order_id! }))
}

/** The events of an account that become trade updates, in order. The election of a stop order is not sent. */
async function orderEvents(
  operator: Client,
  world: string,
  account_id: string,
): Promise<readonly WorldEvent[]> {
  const found: WorldEvent[] = []
  let cursor: string | null = null
  do {
    const query = { account_id, limit: PAGE, ...(cursor !== null && { cursor }) }
    const page = await operator.listEvents({ params: { world }, query })
    found.push(...(page.events as readonly WorldEvent[]))
    cursor = page.next_cursor
  } while (cursor !== null)
  return found.filter(({ kind }) => kind.startsWith('order') && kind !== 'orderElected')
}

/** The last event that a response to the account's program includes. */
async function lastEventRead(operator: Client, world: string, account_id: string): Promise<number> {
  let last = 0
  let cursor: string | null = null
  do {
    const query = { account_id, status: 200, limit: PAGE, ...(cursor !== null && { cursor }) }
    const page = await operator.listRequests({ params: { world }, query })
    for (const { operation, seq } of page.requests)
      if (operation !== undefined && showsFills.has(operation)) last = Math.max(last, seq ?? 0)
    cursor = page.next_cursor
  } while (cursor !== null)
  return last
}

/** The number of latest updates that an open stream of the account has sent. */
async function updatesSent(operator: Client, world: string, account_id: string): Promise<number> {
  const { sockets } = await operator.listSockets({ params: { world }, query: { account_id, limit: PAGE } })
  const listening = sockets.filter(({ subscriptions }) => 'trade_updates' in subscriptions)
  return Math.max(0, ...listening.map(({ sent_messages }) => sent_messages - GREETING_MESSAGES))
}
