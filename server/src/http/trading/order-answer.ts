import type { OrderRecord } from '@quipu/contract'
import type { Order } from '@quipu/core'
import { orderText } from '../../wire/order-text.ts'
import { prebuilt } from '../prebuilt.ts'

/** The response of an order. */
export const orderAnswer = (order: Order, legs?: readonly Order[]): OrderRecord =>
  prebuilt(orderText(order, legs))

/** The response of several orders, each with its legs. */
export const ordersAnswer = (
  orders: readonly Order[],
  legsOf?: (order: Order) => readonly Order[] | undefined,
): readonly OrderRecord[] =>
  prebuilt(`[${orders.map((order) => orderText(order, legsOf?.(order))).join(',')}]`)
