import type { World } from '@quipu/broker/world/world.ts'
import type { PlaceOrderRecord, ReplaceOrderRecord } from '@quipu/contract'
import {
  type AccountId,
  type Asset,
  type ClientOrderId,
  definedFields,
  format,
  type Money,
  type OrderId,
  type PlaceOrder,
  type Price,
  type Quantity,
  type ReplaceOrder,
  type Ticker,
  toPrice,
  toQuantity,
} from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'
import { intentOf, kindOf } from '../../wire/order-words.ts'
import { refuse } from '../../wire/refusal.ts'
import { assetNamed } from './assets.ts'

type Body = PlaceOrderRecord

/** Calls `use` once the market has a price of the order's symbol. A live market may not have one yet. */
export function whenPriced<Value>(
  { market }: World,
  { symbol }: PlaceOrder,
  use: () => Promise<Value>,
): Promise<Value> {
  return market.live && market.assets().has(symbol) ? market.live.waitForPrice(symbol).then(use) : use()
}

/** The command of the body of an order. */
export function placeOrderOf(body: Body, world: World, accountId: AccountId): PlaceOrder {
  const { client_order_id: clientOrderId, order_class: orderClass } = body
  if (orderClass === 'mleg') throw refuse({ code: 'orderClassNotSupported', orderClass })
  const asset = assetNamed(world, body.symbol!)
  const command = {
    kind: 'placeOrder' as const,
    accountId,
    // The core refuses an unknown symbol and names it as the client sent it.
    symbol: asset?.symbol ?? (body.symbol as Ticker),
    side: body.side!,
    type: kindOf[body.type],
    timeInForce: body.time_in_force,
    extendedHours: body.extended_hours,
    quantity: toQuantity(optionalAmount(body.qty) ?? 0n),
  }
  const limit = priceOf(asset, limitField(body), limitOf(body))
  const priced = limit === undefined ? command : { ...command, limit }
  const named =
    clientOrderId === undefined ? priced : { ...priced, clientOrderId: clientOrderId as ClientOrderId }
  return isPlain(body) ? named : { ...named, ...rareFields(body, asset) }
}

/** Whether the order has none of the fields that few orders have. */
const isPlain = (body: Body): boolean =>
  body.notional === undefined &&
  body.stop_price === undefined &&
  body.trail_price === undefined &&
  body.trail_percent === undefined &&
  body.position_intent === undefined &&
  (body.order_class === '' || body.order_class === 'simple')

function rareFields(body: Body, asset: Asset | undefined): Partial<PlaceOrder> {
  const { order_class: orderClass, position_intent: intent, stop_loss: loss } = body
  const group =
    orderClass === 'bracket' || orderClass === 'oco' || orderClass === 'oto' ? orderClass : undefined
  const profit =
    group === 'oco' ? undefined : priceOf(asset, 'take_profit.limit_price', body.take_profit?.limit_price)
  const stop = priceOf(asset, 'stop_loss.stop_price', loss?.stop_price)
  return definedFields({
    notional: optionalAmount(body.notional) as Money | undefined,
    stop: priceOf(asset, 'stop_price', body.stop_price),
    trailPrice: optionalAmount(body.trail_price) as Price | undefined,
    trailPercent: optionalAmount(body.trail_percent),
    intent: intent && intentOf[intent],
    class: group,
    takeProfit: profit === undefined ? undefined : { limit: profit },
    stopLoss:
      stop === undefined
        ? undefined
        : { stop, ...definedFields({ limit: priceOf(asset, 'stop_loss.limit_price', loss?.limit_price) }) },
  })
}

/** The parent of an OCO order is the take-profit; clients send its limit as take_profit.limit_price or limit_price. */
const limitOf = ({ order_class: orderClass, take_profit: profit, limit_price: limit }: Body) =>
  orderClass === 'oco' ? (profit?.limit_price ?? limit) : limit
const limitField = ({ order_class: orderClass, take_profit: profit }: Body) =>
  orderClass === 'oco' && profit?.limit_price !== undefined ? 'take_profit.limit_price' : 'limit_price'

const DECIMALS_MAX = 9

/** A price with more decimals than the core has breaks every tick rule, so it gets the refusal of the tick rule. */
function priceOf(asset: Asset | undefined, field: string, plain: string | undefined): Price | undefined {
  if (plain === undefined) return undefined
  const dot = plain.indexOf('.')
  if (dot < 0 || plain.length - dot - 1 <= DECIMALS_MAX) return toPrice(amountOf(plain))
  if (asset?.class === 'crypto')
    throw refuse({ code: 'priceIncrement', field, price: plain, increment: format(asset.tick) })
  throw refuse({ code: 'subPenny', field, price: plain })
}

/** The command of the body of a replacement. */
export function replaceOrderOf(
  body: ReplaceOrderRecord,
  world: World,
  accountId: AccountId,
  orderId: OrderId,
): ReplaceOrder {
  const order = world.view.orders.get(orderId)
  const asset = order?.accountId === accountId ? world.market.assets().get(order.symbol) : undefined
  const { qty, limit_price: limit, stop_price: stop, trail } = body
  return {
    kind: 'replaceOrder',
    accountId,
    orderId,
    ...definedFields({
      clientOrderId: body.client_order_id as ClientOrderId | undefined,
      timeInForce: body.time_in_force,
      quantity: optionalAmount(qty) as Quantity | undefined,
      limit: priceOf(asset, 'limit_price', limit),
      stop: priceOf(asset, 'stop_price', stop),
      trail: optionalAmount(trail),
    }),
  }
}

const optionalAmount = (plain: string | undefined): bigint | undefined =>
  plain === undefined ? undefined : amountOf(plain)
