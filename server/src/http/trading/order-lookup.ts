import type { OrderRecord } from '@quipu/contract'
import type { Order, OrderId, View } from '@quipu/core'
import type { AccountCaller } from '../../access/caller.ts'
import type { Context } from '../context.ts'
import { waitForViews } from '../wait-for-views.ts'
import { orderAnswer, ordersAnswer } from './order-answer.ts'

/** An order as answered, with its legs if the caller asked for them. */
export async function shown(context: Context, order: Order, nested: boolean): Promise<OrderRecord> {
  if (!nested || !order.group?.legIds) return orderAnswer(order)
  await waitForViews(context)
  return orderAnswer(order, (await legsOf(context, [order]))(order))
}

export async function withLegs(context: Context, orders: readonly Order[]): Promise<readonly OrderRecord[]> {
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
export async function find(context: Context, { inMemory, inViews }: Places): Promise<Order | undefined> {
  const caller = context.account
  const order = await context.resultOf(caller.world, caller.world.read(inMemory))
  if (order) return order.accountId === caller.accountId ? order : undefined
  return fromViews(context, () => inViews(caller))
}

/** What only the views may still have. */
export async function fromViews(
  context: Context,
  look: () => Promise<Order | undefined>,
): Promise<Order | undefined> {
  const { world, accountId } = context.account
  if (!world.view.accountsWithDroppedOrders.has(accountId)) return undefined
  await waitForViews(context)
  return look()
}
