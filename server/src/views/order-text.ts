import { encodeOrder, type Order } from '@quipu/core'

const texts = new WeakMap<Order, string>()

/** The stored text of an order. Cached, because both the order row and the update row contain it. */
export function orderText(order: Order): string {
  let text = texts.get(order)
  if (text === undefined) texts.set(order, (text = encodeOrder(order)))
  return text
}
