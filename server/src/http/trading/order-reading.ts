import type { Handlers, OrderRecord } from '@quipu/contract'
import {
  type AssetClass,
  type ClientOrderId,
  type Order,
  type OrderId,
  orderIdOf,
  type View,
} from '@quipu/core'
import type { AccountCaller } from '../../access/caller.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import { viewsCaughtUp } from '../caught-up.ts'
import type { Context } from '../context.ts'
import { tickerNamed } from './assets.ts'
import { orderAnswer, ordersAnswer } from './order-answer.ts'

type Names = 'listOrders' | 'getOrder' | 'getOrderByClientOrderId'

export const orderReadingHandlers: Handlers<Context, Names> = {
  listOrders: async ({ query }, context) => {
    const { accountId, world } = context.account
    const { symbols, nested } = query
    const classes = classesOf(query.asset_class)
    await viewsCaughtUp(context)
    if (classes?.length === 0) return []
    const orders = await world.views.orders({
      accountId,
      status: query.status,
      limit: Math.min(query.limit, context.services.limits.pageMax),
      direction: query.direction,
      ...(query.after ? { after: instantOf(query.after) } : {}),
      ...(query.until ? { until: instantOf(query.until) } : {}),
      ...(symbols?.length ? { symbols: symbols.map((symbol) => tickerNamed(world, symbol)) } : {}),
      ...(classes ? { classes } : {}),
      ...(query.side ? { side: query.side } : {}),
      ...(query.before_order_id ? { beforeOrderId: query.before_order_id as OrderId } : {}),
      ...(query.after_order_id ? { afterOrderId: query.after_order_id as OrderId } : {}),
      ...(nested ? { nested } : {}),
    })
    return nested ? withLegs(context, orders) : ordersAnswer(orders)
  },

  getOrder: async ({ params, query }, context) => {
    const orderId = params.order_id as OrderId
    const order = await find(context, {
      inMemory: (view) => view.orders.get(orderId),
      inViews: ({ world, accountId }) => world.views.order(accountId, orderId),
    })
    if (!order) throw refuse({ code: 'orderNotFound', id: orderId })
    return shown(context, order, query.nested)
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
    return shown(context, order, query.nested)
  },
}

/** The classes that are traded here, as far as they are asked for. */
function classesOf(asked: readonly string[] | undefined): readonly AssetClass[] | undefined {
  if (!asked?.length || asked.includes('all')) return undefined
  return [
    ...(asked.includes('us_equity') ? (['usEquity'] as const) : []),
    ...(asked.includes('crypto') ? (['crypto'] as const) : []),
  ]
}

async function shown(context: Context, order: Order, nested: boolean): Promise<OrderRecord> {
  if (!nested || !order.group?.legIds) return orderAnswer(order)
  await viewsCaughtUp(context)
  return orderAnswer(order, (await legsOf(context, [order]))(order))
}

async function withLegs(context: Context, orders: readonly Order[]): Promise<readonly OrderRecord[]> {
  return ordersAnswer(orders, await legsOf(context, orders))
}

/** The legs that are an order's now; one that another stands in the place of is none of them. */
async function legsOf(
  context: Context,
  orders: readonly Order[],
): Promise<(order: Order) => readonly Order[] | undefined> {
  const { world, accountId } = context.account
  const parents = orders.filter(({ group }) => group?.legIds).map(({ id }) => id)
  const found = parents.length === 0 ? [] : await world.views.legs(accountId, parents)
  const legs = new Map<OrderId | undefined, Order[]>()
  for (const leg of found)
    if (leg.status !== 'replaced')
      legs.set(leg.group?.parentId, [...(legs.get(leg.group?.parentId) ?? []), leg])
  return ({ id }) => legs.get(id)?.sort(byRole)
}

/** The take-profit stands first, as it was made first. */
const byRole = (a: Order, b: Order): number => Number(isStopLoss(a)) - Number(isStopLoss(b))
const isStopLoss = ({ group }: Order): boolean => group?.role === 'stopLoss'

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

/** What only the views may still have. */
export async function fromViews(
  context: Context,
  look: () => Promise<Order | undefined>,
): Promise<Order | undefined> {
  const { world, accountId } = context.account
  if (!world.view.letGo.has(accountId)) return undefined
  await viewsCaughtUp(context)
  return look()
}
