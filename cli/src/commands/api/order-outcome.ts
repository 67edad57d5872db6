import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderRecord } from '@quipu/contract'
import { isFinal } from '@quipu/sdk'
import type { CommandContext } from '../command.ts'

/** An order that the market fills at once is filled within this time, unless its world stands still. */
const SETTLES_MS = 600
const POLL_MS = 60

const mayFillAtOnce = ({ type, time_in_force: tif }: OrderRecord): boolean =>
  (type === 'market' || type === 'limit') && tif !== 'opg' && tif !== 'cls'

/** The order with its fill, if the market fills it at once; otherwise as it is after a short wait. */
export async function afterShortWait(
  { operator, config: { world } }: CommandContext,
  placed: OrderRecord,
): Promise<OrderRecord> {
  let order = placed
  if (!mayFillAtOnce(placed)) return order
  for (let waitedMs = 0; waitedMs < SETTLES_MS && !isFinal(order); waitedMs += POLL_MS) {
    await sleep(POLL_MS)
    order = await operator().getWorldOrder({ params: { world, order_id: placed.id } })
  }
  return order
}

/** `filled at 261.79`, `filled 4/10 at 261.79`, or the status. */
export function outcomeText({
  status,
  qty,
  filled_qty: filled,
  filled_avg_price: price,
}: OrderRecord): string {
  if (status === 'filled') return `filled at ${price}`
  return status === 'partially_filled' ? `filled ${filled}/${qty} at ${price}` : status
}
