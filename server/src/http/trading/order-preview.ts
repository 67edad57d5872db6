import { type Preview, previewOrder } from '@quipu/broker/world/preview.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { errorResponse, type OrderPreviewRecord } from '@quipu/contract'
import {
  add,
  type BrokerEvent,
  balancesOf,
  costInCents,
  expectedPrice,
  feeOfFill,
  format,
  formatInstant,
  isOpen,
  type Money,
  NO_MONEY,
  NO_QUANTITY,
  newYorkDate,
  type Order,
  type OrderAccepted,
  type OrderFilled,
  type OrderId,
  type PlaceOrder,
  type Price,
  type Quantity,
  remaining,
  settingsOf,
  type View,
} from '@quipu/core'
import { orderOf } from '../../wire/numbered-event.ts'
import { refuseOrder, statuses } from '../../wire/order-words.ts'
import { Refused } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { decisionSteps } from '../reading/explain/decisions.ts'
import { affordable, refusalSteps } from '../reading/explain/refusal.ts'
import type { ExplainedStep, ExplainedWorld } from '../reading/explain/step.ts'
import { waitingSteps } from '../reading/explain/waiting.ts'
import { placeOrderOf, whenPriced } from './order-command.ts'

export const orderPreviewHandlers = {
  async previewOrder({ body }, context) {
    const { world, accountId } = context.account
    const command = commandOf(() => placeOrderOf(body, world, accountId))
    if (command instanceof Refused) return refusedPreview(context, command)
    const preview = (earlier?: OrderId) =>
      world.engine.read((view) => {
        const tried = { ...command, ...(earlier && { earlier }) }
        return previewToWire(world, view, tried, previewOrder(world, tried))
      })
    const { clientOrderId } = command
    return whenPriced(world, command, () =>
      context.state.resultOf(
        world,
        clientOrderId ? world.storage.withEarlierOrder(accountId, clientOrderId, preview) : preview(),
      ),
    )
  },
} satisfies SomeHandlers

