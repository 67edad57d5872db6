import { isFinal, type Order } from '@quipu/sdk'
import { moneyText } from '../../../format/amounts.ts'
import { sum } from '../../../format/decimal.ts'
import { ask } from '../../../parts/question.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { api } from '../../../session/selection.ts'
import type { LivePosition } from '../live-values.ts'

/** A browser has six connections to a server. */
const AT_ONCE = 4

export const isCancelable = (order: Order): boolean => !isFinal(order) && order.status !== 'pending_cancel'

/** A market order closes all of a position, so none of it may be held by open orders. */
export const isClosable = ({ position: { qty, qty_available: free } }: LivePosition): boolean =>
  free == null || Number(free) === Number(qty)

/** Runs for all items, a few at a time. Returns the errors. */
async function forAll<Item>(
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

const countText = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** `Canceled 2 orders.`, and why others were not. */
function report(verb: string, count: number, what: string, errors: readonly Error[]): void {
  const [first] = errors
  const refused = first ? ` ${errors.length} refused: ${first.message}` : ''
  toast(`${verb} ${countText(count - errors.length, what)}.${refused}`)
}

/** Cancels orders. A canceled order can be placed again, so nothing is asked. */
export async function cancelOrders(orders: readonly Order[]): Promise<void> {
  const connection = api.peek()
  if (!connection) return
  const errors = await forAll(orders, ({ id }) => connection.client.cancelOrder({ params: { order_id: id } }))
  report('Canceled', orders.length, 'order', errors)
}

/** Closes positions at the market, after one question that names the sum. */
export async function closePositions(positions: readonly LivePosition[]): Promise<void> {
  const connection = api.peek()
  if (!connection || positions.length === 0) return
  const what = countText(positions.length, 'position')
  const value = sum(positions.map(({ value: one }) => (one.units < 0n ? { ...one, units: -one.units } : one)))
  const names = positions.map(({ position }) => position.symbol)
  const confirmed = await ask({
    title: names.length === 1 ? `Close ${names[0]}?` : `Close ${what}?`,
    effect: `Sends ${countText(names.length, 'market order')}, about ${moneyText(value)} in total: ${namesText(names)}.`,
    keep: names.length === 1 ? 'Keep it' : 'Keep them',
    confirm: `Close ${what}`,
  })
  if (!confirmed) return
  const errors = await forAll(names, (symbol) =>
    connection.client.closePosition({ params: { symbol_or_asset_id: symbol } }),
  )
  report('Sent orders to close', names.length, 'position', errors)
}

const NAMED_MAX = 8
const namesText = (names: readonly string[]): string =>
  names.length <= NAMED_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`
