import { type CanceledRecord, errorAnswer, type Handlers, type OrderRecord } from '@quipu/contract'
import {
  type Decision,
  type Order,
  type OrderId,
  openOrdersOf,
  type PlaceOrder,
  type Refusal,
  type View,
} from '@quipu/core'
import { orderToWire } from '../../wire/order-wire.ts'
import { refuseOrder } from '../../wire/order-words.ts'
import type { Refused } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { orderAnswer } from './order-answer.ts'
import { placeOrderOf, replaceOrderOf } from './order-command.ts'
import { fromViews } from './order-reading.ts'

type Names = 'placeOrder' | 'replaceOrder' | 'cancelOrder' | 'cancelAllOrders'

export const orderHandlers: Handlers<Context, Names> = {
  placeOrder: ({ body }, context) => {
    const { world, accountId } = context.account
    const command = placeOrderOf(body, world, accountId)
    const { live } = world.market
    // A market that cannot be foreseen may have to ask for the first price of a symbol.
    return live && world.market.assets().has(command.symbol)
      ? live.priced(command.symbol).then(() => placed(context, command))
      : placed(context, command)
  },

  replaceOrder: async ({ params, body }, context) => {
    const { world, accountId } = context.account
    const orderId = params.order_id as OrderId
    const command = replaceOrderOf(body, world, accountId, orderId)
    const submit = (earlier?: OrderId) =>
      context.saw(
        world,
        world.submit(
          earlier ? { ...command, earlier } : command,
          (view, decision) => ({
            decision,
            legs: decision.ok ? openLegs(view, acceptedBy(decision)[0]) : [],
          }),
          context.cause,
        ),
      )
    const { clientOrderId } = command
    const { decision, legs } = await (clientOrderId
      ? world.withEarlierOrder(accountId, clientOrderId, submit)
      : submit())
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notReplaceable)
    return orderAnswer(acceptedBy(decision)[0], legs)
  },

  cancelOrder: async ({ params }, context) => {
    const { world, accountId } = context.account
    const orderId = params.order_id as OrderId
    const decision = await context.saw(
      world,
      world.submit({ kind: 'cancelOrder', accountId, orderId }, decided, context.cause),
    )
    if (!decision.ok) throw await refusalOf(context, orderId, decision.reason, notCancelable)
    return undefined
  },

  cancelAllOrders: async (_, context) => {
    const { world, accountId } = context.account
    const ids = await context.saw(
      world,
      world.read((view) => Array.from(openOrdersOf(view, accountId), ({ id }) => id)),
    )
    const answers: CanceledRecord[] = []
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE).map((id) => cancelOne(context, id))
      answers.push(...(await Promise.all(some)))
    }
    return answers
  },
}

/** These name the request with each command; others are followed through all they wait for, at the price of a digest. */
export const namingHandlers: ReadonlySet<string> = new Set(Object.keys(orderHandlers))

function placed(context: Context, command: PlaceOrder): Promise<OrderRecord> {
  const { world, accountId } = context.account
  const submit = (earlier?: OrderId) =>
    world.submit(earlier ? { ...command, earlier } : command, decided, context.cause)
  const { clientOrderId } = command
  const answer = clientOrderId ? world.withEarlierOrder(accountId, clientOrderId, submit) : submit()
  return context.saw(world, answer, (decision) => {
    const [order, ...legs] = acceptedBy(decision)
    return orderAnswer(order, legs)
  })
}

const decided = (_: View, decision: Decision): Decision => decision

/** So many are asked for together: what waits for the disk has a limit that others share. */
const AT_ONCE = 500

async function cancelOne(context: Context, orderId: OrderId): Promise<CanceledRecord> {
  const { world, accountId } = context.account
  const { decision, order } = await context.saw(
    world,
    world.submit(
      { kind: 'cancelOrder', accountId, orderId },
      (view, decision) => ({ decision, order: view.orders.get(orderId) }),
      context.cause,
    ),
  )
  // A member of a group is canceled with the first of them.
  if (decision.ok || isCanceled(decision.reason)) {
    const canceled = order ?? (await fromViews(context, () => world.views.order(accountId, orderId)))
    return { id: orderId, status: 200, body: canceled && orderToWire(canceled) }
  }
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
  const orders: Order[] = []
  for (const event of decision.value) if (event.kind === 'orderAccepted') orders.push(event.order)
  if (orders.length === 0) throw new Error('bug: an order was placed and not accepted')
  return orders as [Order, ...Order[]]
}
