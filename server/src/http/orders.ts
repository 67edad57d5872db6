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
import { placeOrderOf, replaceOrderOf } from './order-command.ts'
import { orderToWire } from './order-wire.ts'
import { refuseOrder } from './order-words.ts'
import { type Refused, refuse } from './refusal.ts'

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
    const [order, ...legs] = acceptedBy(decision)
    return orderToWire(order, legs)
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
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notReplaceable)
    return orderToWire(acceptedBy(decision)[0])
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
    return orders.map((order) => orderToWire(order))
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
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notCancelable)
    return undefined
  },
}

const notCancelable = ({ status }: Order): Refusal => ({ code: 'orderAlreadyTerminal', status })
const notReplaceable = ({ status }: Order): Refusal => ({
  code: status === 'replaced' ? 'orderAlreadyReplaced' : 'orderNotOpen',
})

/** What memory has let go has ended; the views know how. */
async function refusalOf(
  context: Context,
  orderId: OrderId,
  reason: Refusal,
  asEnded: (order: Order) => Refusal,
): Promise<Refused> {
  if (reason.code !== 'orderNotFound') return refuseOrder(reason)
  const { world, accountId } = context.account
  const ended = await fromViews(context, () => world.views.order(accountId, orderId))
  return refuseOrder(ended ? asEnded(ended) : reason)
}

/** The orders that a placement or a replacement made, the parent first. */
function acceptedBy(decision: Decision): readonly [Order, ...Order[]] {
  if (!decision.ok) throw refuseOrder(decision.reason)
  const [first, ...legs] = decision.value.flatMap((event) =>
    event.kind === 'orderAccepted' ? [event.order] : [],
  )
  if (!first) throw new Error('bug: an order was placed and not accepted')
  return [first, ...legs]
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
