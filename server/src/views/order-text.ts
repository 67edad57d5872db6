import { encodeOrder, type Order } from '@quipu/core'

const texts = new WeakMap<Order, string>()

/** An order as the tables keep it. It stands in a row of its own and among the updates, and is written out once. */
export function orderText(order: Order): string {
  let text = texts.get(order)
  if (text === undefined) texts.set(order, (text = encodeOrder(order)))
  return text
}
