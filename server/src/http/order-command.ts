import type { PlaceOrderRecord, ReplaceOrderRecord } from '@quipu/contract'
import {
  type AccountId,
  type Asset,
  type ClientOrderId,
  type Money,
  type OrderId,
  type PlaceOrder,
  type Price,
  parseDecimal,
  type Quantity,
  type ReplaceOrder,
  type Ticker,
} from '@quipu/core'
import type { World } from '../world.ts'
import { assetNamed } from './assets.ts'
import { intentOf, kindOf } from './order-words.ts'
import { present } from './present.ts'
import { refuse } from './refusal.ts'

type Body = PlaceOrderRecord

/** The command an order's body asks for. */
export function placeOrderOf(body: Body, world: World, accountId: AccountId): PlaceOrder {
  const { client_order_id: clientOrderId, order_class: orderClass } = body
  if (orderClass === 'mleg') throw refuse({ code: 'orderClassNotSupported', orderClass })
  const asset = assetNamed(world, body.symbol!)
  const command = {
    kind: 'placeOrder' as const,
    accountId,
    // An unknown one goes on as it came, and the core refuses it by that name.
    symbol: asset?.symbol ?? (body.symbol as Ticker),
    side: body.side!,
    type: kindOf[body.type],
    timeInForce: body.time_in_force,
    extendedHours: body.extended_hours,
    quantity: quantityOf(body, asset),
  }
  const limit = limitOf(body)
  const priced = limit === undefined ? command : { ...command, limit: amountOf(limit) as Price }
  const named =
    clientOrderId === undefined ? priced : { ...priced, clientOrderId: clientOrderId as ClientOrderId }
  return isPlain(body) ? named : { ...named, ...more(body) }
}

/** What most orders have nothing of. */
const isPlain = (body: Body): boolean =>
  body.notional === undefined &&
  body.stop_price === undefined &&
  body.trail_price === undefined &&
  body.trail_percent === undefined &&
  body.position_intent === undefined &&
  (body.order_class === '' || body.order_class === 'simple')

function more(body: Body): Partial<PlaceOrder> {
  const { order_class: orderClass, position_intent: intent, stop_loss: loss } = body
  const group =
    orderClass === 'bracket' || orderClass === 'oco' || orderClass === 'oto' ? orderClass : undefined
  const profit = group === 'oco' ? undefined : (given(body.take_profit?.limit_price) as Price | undefined)
  const stop = given(loss?.stop_price) as Price | undefined
  return present({
    notional: given(body.notional) as Money | undefined,
    stop: given(body.stop_price) as Price | undefined,
    trailPrice: given(body.trail_price) as Price | undefined,
    trailPercent: given(body.trail_percent),
    intent: intent && intentOf[intent],
    class: group,
    takeProfit: profit === undefined ? undefined : { limit: profit },
    stopLoss:
      stop === undefined
        ? undefined
        : { stop, ...present({ limit: given(loss?.limit_price) as Price | undefined }) },
  })
}

/** The parent of two exits is the take-profit, which may be named as either. */
const limitOf = ({ order_class: orderClass, take_profit: profit, limit_price: limit }: Body) =>
  orderClass === 'oco' ? (profit?.limit_price ?? limit) : limit

const PLACES_MAX = 9

/** Places beyond those an account can hold are left out of coins, and refused of shares. */
function quantityOf({ qty }: Body, asset: Asset | undefined): Quantity {
  if (qty === undefined) return 0n as Quantity
  const dot = qty.indexOf('.')
  if (dot < 0 || qty.length - dot - 1 <= PLACES_MAX) return amountOf(qty) as Quantity
  if (asset?.class !== 'crypto') {
    const problem = `qty: expected a decimal of at most ${PLACES_MAX} places, received "${qty}"`
    throw refuse({ code: 'invalidParameter', problem })
  }
  const kept = amountOf(qty.slice(0, dot + 1 + PLACES_MAX))
  if (kept === 0n) throw refuse({ code: 'invalidParameter', problem: 'qty must be > 0' })
  return kept as Quantity
}

/** The command a replacement's body asks for. */
export function replaceOrderOf(
  body: ReplaceOrderRecord,
  accountId: AccountId,
  orderId: OrderId,
): ReplaceOrder {
  const { qty, limit_price: limit, stop_price: stop, trail } = body
  return {
    kind: 'replaceOrder',
    accountId,
    orderId,
    ...present({
      clientOrderId: body.client_order_id as ClientOrderId | undefined,
      timeInForce: body.time_in_force,
      quantity: given(qty) as Quantity | undefined,
      limit: given(limit) as Price | undefined,
      stop: given(stop) as Price | undefined,
      trail: given(trail),
    }),
  }
}

const given = (plain: string | undefined): bigint | undefined =>
  plain === undefined ? undefined : amountOf(plain)

/** The contract lets only such decimals through as an account can hold. */
function amountOf(plain: string): bigint {
  const amount = parseDecimal(plain)
  if (!amount.ok) throw new Error(`bug: the contract let ${plain} through`)
  return amount.value
}
