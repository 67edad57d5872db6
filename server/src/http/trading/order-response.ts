import { mapWithPauses } from '@quipu/broker/clock/long-work.ts'
import type { OrderRecord } from '@quipu/contract'
import type { Order } from '@quipu/core'
import { orderText } from '../../wire/order-wire.ts'
import { prebuilt } from '../prebuilt.ts'

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
