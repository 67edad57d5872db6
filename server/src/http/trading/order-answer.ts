import type { OrderRecord } from '@quipu/contract'
import type { Order } from '@quipu/core'
import { orderText } from '../../wire/order-text.ts'
import { prebuilt } from '../prebuilt.ts'

/** An order as it is answered. */
export const orderAnswer = (order: Order, legs?: readonly Order[]): OrderRecord =>
  prebuilt(orderText(order, legs))

/** A list of them, each with the legs that are found for it. */
export const ordersAnswer = (
  orders: readonly Order[],
  legsOf?: (order: Order) => readonly Order[] | undefined,
): readonly OrderRecord[] =>
  prebuilt(`[${orders.map((order) => orderText(order, legsOf?.(order))).join(',')}]`)
