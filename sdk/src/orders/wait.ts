import type { CallOptions, Client } from '../contract.ts'
import { WaitTimeoutError } from '../errors.ts'
import { camelCase } from '../records/case.ts'
import type { Order } from '../records/records.ts'
import { pause } from '../send.ts'

/** Statuses after which an order does not change any more. */
const FINAL: ReadonlySet<string> = new Set(['filled', 'canceled', 'expired', 'rejected', 'replaced'])

/** Whether an order does not change any more. */
export const isFinal = (order: { readonly status: string }): boolean => FINAL.has(order.status)

export type WaitOptions = CallOptions & {
  /** Milliseconds to wait. Default: 30000. */
  readonly timeoutMs?: number
  /** The condition to wait for. Default: the order is filled, canceled, expired, rejected or replaced. */
  readonly until?: (order: Order) => boolean
}

const TIMEOUT_MS = 30_000
const DELAY_MS = 25
const DELAY_MAX_MS = 1000

/** Reads an order with growing delays until a condition holds. Throws WaitTimeoutError with the last order. */
export async function waitForOrder(
  client: Client,
  orderId: string,
  { timeoutMs = TIMEOUT_MS, until = isFinal, signal }: WaitOptions = {},
): Promise<Order> {
  const deadline = Date.now() + timeoutMs
  for (let delay = DELAY_MS; ; delay = Math.min(delay * 2, DELAY_MAX_MS)) {
    const params = { order_id: orderId }
    const order = camelCase(await client.getOrder({ params, query: { nested: true } }, { signal })) as Order
    if (until(order)) return order
    const restMs = deadline - Date.now()
    if (restMs <= 0)
      throw new WaitTimeoutError(`order ${orderId} is ${order.status} after ${timeoutMs} ms`, { order })
    await pause(Math.min(delay, restMs), signal)
  }
}
