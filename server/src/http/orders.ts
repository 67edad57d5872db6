import type { Handlers } from '@quipu/contract'
import {
  type ClientOrderId,
  type Decision,
  type Order,
  type OrderId,
  orderIdOf,
  type Refusal,
  type Ticker,
  type View,
} from '@quipu/core'
import type { AccountCaller } from '../credentials.ts'
import { viewsCaughtUp } from './caught-up.ts'
import type { Context } from './context.ts'
import { instantOf } from './moments.ts'
import { checkIntent, placeOrderOf, replaceOrderOf } from './order-command.ts'
import { orderToWire } from './order-wire.ts'
import { refuse } from './refusal.ts'

type Names =
  | 'placeOrder'
  | 'listOrders'
  | 'getOrder'
  | 'getOrderByClientOrderId'
  | 'replaceOrder'
  | 'cancelOrder'

export const orderHandlers: Handlers<Context, Names> = {
  placeOrder: async ({ body }, context) => {
    const { world, accountId } = context.account
    const command = placeOrderOf(body, world, accountId)
    if (body.position_intent !== undefined) await checkIntent(body, command, context)
    // A market that cannot be foreseen may have to ask for the first price of a symbol.
    if (world.market.live && world.market.assets().has(command.symbol))
      await world.market.live.priced(command.symbol)
    const submit = (earlier?: OrderId) =>
      context.saw(
        world,
        world.submit(earlier ? { ...command, earlier } : command, (_, decided) => decided),
      )
    const { clientOrderId } = command
    const decision = await (clientOrderId ? world.withEarlier(accountId, clientOrderId, submit) : submit())
    return orderToWire(acceptedBy(decision))
  },

  replaceOrder: async ({ params, body }, context) => {
    const { world, accountId } = context.account
    const orderId = params.order_id as OrderId
    const command = replaceOrderOf(body, accountId, orderId)
    const submit = (earlier?: OrderId) =>
      context.saw(
        world,
        world.submit(earlier ? { ...command, earlier } : command, (_, decided) => decided),
      )
    const { clientOrderId } = command
    const decision = await (clientOrderId ? world.withEarlier(accountId, clientOrderId, submit) : submit())
    if (!decision.ok) await refuseAsEnded(context, orderId, decision.reason)
    return orderToWire(acceptedBy(decision))
  },

  listOrders: async ({ query }, context) => {
    const { accountId, world } = context.account
    const { asset_class: classes, symbols } = query
    await viewsCaughtUp(context)
    if (classes && !classes.includes('us_equity') && !classes.includes('all')) return []
    const orders = await world.views.orders({
      accountId,
      status: query.status,
      limit: Math.min(query.limit, context.services.limits.pageMax),
      direction: query.direction,
      ...(query.after ? { after: instantOf(query.after) } : {}),
      ...(query.until ? { until: instantOf(query.until) } : {}),
      ...(symbols?.length ? { symbols: symbols as readonly Ticker[] } : {}),
      ...(query.side ? { side: query.side } : {}),
      ...(query.before_order_id ? { beforeOrderId: query.before_order_id as OrderId } : {}),
      ...(query.after_order_id ? { afterOrderId: query.after_order_id as OrderId } : {}),
    })
    return orders.map(orderToWire)
  },

  getOrder: async ({ params }, context) => {
    const orderId = params.order_id as OrderId
    const order = await find(context, {
      inMemory: (view) => view.orders.get(orderId),
      inViews: ({ world, accountId }) => world.views.order(accountId, orderId),
    })
    if (!order) throw refuse({ code: 'orderNotFound', id: orderId })
    return orderToWire(order)
  },

  getOrderByClientOrderId: async ({ query }, context) => {
    const clientOrderId = query.client_order_id as ClientOrderId
    const { accountId } = context.account
    const order = await find(context, {
      inMemory: (view) => {
        const id = orderIdOf(view, accountId, clientOrderId)
        return id && view.orders.get(id)
      },
      inViews: ({ world }) => world.views.orderByClientId(accountId, clientOrderId),
    })
    if (!order) throw refuse({ code: 'orderNotFound', id: clientOrderId })
    return orderToWire(order)
  },

  cancelOrder: async ({ params }, context) => {
    const { world, accountId } = context.account
    const orderId = params.order_id as OrderId
    const decision = await context.saw(
      world,
      world.submit({ kind: 'cancelOrder', accountId, orderId }, (_, decided) => decided),
    )
    if (!decision.ok) await refuseAsEnded(context, orderId, decision.reason)
    return undefined
  },
}

/** What memory has let go has ended; the views know how. */
async function refuseAsEnded(context: Context, orderId: OrderId, reason: Refusal): Promise<never> {
  if (reason.code !== 'orderNotFound') throw refuse(reason)
  const { world, accountId } = context.account
  const ended = await fromViews(context, () => world.views.order(accountId, orderId))
  throw ended ? refuse({ code: 'orderAlreadyTerminal', status: ended.status }) : refuse(reason)
}

/** The order that a placement or a replacement made. */
function acceptedBy(decision: Decision): Order {
  if (!decision.ok) throw refuse(decision.reason)
  const accepted = decision.value.find((event) => event.kind === 'orderAccepted')
  if (!accepted) throw new Error('bug: an order was placed and not accepted')
  return accepted.order
}

/** Where an order may be: in memory while it is open or young, else in the views. */
type Places = {
  readonly inMemory: (view: View) => Order | undefined
  readonly inViews: (caller: AccountCaller) => Promise<Order | undefined>
}

/** An order of the caller's account; another account's is as good as none. */
async function find(context: Context, { inMemory, inViews }: Places): Promise<Order | undefined> {
  const caller = context.account
  const order = await context.saw(caller.world, caller.world.read(inMemory))
  if (order) return order.accountId === caller.accountId ? order : undefined
  return fromViews(context, () => inViews(caller))
}

async function fromViews(
  context: Context,
  look: () => Promise<Order | undefined>,
): Promise<Order | undefined> {
  const { world, accountId } = context.account
  if (!world.view.letGo.has(accountId)) return undefined
  await viewsCaughtUp(context)
  return look()
}
