import type { Handlers } from '@quipu/contract'
import { type AccountId, definedFields, type OrderId, type Ticker } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { customersOf } from '../sim/world-wire.ts'
import { orderAnswer, ordersAnswer } from '../trading/order-answer.ts'
import { findOrder } from './order-events.ts'
import { worldOf } from './readers.ts'

export const worldOrderHandlers: Pick<Handlers<Context>, 'listWorldOrders' | 'getWorldOrder'> = {
  async listWorldOrders({ params, query }, context) {
    const world = worldOf(context, params.world)
    const accountId = (query.account_id as AccountId | undefined) ?? customersOf(world)[0]?.id
    if (accountId === undefined || !world.view.accounts.has(accountId))
      throw refuse({ code: 'accountNotFound' })
    await context.resultOf(
      world,
      world.read((view) => view.seq),
    )
    await world.views.reached(context.seq!)
    const orders = await world.views.orders({
      accountId,
      status: query.status,
      limit: query.limit,
      direction: 'desc',
      ...definedFields({
        symbols: query.symbols?.length ? (query.symbols as readonly Ticker[]) : undefined,
        beforeOrderId: query.before_order_id as OrderId | undefined,
      }),
    })
    return ordersAnswer(orders)
  },

  async getWorldOrder({ params }, context) {
    const order = await findOrder(worldOf(context, params.world), params.order_id as OrderId)
    if (!order) throw refuse({ code: 'orderNotFound', id: params.order_id })
    return orderAnswer(order)
  },
}
