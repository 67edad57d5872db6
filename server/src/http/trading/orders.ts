import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CanceledRecord, errorResponse, type OrderRecord } from '@quipu/contract'
import {
  type AssetClass,
  type BrokerEvent,
  type Decision,
  definedFields,
  type Order,
  type OrderId,
  openOrdersOf,
  orderIdOf,
  type PlaceOrder,
  type Refusal,
  type View,
} from '@quipu/core'
import { instantOf } from '../../wire/moments.ts'
import { orderToWire } from '../../wire/order-wire.ts'
import { refuseOrder } from '../../wire/order-words.ts'
import { type Refused, refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { waitForQueryTables } from '../wait-for-query-tables.ts'
import { tickerNamed } from './assets.ts'
import { placeOrderOf, replaceOrderOf, whenPriced } from './order-command.ts'
import {
  answerWithLegs,
  find,
  fromQueryTables,
  lookupWithLegs,
  orderResponse,
  ordersResponse,
} from './order-lookup.ts'

const commandHandlers = {
  placeOrder: ({ body }, context) => {
    const { world, accountId } = context.account
    const command = placeOrderOf(body, world, accountId)
    return whenPriced(world, command, () => submitOrder(context, command))
  },

  replaceOrder: async ({ params, body }, context) => {
    const { world, accountId } = context.account
    const orderId = params.order_id
    const command = replaceOrderOf(body, world, accountId, orderId)
    const submit = (earlier?: OrderId) =>
      context.state.resultOf(
        world,
        world.commands.submit(
          earlier ? { ...command, earlier } : command,
          (view, decision) => ({
            decision,
            legs: decision.ok ? openLegs(view, acceptedIn(decision.value)[0]) : [],
          }),
          context.cause,
        ),
      )
    const { clientOrderId } = command
    const { decision, legs } = await (clientOrderId
      ? world.storage.withEarlierOrder(accountId, clientOrderId, submit)
      : submit())
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notReplaceable)
    return orderResponse(acceptedIn(decision.value)[0], legs)
  },

  cancelOrder: async ({ params }, context) => {
    const { world, accountId } = context.account
    const orderId = params.order_id
    const decision = await context.state.resultOf(
      world,
      world.commands.submit({ kind: 'cancelOrder', accountId, orderId }, decided, context.cause),
    )
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notCancelable)
  },

  cancelAllOrders: async (_, context) => {
    const { world, accountId } = context.account
    const ids = await context.state.read(world, (view) =>
      Array.from(openOrdersOf(view, accountId), ({ id }) => id),
    )
    const responses: CanceledRecord[] = []
    for (let from = 0; from < ids.length; from += CANCELS_MAX) {
      if (from > 0) await nextTurn()
      const some = ids.slice(from, from + CANCELS_MAX).map((id) => cancelOne(context, id))
      responses.push(...(await Promise.all(some)))
    }
    return responses
  },
} satisfies SomeHandlers

/**
 * These handlers pass the cause with each command. For all others an async context tracks the cause through every await,
 * which is slower.
 */
export const handlersWithCause: ReadonlySet<string> = new Set(Object.keys(commandHandlers))

export const orderHandlers = {
  ...commandHandlers,

  listOrders: async ({ query }, context) => {
    const { accountId, world } = context.account
    const { symbols, nested } = query
    const classes = classesOf(query.asset_class)
    await waitForQueryTables(context)
    if (classes?.length === 0) return []
    const orders = await world.storage.queryTables.orders({
      accountId,
      status: query.status,
      limit: Math.min(query.limit, context.services.limits.pageMax),
      direction: query.direction,
      ...definedFields({
        after: query.after && instantOf(query.after),
        until: query.until && instantOf(query.until),
        symbols: symbols?.length ? symbols.map((symbol) => tickerNamed(world, symbol)) : undefined,
        classes,
        side: query.side,
        beforeOrderId: query.before_order_id,
        afterOrderId: query.after_order_id,
        nested,
      }),
    })
    return nested ? lookupWithLegs(context, orders) : ordersResponse(orders)
  },

  getOrder: async ({ params, query }, context) => {
    const orderId = params.order_id
    const order = await find(context, {
      inMemory: (view) => view.orders.get(orderId),
      inQueryTables: ({ world, accountId }) => world.storage.queryTables.order(accountId, orderId),
    })
    if (!order) throw refuse({ code: 'orderNotFound', id: orderId })
    return answerWithLegs(context, order, query.nested)
  },

  getOrderByClientOrderId: async ({ query }, context) => {
    const clientOrderId = query.client_order_id
    const { accountId } = context.account
    const order = await find(context, {
      inMemory: (view) => {
        const id = orderIdOf(view, accountId, clientOrderId)
        return id && view.orders.get(id)
      },
      inQueryTables: ({ world }) => world.storage.queryTables.orderByClientId(accountId, clientOrderId),
    })
    if (!order) throw refuse({ code: 'orderNotFound', id: clientOrderId })
    return answerWithLegs(context, order, query.nested)
  },
} satisfies SomeHandlers

