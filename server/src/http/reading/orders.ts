import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import { eventOf } from '@quipu/broker/journal/stored-event.ts'
import type { OrdersQuery } from '@quipu/broker/query-tables/query-tables.ts'
import { selectOrders } from '@quipu/broker/query-tables/select.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, WorldOrderRecord } from '@quipu/contract'
import type { AccountId, Order, OrderId } from '@quipu/core'
import { definedFields, earlier } from '@quipu/core/values'
import { instantOf } from '../../wire/moments.ts'
import { eventAccount, orderOf } from '../../wire/numbered-event.ts'
import { orderText } from '../../wire/order-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import { eventStream, type Sink, sseMessage } from '../event-stream.ts'
import { prebuilt } from '../prebuilt.ts'
import { withWorld } from '../sim/world-named.ts'
import { followReading, type ReadingSource } from './follow.ts'
import { isLive } from './formats.ts'
import { findOrder } from './order-events.ts'
import { openReader, positionIn } from './readers.ts'

export const worldOrderHandlers = withWorld({
  async listWorldOrders({ world, query, headers }, context) {
    const accountId = query.account_id
    if (accountId !== undefined && !world.view.accounts.has(accountId))
      throw refuse({ code: 'accountNotFound' })
    const seq = await context.state.read(world, (view) => view.seq)
    const lastEventId = headers['last-event-id'] || undefined
    if (isLive(context)) {
      openReader(context)
      const after = positionIn(seq, {}, lastEventId ?? `${seq}`)
      const listed = lastEventId === undefined ? await listOrders(world, query, seq) : []
      return eventStream((sink) => sendOrders({ world, query, listed, after }, sink))
    }
    return prebuilt(`[${(await listOrders(world, query, seq)).map(worldOrderText).join(',')}]`)
  },

  async getWorldOrder({ world, params }) {
    const order = await findOrder(world, params.order_id)
    if (!order) throw refuse({ code: 'orderNotFound', id: params.order_id })
    return prebuilt<WorldOrderRecord>(worldOrderText(order))
  },
})

type OrdersFilter = InputOf<'listWorldOrders'>['query']

const worldOrderText = (order: Order): string =>
  `{"account_id":"${order.accountId}",${orderText(order).slice(1)}`

/** The orders of one account, or of all accounts in one list, newest first. */
async function listOrders(world: World, query: OrdersFilter, seq: number): Promise<readonly Order[]> {
  await world.storage.untilQueryTables(seq)
  const beforeOrderId = query.before_order_id
  const cursor = beforeOrderId && (await findOrder(world, beforeOrderId))
  if (beforeOrderId !== undefined && !cursor) return []
  const terms = {
    status: query.status,
    limit: query.limit,
    direction: 'desc',
    ...definedFields({
      symbols: query.symbols?.length ? query.symbols : undefined,
      side: query.side,
      after: query.after && instantOf(query.after),
      until: query.until && instantOf(query.until),
      beforeOrderId,
      cursor,
    }),
  } as const satisfies Omit<OrdersQuery, 'accountId'>
  const accounts = query.account_id === undefined ? tradersIn(world) : [query.account_id]
  let newest: readonly Order[] = []
  for (const accountId of accounts) {
    await pauseWork()
    const found = await world.storage.queryTables.orders({
      ...terms,
      accountId,
      ...sinceOldest(newest, terms),
    })
    newest = accounts.length === 1 ? found : selectOrders([...newest, ...found], { ...terms, accountId })
  }
  return newest
}

/** The accounts that have or had an order. */
const tradersIn = ({ view }: World): readonly AccountId[] => [
  ...new Set([
    ...view.accountsWithDroppedOrders,
    ...[...view.orders.values()].map((order) => order.accountId),
  ]),
]

/** A full list needs no orders that are older than its last one. */
function sinceOldest(
  orders: readonly Order[],
  { limit, after }: Pick<OrdersQuery, 'limit' | 'after'>,
): Pick<OrdersQuery, 'after'> {
  const oldest = orders.length < limit ? undefined : orders.at(-1)
  if (!oldest || (after !== undefined && after >= oldest.submittedAt)) return {}
  return { after: earlier(oldest.submittedAt, 1n) }
}

type Live = {
  readonly world: World
  readonly query: OrdersFilter
  readonly listed: readonly Order[]
  readonly after: number
}
type OrderUpdate = { readonly seq: number; readonly order: Order }

/** Sends the list, oldest first, then each order that changes. Only the last message of the list has an id. */
async function sendOrders({ world, query, listed, after }: Live, { write, signal }: Sink): Promise<void> {
  const last = listed.length - 1
  const messages = listed
    .toReversed()
    .map((order, index) =>
      sseMessage('order', worldOrderText(order), index === last ? `${after}` : undefined),
    )
  if (messages.length > 0) await write(messages.join(''))
  for await (const updates of followReading(orderSource(world, after), { signal })) {
    const wanted = updates.filter(({ order }) => isWanted(order, query))
    const texts = wanted.map(({ seq, order }) => sseMessage('order', worldOrderText(order), `${seq}`))
    if (texts.length > 0) await write(texts.join(''))
  }
}

const isWanted = (order: Order, { account_id, symbols, side }: OrdersFilter): boolean =>
  (account_id === undefined || order.accountId === account_id) &&
  (!symbols?.length || symbols.includes(order.symbol)) &&
  (side === undefined || order.side === side)

/** The orders that change. Missed changes of an order are sent as one: the order as it is now. */
const orderSource = (world: World, after: number): ReadingSource<OrderUpdate, number> => ({
  positionOf: ({ seq }) => seq,
  after,
  async *past(last) {
    let seq = last
    for await (const entries of world.storage.journal.read(last)) {
      const changed = new Map<OrderId, { readonly seq: number; readonly accountId: AccountId | undefined }>()
      for (const entry of entries) {
        seq += 1
        const event = eventOf(entry)
        const id = orderOf(event)
        if (id === undefined) continue
        changed.delete(id)
        changed.set(id, { seq, accountId: eventAccount(event) })
      }
      const updates: OrderUpdate[] = []
      for (const [id, found] of changed) {
        const order = await findOrder(world, id, found.accountId)
        if (order) updates.push({ seq: found.seq, order })
      }
      yield updates
      await pauseWork()
    }
  },
  listen: (receive) =>
    world.publisher.listen((events) =>
      receive(events.flatMap(({ seq, order }) => (order ? [{ seq, order }] : []))),
    ),
  // A virtual clock does not wait for readers of the list.
  attach: ({ closed }) => world.publisher.attach({ flushed: async () => undefined, closed }),
})
