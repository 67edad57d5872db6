import { type CanceledRecord, errorAnswer, type Handlers } from '@quipu/contract'
import type { Decision, Order, OrderId, Refusal, View } from '@quipu/core'
import type { Context } from './context.ts'
import { placeOrderOf, replaceOrderOf } from './order-command.ts'
import { fromViews } from './order-reading.ts'
import { orderToWire } from './order-wire.ts'
import { refuseOrder } from './order-words.ts'
import type { Refused } from './refusal.ts'

type Names = 'placeOrder' | 'replaceOrder' | 'cancelOrder' | 'cancelAllOrders'

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
        world.submit(earlier ? { ...command, earlier } : command, (view, decision) => ({
          decision,
          legs: decision.ok ? openLegs(view, acceptedBy(decision)[0]) : [],
        })),
      )
    const { clientOrderId } = command
    const { decision, legs } = await (clientOrderId
      ? world.withEarlier(accountId, clientOrderId, submit)
      : submit())
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notReplaceable)
    return orderToWire(acceptedBy(decision)[0], legs)
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

  cancelAllOrders: async (_, context) => {
    const { world, accountId } = context.account
    const ids = await context.saw(
      world,
      world.read((view) => [...(view.openOrders.get(accountId) ?? [])]),
    )
    const answers: CanceledRecord[] = []
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE).map((id) => cancelOne(context, id))
      answers.push(...(await Promise.all(some)))
    }
    return answers
  },
}

/** So many are asked for together: what waits for the disk has a limit that others share. */
const AT_ONCE = 500

async function cancelOne(context: Context, orderId: OrderId): Promise<CanceledRecord> {
  const { world, accountId } = context.account
  const decision = await context.saw(
    world,
    world.submit({ kind: 'cancelOrder', accountId, orderId }, (_, decided) => decided),
  )
  // A member of a group is canceled with the first of them.
  if (decision.ok || isCanceled(decision.reason)) return { id: orderId, status: 200 }
  const { reason } = refuseOrder(decision.reason)
  return { id: orderId, ...errorAnswer(reason.code, reason) }
}

const isCanceled = (reason: Refusal): boolean =>
  reason.code === 'orderAlreadyTerminal' && reason.status === 'canceled'

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

/** What waits for a parent, as it is now. */
const openLegs = ({ groups, orders }: View, { id, group }: Order): readonly Order[] =>
  group?.legIds?.flatMap((legId) => (groups.get(id)?.has(legId) ? (orders.get(legId) ?? []) : [])) ?? []

/** The orders that a placement or a replacement made, the parent first. */
function acceptedBy(decision: Decision): readonly [Order, ...Order[]] {
  if (!decision.ok) throw refuseOrder(decision.reason)
  const [first, ...legs] = decision.value.flatMap((event) =>
    event.kind === 'orderAccepted' ? [event.order] : [],
  )
  if (!first) throw new Error('bug: an order was placed and not accepted')
  return [first, ...legs]
}
