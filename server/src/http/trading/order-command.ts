import type { World } from '@quipu/broker/world/world.ts'
import type { PlaceOrderRecord, ReplaceOrderRecord } from '@quipu/contract'
import {
  type AccountId,
  type Asset,
  definedFields,
  GROUP_CLASSES,
  type GroupClass,
  missing,
  NO_QUANTITY,
  type OrderId,
  type PlaceOrder,
  type ReplaceOrder,
  tickerOf,
} from '@quipu/core'
import { amountOf, priceOf } from '../../wire/amounts.ts'
import { sentFieldsReader } from '../../wire/order-wire.ts'
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

/** Fields of the body that need more than their row in the table of fields. */
type GroupField = 'order_class' | 'take_profit' | 'stop_loss' | 'legs'
const withPlacedFields = sentFieldsReader<Body, 'symbol' | 'advanced_instructions' | GroupField>()

/** The command that an order's body describes. */
export function placeOrderOf(body: Body, world: World, accountId: AccountId): PlaceOrder {
  const { symbol: named, order_class: orderClass } = body
  if (orderClass === 'mleg') throw refuse({ code: 'orderClassNotSupported', orderClass })
  const symbol = named ?? missing('symbol')
  const asset = assetNamed(world, symbol)
  const start = {
    kind: 'placeOrder' as const,
    accountId,
    // The core refuses an unknown symbol and names it as the client sent it.
    symbol: asset?.symbol ?? tickerOf(symbol),
    quantity: NO_QUANTITY,
  }
  const sent = isProfitLimit(body) ? { ...body, limit_price: undefined } : body
  const command = withPlacedFields(start, sent, asset) as typeof start & RequiredFields
  const group = GROUP_CLASSES.find((name) => name === orderClass)
  return group ? { ...command, ...groupFields(group, body, asset) } : command
}

/** The contract requires these fields or has a default for them. */
type RequiredFields = Pick<PlaceOrder, 'side' | 'type' | 'timeInForce' | 'extendedHours'>

/** The parent of an OCO order is the take-profit; clients send its limit as take_profit.limit_price or limit_price. */
const isProfitLimit = ({ order_class: orderClass, take_profit: profit }: Body): boolean =>
  orderClass === 'oco' && profit?.limit_price !== undefined

function groupFields(group: GroupClass, body: Body, asset: Asset | undefined): Partial<PlaceOrder> {
  const { take_profit: profit, stop_loss: loss } = body
  const priceIn = (name: string, text: string | undefined) =>
    text === undefined ? undefined : priceOf(text, name, asset)
  const limit = priceIn('take_profit.limit_price', profit?.limit_price)
  const stop = priceIn('stop_loss.stop_price', loss?.stop_price)
  return definedFields({
    class: group,
    limit: isProfitLimit(body) ? limit : undefined,
    takeProfit: limit === undefined || isProfitLimit(body) ? undefined : { limit },
    stopLoss:
      stop === undefined
        ? undefined
        : { stop, ...definedFields({ limit: priceIn('stop_loss.limit_price', loss?.limit_price) }) },
  })
}

const withReplacedFields = sentFieldsReader<ReplaceOrderRecord, 'trail' | 'advanced_instructions'>()

/** The command that a replacement's body describes. */
export function replaceOrderOf(
  body: ReplaceOrderRecord,
  world: World,
  accountId: AccountId,
  orderId: OrderId,
): ReplaceOrder {
  const order = world.view.orders.get(orderId)
  const asset = order?.accountId === accountId ? world.market.assets().get(order.symbol) : undefined
  const { trail } = body
  const start = { kind: 'replaceOrder' as const, accountId, orderId }
  return withReplacedFields(trail === undefined ? start : { ...start, trail: amountOf(trail) }, body, asset)
}
