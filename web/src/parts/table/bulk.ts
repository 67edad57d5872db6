import { isFinal, type WireOrder as Order } from '@quipu/sdk'
import { api } from '../../session/selection.ts'
import { toast } from '../toasts.tsx'

/** A browser has six connections to a server. */
const AT_ONCE = 4

/** Runs for all items, a few at a time. Returns the errors. */
export async function forAll<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<readonly Error[]> {
  const errors: Error[] = []
  const queue = items.values()
  const work = async () => {
    for (const item of queue) await run(item).catch((error: Error) => errors.push(error))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return errors
}

export const countText = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** `Canceled 2 orders.`, and why others were not. */
export function report(verb: string, count: number, what: string, errors: readonly Error[]): void {
  const [first] = errors
  const refused = first ? ` ${errors.length} refused: ${first.message}` : ''
  toast(`${verb} ${countText(count - errors.length, what)}.${refused}`)
}

export const isCancelable = (order: Order): boolean => !isFinal(order) && order.status !== 'pending_cancel'

/** Cancels orders. A canceled order can be placed again, so nothing is asked. */
export async function cancelOrders(orders: readonly Order[]): Promise<void> {
  const connection = api.peek()
  if (!connection) return
  const errors = await forAll(orders, ({ id }) => connection.client.cancelOrder({ params: { order_id: id } }))
  report('Canceled', orders.length, 'order', errors)
}
