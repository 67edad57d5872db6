import type { WireOrder as Order, SnapshotMessage } from '@quipu/sdk'
import type { Curve, SnapshotState } from './snapshot-state.ts'

type Changes = Extract<SnapshotMessage, { readonly event: 'changes' }>['data']

/** A message with as many orders of one part may have left out others. */
export const CHANGED_MAX = 1000

/** The state after a message. Parts that did not change are the same objects, so that nothing is drawn for them. */
export function applied(
  state: SnapshotState | undefined,
  message: SnapshotMessage,
): SnapshotState | undefined {
  if (message.event === 'snapshot') {
    const { clock: _, positions, orders, prices, ...rest } = message.data
    return {
      ...rest,
      positions: keyed(positions, symbolOf),
      orders: keyed(orders, idOf),
      prices: keyed(prices, symbolOf),
    }
  }
  return state && changed(state, message.data)
}

function changed(state: SnapshotState, changes: Changes): SnapshotState {
  const { account, gain_today: gain, open_orders: count, activities } = changes
  return {
    ...state,
    time: changes.time,
    event: changes.event,
    ...(account && { account }),
    ...(gain !== undefined && { gain_today: gain }),
    ...(count !== undefined && { open_orders: count }),
    ...(activities && { activities }),
    positions: merged(state.positions, changes.positions, changes.positions_ended, symbolOf),
    orders: merged(state.orders, changes.orders, changes.orders_ended, idOf),
    prices: merged(state.prices, changes.prices, undefined, symbolOf),
    ...curveOf(state.curve, changes),
  }
}

const symbolOf = ({ symbol }: { readonly symbol: string }): string => symbol
const idOf = ({ id }: Order): string => id

const keyed = <Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [keyOf(item), item]))

function merged<Item>(
  known: ReadonlyMap<string, Item>,
  items: readonly Item[] | undefined,
  ended: readonly string[] | undefined,
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item> {
  if (!items && !ended) return known
  const next = new Map(known)
  for (const item of items ?? []) next.set(keyOf(item), item)
  for (const key of ended ?? []) next.delete(key)
  return next
}

/** New points replace those from their first timestamp on. */
function curveOf(
  known: Curve | undefined,
  { curve, curve_points: points }: Changes,
): { readonly curve?: Curve } {
  if (curve) return { curve }
  const [first] = points?.timestamp ?? []
  if (!known || !points || first === undefined) return {}
  const kept = known.timestamp.findLastIndex((at) => at < first) + 1
  const joined = <Item>(before: readonly Item[], after: readonly Item[]) => [
    ...before.slice(0, kept),
    ...after,
  ]
  return {
    curve: {
      ...known,
      timestamp: joined(known.timestamp, points.timestamp),
      equity: joined(known.equity, points.equity),
      profit_loss: joined(known.profit_loss, points.profit_loss),
      profit_loss_pct: joined(known.profit_loss_pct, points.profit_loss_pct),
    },
  }
}