/** The requested asset classes; undefined for all. */
function classesOf(requested: readonly string[] | undefined): readonly AssetClass[] | undefined {
  if (!requested?.length || requested.includes('all')) return undefined
  return [
    ...(requested.includes('us_equity') ? (['usEquity'] as const) : []),
    ...(requested.includes('crypto') ? (['crypto'] as const) : []),
  ]
}

function submitOrder(context: Context, command: PlaceOrder): Promise<OrderRecord> {
  const { world, accountId } = context.account
  const { clientOrderId } = command
  const submit = (earlier?: OrderId) =>
    context.state.perform(
      world,
      earlier ? { ...command, earlier } : command,
      (_, events) => {
        const [order, ...legs] = acceptedIn(events)
        return orderResponse(order, legs)
      },
      refuseOrder,
    )
  return clientOrderId ? world.storage.withEarlierOrder(accountId, clientOrderId, submit) : submit()
}

const decided = (_: View, decision: Decision): Decision => decision

/**
 * Cancels per batch: a few milliseconds, then other worlds run. All callers share the limit of commands that wait for
 * the disk.
 */
const CANCELS_MAX = 128

async function cancelOne(context: Context, orderId: OrderId): Promise<CanceledRecord> {
  const { world, accountId } = context.account
  const { decision, order } = await context.state.resultOf(
    world,
    world.commands.submit(
      { kind: 'cancelOrder', accountId, orderId },
      (view, decision) => ({ decision, order: view.orders.get(orderId) }),
      context.cause,
    ),
  )
  // The first cancel of a group also cancels its other orders.
  if (decision.ok || isCanceled(decision.reason)) {
    const canceled =
      order ?? (await fromQueryTables(context, () => world.storage.queryTables.order(accountId, orderId)))
    return { id: orderId, status: 200, body: canceled && orderToWire(canceled) }
  }
  const { reason } = refuseOrder(decision.reason)
  return { id: orderId, ...errorResponse(reason.code, reason) }
}

const isCanceled = (reason: Refusal): boolean =>
  reason.code === 'orderAlreadyTerminal' && reason.status === 'canceled'

const notCancelable = ({ status }: Order): Refusal => ({ code: 'orderAlreadyTerminal', status })
const notReplaceable = ({ status }: Order): Refusal => ({
  code: status === 'replaced' ? 'orderAlreadyReplaced' : 'orderNotOpen',
})

/** An order that is no longer in memory has ended; the query tables have its status. */
async function refusalOf(
  context: Context,
  orderId: OrderId,
  reason: Refusal,
  asEnded: (order: Order) => Refusal,
): Promise<Refused> {
  if (reason.code !== 'orderNotFound') return refuseOrder(reason)
  const { world, accountId } = context.account
  const ended = await fromQueryTables(context, () => world.storage.queryTables.order(accountId, orderId))
  return refuseOrder(ended ? asEnded(ended) : reason)
}

/** The open legs of a parent. */
const openLegs = ({ groups, orders }: View, { id, group }: Order): readonly Order[] =>
  group?.legIds?.flatMap((legId) => (groups.get(id)?.has(legId) ? (orders.get(legId) ?? []) : [])) ?? []

/** The orders that a placement or a replacement created, the parent first. */
function acceptedIn(events: readonly BrokerEvent[]): readonly [Order, ...Order[]] {
  const orders: Order[] = []
  for (const event of events) if (event.kind === 'orderAccepted') orders.push(event.order)
  if (orders.length === 0) throw new Error('bug: an order was placed and not accepted')
  return orders as [Order, ...Order[]]
}