/** A command, or why its terms cannot be a command. */
function commandOf(make: () => PlaceOrder): PlaceOrder | Refused {
  try {
    return make()
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

const refusedPreview = (context: Context, refused: Refused): Promise<OrderPreviewRecord> => {
  const { world, accountId } = context.account
  return context.state.read(world, (view) => ({
    outcome: 'refused',
    refusal: refusalToWire(refused),
    buying_power_before: powerOf(world, view, accountId),
    steps: [],
    alternatives: [],
  }))
}

const refusalToWire = ({ reason }: Refused): NonNullable<OrderPreviewRecord['refusal']> => {
  const { status, body } = errorResponse(reason.code, reason)
  return { status, ...body }
}

function previewToWire(
  world: World,
  before: View,
  command: PlaceOrder,
  preview: Preview,
): OrderPreviewRecord {
  const { accountId, symbol } = command
  const buyingPower = powerOf(world, before, accountId)
  if (preview.refusal) return { ...refusalOf(world, command, preview), buying_power_before: buyingPower }
  const { order, after, events } = preview
  const fills = events.filter((event) => isFillOf(event, order))
  const accepted = events[0] as OrderAccepted
  const price = expectedPriceOf(world, command, preview, accepted)
  return {
    outcome: outcomeOf(order),
    status: statuses[order.status],
    qty: format(order.quantity),
    estimated_price: format(price),
    reserved_price: format(order.reserve),
    estimated_value: format(estimatedValue(order, fills, price)),
    cost: format(accepted.decidedWith.cost ?? NO_MONEY),
    fees: feesOf(before, order, fills, price),
    fills: fills.map(fillToWire),
    remaining_qty: format(restOf(order)),
    buying_power_before: buyingPower,
    buying_power_after: powerOf(world, after, accountId),
    position_qty_before: format(positionOf(before, command)),
    position_qty_after: format(positionOf(after, { accountId, symbol })),
    steps: stepsOf(world, before, preview),
    alternatives: [],
  }
}

const isFillOf = (event: BrokerEvent, { id }: Order): event is OrderFilled =>
  event.kind === 'orderFilled' && event.orderId === id

const fillToWire = ({ quantity, price, cash, quote }: OrderFilled) => ({
  qty: format(quantity),
  price: format(price),
  cash: format(cash),
  quote_at: formatInstant(quote.at),
})

function outcomeOf(order: Order): OrderPreviewRecord['outcome'] {
  const { status, filledQuantity } = order
  if (status === 'filled' || status === 'rejected') return status
  if (filledQuantity > NO_QUANTITY) return 'partially_filled'
  return isOpen(order) ? 'waits' : 'canceled'
}

const powerOf = ({ market, engine }: World, view: View, accountId: PlaceOrder['accountId']): string => {
  const prices = market.pricesAt(engine.now)
  const asset = (symbol: PlaceOrder['symbol']) => market.assets().get(symbol)
  return format(balancesOf(view, { prices, asset }, accountId).buyingPower)
}

const positionOf = (view: View, { accountId, symbol }: Pick<PlaceOrder, 'accountId' | 'symbol'>): Quantity =>
  view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY

/** The quantity that is neither filled nor canceled. */
const restOf = (order: Order): Quantity => (isOpen(order) ? remaining(order) : NO_QUANTITY)

function expectedPriceOf(
  { market }: World,
  command: PlaceOrder,
  { order, at }: Preview & { readonly refusal?: undefined },
  { decidedWith: { session } }: OrderAccepted,
): Price {
  if (session === undefined) return order.reserve
  const terms = { ...command, quantity: order.quantity }
  return expectedPrice({ prices: market.pricesAt(at) }, session, terms, order.intent) ?? order.reserve
}

const restValue = (order: Order, price: Price): Money =>
  costInCents(price, restOf(order), order.side === 'buy' ? 'up' : 'down')

const estimatedValue = (order: Order, fills: readonly OrderFilled[], price: Price): Money =>
  fills.reduce((sum, { cash }) => add(sum, cash), restValue(order, price))

type Fee = NonNullable<OrderPreviewRecord['fees']>[number]

/** The fees of the fills, and of the rest at the estimated price. */
function feesOf(view: View, order: Order, fills: readonly OrderFilled[], price: Price): Fee[] {
  const sums = new Map<string, Fee & { sum: bigint }>()
  const count = (kind: Fee['kind'], asset: string, amount: bigint | undefined) => {
    if (amount === undefined) return
    const sum = (sums.get(kind)?.sum ?? 0n) + amount
    sums.set(kind, { kind, asset, amount: format(sum), sum })
  }
  const quantity = restOf(order)
  const { symbol, side, createdAt } = order
  const rest = { symbol, side, quantity, cash: restValue(order, price), date: newYorkDate(createdAt) }
  const later = quantity > NO_QUANTITY ? [feeOfFill(settingsOf(view).fees, rest)] : []
  for (const { fees, coinFee } of [...fills, ...later]) {
    for (const kind of ['sec', 'taf', 'cat'] as const) count(kind, 'USD', fees?.[kind])
    count('crypto', coinFee?.asset ?? '', coinFee?.amount)
  }
  return Array.from(sums.values(), ({ sum: _, ...fee }) => fee)
}

/** The steps that explain would return for the order. They are based on no event that exists. */
function stepsOf(
  world: World,
  before: View,
  preview: Preview & { readonly refusal?: undefined },
): ExplainedStep[] {
  const { order, after, events, at } = preview
  const own = events.flatMap((event, index) =>
    orderOf(event) === order.id ? [{ seq: index + 1, event }] : [],
  )
  const used = before.usedSizes.get(order.symbol)
  const ahead = new Map<number, bigint>()
  for (const { seq, event } of own)
    if (event.kind === 'orderFilled' && event.quote.at === used?.quoteAt)
      ahead.set(seq, order.side === 'buy' ? used.bought : used.sold)
  const { market } = world
  const explained: ExplainedWorld = {
    view: after,
    engine: { latest: after.lastAt },
    market: { assets: () => market.assets(), pricesAt: () => market.pricesAt(at) },
  }
  const steps = [
    ...decisionSteps(explained, { order, own, ahead, upTo: own.length }),
    ...waitingSteps(explained, order),
  ]
  return steps.map(({ number: _, ...step }) => step)
}

function refusalOf(
  world: World,
  command: PlaceOrder,
  { at, refusal: reason }: Preview & { readonly refusal: NonNullable<Preview['refusal']> },
): Pick<OrderPreviewRecord, 'outcome' | 'refusal' | 'steps' | 'alternatives'> {
  const prices = world.market.assets().has(command.symbol) ? world.market.pricesAt(at) : undefined
  const quote = prices?.quote(command.symbol)
  const refused = { cause: '', at, command, reason, quote, trade: prices?.trade(command.symbol) }
  return {
    outcome: 'refused',
    refusal: refusalToWire(refuseOrder(reason)),
    steps: refusalSteps(world, refused),
    alternatives: affordable(refused, command),
  }
}
