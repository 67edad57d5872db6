import type { OutputOf } from '@quipu/contract'
import {
  type Account,
  type AccountId,
  definedFields,
  format,
  type OrderId,
  type Ticker,
  type View,
} from '@quipu/core'
import { brokerAccountToWire } from '../../wire/broker-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import { accountsIn } from '../broker/accounts.ts'
import type { SomeHandlers } from '../context.ts'
import { worldNamed } from '../sim/world-named.ts'
import { customersOf } from '../sim/world-wire.ts'
import { currentBalances } from '../trading/account.ts'
import { orderAnswer, ordersAnswer } from '../trading/order-answer.ts'
import { findOrder } from './order-events.ts'

export const worldAccountHandlers = {
  listWorldAccounts: ({ params, query }, context) => {
    const world = worldNamed(params.world, context)
    return context.read(world, (view) =>
      accountsIn(view, {}, { ...query, sort: 'desc' }).map((account) => toWire(world, view, account)),
    )
  },

  async listWorldOrders({ params, query }, context) {
    const world = worldNamed(params.world, context)
    const accountId = (query.account_id as AccountId | undefined) ?? customersOf(world)[0]?.id
    if (accountId === undefined || !world.view.accounts.has(accountId))
      throw refuse({ code: 'accountNotFound' })
    await context.read(world, (view) => view.seq)
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
    const order = await findOrder(worldNamed(params.world, context), params.order_id as OrderId)
    if (!order) throw refuse({ code: 'orderNotFound', id: params.order_id })
    return orderAnswer(order)
  },
} satisfies SomeHandlers

function toWire(world: World, view: View, account: Account): OutputOf<'listWorldAccounts'>[number] {
  const balances = currentBalances(world, view, account.id)
  return {
    ...brokerAccountToWire(account),
    cash: format(balances.cash),
    equity: format(balances.equity),
    buying_power: format(balances.buyingPower),
    position_market_value: format(balances.longValue + balances.shortValue),
    positions: view.positions.get(account.id)?.size ?? 0,
  }
}
