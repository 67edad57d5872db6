import type { PlaceOrderRecord, ReplaceOrderRecord } from '@quipu/contract'
import {
  type AccountId,
  type ClientOrderId,
  type OrderId,
  type OrderKind,
  type PlaceOrder,
  type Price,
  parseDecimal,
  type Quantity,
  type ReplaceOrder,
  type Ticker,
  type TimeInForce,
} from '@quipu/core'
import type { World } from '../world.ts'
import { assetNamed } from './assets.ts'
import type { Context } from './context.ts'
import { present } from './present.ts'
import { refuse } from './refusal.ts'

type Body = PlaceOrderRecord

/** The command an order's body asks for; refuses what the protocol has and this broker does not trade. */
export function placeOrderOf(body: Body, world: World, accountId: AccountId): PlaceOrder {
  const { client_order_id: clientOrderId, limit_price: limit } = body
  const type = typeOf(body)
  const command = {
    kind: 'placeOrder' as const,
    accountId,
    symbol: symbolOf(body.symbol!, world),
    side: body.side!,
    type,
    timeInForce: timeInForceOf(body),
    extendedHours: body.extended_hours,
    quantity: amountOf(body.qty!) as Quantity,
  }
  const priced = limit === undefined ? command : { ...command, limit: amountOf(limit) as Price }
  return clientOrderId === undefined ? priced : { ...priced, clientOrderId: clientOrderId as ClientOrderId }
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

function typeOf({ type, order_class: orderClass, notional }: Body): OrderKind {
  if (orderClass !== '' && orderClass !== 'simple')
    throw refuse({ code: 'orderClassNotSupported', orderClass })
  if (type !== 'market' && type !== 'limit') throw refuse({ code: 'orderTypeNotSupported', type })
  if (notional !== undefined) throw refuse({ code: 'notionalNotSupported' })
  return type
}

function timeInForceOf({ time_in_force: timeInForce }: Body): TimeInForce {
  if (timeInForce === 'day' || timeInForce === 'gtc') return timeInForce
  throw refuse({ code: 'timeInForceNotSupported', timeInForce })
}

/** Callers may name an asset by its id. An unknown one goes on as it came, and the core refuses it by that name. */
const symbolOf = (given: string, world: World): Ticker =>
  assetNamed(world, given)?.symbol ?? (given as Ticker)

/** The contract lets only such decimals through as an account can hold. */
function amountOf(plain: string): bigint {
  const amount = parseDecimal(plain)
  if (!amount.ok) throw new Error(`bug: the contract let ${plain} through`)
  return amount.value
}

/** A stated intent must be what the order would do: without a position a sell opens, with one it closes. */
export async function checkIntent(body: Body, command: PlaceOrder, context: Context): Promise<void> {
  const { position_intent: specified, side } = body
  if (specified === undefined) return
  const { world, accountId } = context.account
  const isHeld = await context.saw(
    world,
    world.read((view) => view.positions.get(accountId)?.has(command.symbol) ?? false),
  )
  const inferred = side === 'buy' ? 'buy_to_open' : isHeld ? 'sell_to_close' : 'sell_to_open'
  if (specified !== inferred) throw refuse({ code: 'positionIntentMismatch', inferred, specified })
}
