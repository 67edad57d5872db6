import type { AccountCaller } from '@quipu/broker/access/caller.ts'
import { mapWithPauses } from '@quipu/broker/clock/long-work.ts'
import type { OrderRecord } from '@quipu/contract'
import type { Order, OrderId, View } from '@quipu/core'
import { orderText } from '../../wire/order-wire.ts'
import type { Context } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'
import { waitForQueryTables } from '../wait-for-query-tables.ts'

/** The response of an order, with its legs if the caller requests them. */
export async function answerWithLegs(context: Context, order: Order, nested: boolean): Promise<OrderRecord> {
  if (!nested || !order.group?.legIds) return orderResponse(order)
  await waitForQueryTables(context)
  return orderResponse(order, (await legsOf(context, [order]))(order))
}

export async function lookupWithLegs(
  context: Context,
  orders: readonly Order[],
): Promise<readonly OrderRecord[]> {
  return ordersResponse(orders, await legsOf(context, orders))
}

/** The current legs of an order, without replaced ones. */
async function legsOf(
  context: Context,
  orders: readonly Order[],
): Promise<(order: Order) => readonly Order[] | undefined> {
  const { world, accountId } = context.account
  const parents = orders.filter(({ group }) => group?.legIds).map(({ id }) => id)
  const found = parents.length === 0 ? [] : await world.storage.queryTables.legs(accountId, parents)
  const legs = new Map<OrderId | undefined, Order[]>()
  for (const leg of found)
    if (leg.status !== 'replaced')
      legs.set(leg.group?.parentId, [...(legs.get(leg.group?.parentId) ?? []), leg])
  return ({ id }) => legs.get(id)?.sort(byRole)
}

/** The take-profit comes first. */
const byRole = (a: Order, b: Order): number => Number(isStopLoss(a)) - Number(isStopLoss(b))
const isStopLoss = ({ group }: Order): boolean => group?.role === 'stopLoss'

/** Finds an order in memory while it is open or recent, else in the query tables. */
type Lookup = {
  readonly inMemory: (view: View) => Order | undefined
  readonly inQueryTables: (caller: AccountCaller) => Promise<Order | undefined>
}

/** An order of the caller's account; undefined for orders of other accounts. */
export async function find(
  context: Context,
  { inMemory, inQueryTables }: Lookup,
): Promise<Order | undefined> {
  const caller = context.account
  const order = await context.state.read(caller.world, inMemory)
  if (order) return order.accountId === caller.accountId ? order : undefined
  return fromQueryTables(context, () => inQueryTables(caller))
}

/** An order that is no longer in memory. */
export async function fromQueryTables(
  context: Context,
  lookUp: () => Promise<Order | undefined>,
): Promise<Order | undefined> {
  const { world, accountId } = context.account
  if (!world.view.accountsWithDroppedOrders.has(accountId)) return undefined
  await waitForQueryTables(context)
  return lookUp()
}

/** The response of an order. */
export const orderResponse = (order: Order, legs?: readonly Order[]): OrderRecord =>
  prebuilt(orderText(order, legs))

/** Orders per batch. */
const TURN_ORDERS = 50

/** The response of several orders, each with its legs. */
export async function ordersResponse(
  orders: readonly Order[],
  legsOf?: (order: Order) => readonly Order[] | undefined,
): Promise<readonly OrderRecord[]> {
  const texts = await mapWithPauses(orders, TURN_ORDERS, (order) => orderText(order, legsOf?.(order)))
  return prebuilt(`[${texts.join(',')}]`)
}
