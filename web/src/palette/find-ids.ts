import { ApiError, type WireOrder as Order, type Output } from '@quipu/sdk'
import { eventTitle } from '../format/event-words.ts'
import { statusOf, titleOf } from '../format/orders.ts'
import { current } from '../live/current.ts'
import { go, hrefOf } from '../router.ts'
import { type Connection, operator } from '../session/connections.ts'
import { api, worldName } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import type { Found } from '../shell/found.ts'

const AFTER_TYPING_MS = 250
const FOUND_MAX = 5

/** Ends when nothing was typed for a while. Throws if something was. */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, AFTER_TYPING_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })

type Requests = Output<'listRequests'>['requests']

const ORDERS_MAX = 500
const REQUESTS_MAX = 1000

/** What was read since the search was opened. */
let recentOrders: Recent<readonly Order[]> | undefined
let recentRequests: Recent<Requests> | undefined

type Recent<Rows> = { readonly connection: Connection; readonly world: string; readonly rows: Promise<Rows> }

export const forgetRecent = (): void => {
  recentOrders = undefined
  recentRequests = undefined
}

/** The rows of an earlier read of the same world, or those of a new one. */
function recent<Rows>(
  known: Recent<Rows> | undefined,
  connection: Connection,
  read: () => Promise<Rows>,
): Recent<Rows> {
  const world = worldName.peek()
  return known?.connection === connection && known.world === world
    ? known
    : { connection, world, rows: read() }
}

function ordersOf(connection: Connection): Promise<readonly Order[]> {
  recentOrders = recent(recentOrders, connection, () =>
    connection.client.listOrders({ query: { status: 'all', limit: ORDERS_MAX, nested: false } }),
  )
  return recentOrders.rows
}

function requestsOf(connection: Connection): Promise<Requests> {
  recentRequests = recent(recentRequests, connection, async () => {
    const query = { last: REQUESTS_MAX, limit: REQUESTS_MAX }
    const page = await connection.client.listRequests({ params: { world: worldName.peek() }, query })
    return page.requests
  })
  return recentRequests.rows
}

const matches =
  (wanted: string) =>
  ({ id, client_order_id: name }: Order) =>
    id.startsWith(wanted) || name.toLowerCase().includes(wanted)

/** Orders by the beginning of the id or by a part of the client order id: open ones at once, others after a pause. */
export async function findOrders(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const connection = api.peek()
  const wanted = text.trim().toLowerCase()
  if (!connection || wanted.length < 3) return []
  const open = [...(current.peek()?.store.openOrders.peek()?.values() ?? [])].filter(matches(wanted))
  if (open.length > 0) return open.slice(0, FOUND_MAX).map(foundOrder)
  await pause(signal)
  const known = (await ordersOf(connection)).filter(matches(wanted))
  if (known.length > 0 || !IS_NAME.test(text.trim())) return known.slice(0, FOUND_MAX).map(foundOrder)
  const older = await readOrder(connection, text.trim(), signal)
  return older === undefined ? [] : [foundOrder(older)]
}

/** Words of people are no ids: ids have a digit, a dash or an underscore. */
const IS_NAME = /^(?=.*[\d_-])\S+$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An order older than the newest ones. */
async function readOrder(
  { client }: Connection,
  id: string,
  signal: AbortSignal,
): Promise<Order | undefined> {
  try {
    return UUID.test(id)
      ? await client.getOrder({ params: { order_id: id } }, { signal })
      : await client.getOrderByClientOrderId({ query: { client_order_id: id } }, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  }
}

const foundOrder = (order: Order): Found => ({
  id: `order ${order.id}`,
  group: 'Orders and requests',
  icon: 'list',
  title: order.client_order_id,
  about: titleOf(order),
  beside: statusOf(order).word,
  run: () => go(hrefOf('orders', order.id)),
})

/** The part of a request id that screens show is its end; lists of other systems show its beginning. */
const REQUEST_PART = /^(?:request )?…?([0-9a-f]{6,32})$/i
const EVENT = /^(?:event ?|#)(\d{1,15})$/i

/** Requests by a part of the id, and events by number. */
export async function findRequests(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const connection = isOperator.peek() ? operator() : api.peek()
  if (!connection) return []
  const [, number] = EVENT.exec(text.trim()) ?? []
  if (number !== undefined) return eventAt(connection, Number(number), signal)
  const wanted = REQUEST_PART.exec(text.trim())?.[1]?.toLowerCase()
  if (wanted === undefined) return []
  await pause(signal)
  return (await requestsOf(connection))
    .filter(({ request_id: id }) => id.startsWith(wanted) || id.endsWith(wanted))
    .slice(-FOUND_MAX)
    .map(({ request_id: id, method, path, status }) => ({
      id: `request ${id}`,
      group: 'Orders and requests',
      icon: 'pulse',
      title: `Request …${id.slice(-7)}`,
      about: `${method} ${path}`,
      beside: status === null ? 'no response' : `${status}`,
      run: () => go(hrefOf('activity', id)),
    }))
}

async function eventAt(
  connection: Connection,
  number: number,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  await pause(signal)
  const query = { cursor: String(number - 1), limit: 1 }
  const { events } = await connection.client.listEvents(
    { params: { world: worldName.peek() }, query },
    { signal },
  )
  return events
    .filter((event) => event.number === number)
    .map((event) => ({
      id: `event ${number}`,
      group: 'Orders and requests',
      icon: 'pulse',
      title: `Event ${number}`,
      about: eventTitle(event),
      run: () =>
        go(
          event.request_id === undefined
            ? event.order_id === undefined
              ? hrefOf('activity', undefined, { tab: 'events' })
              : hrefOf('orders', event.order_id)
            : hrefOf('activity', event.request_id),
        ),
    }))
}
