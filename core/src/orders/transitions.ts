import { oneOf, type ValueOf } from '../schema.ts'

/**
 * The state machine of an order: which move leads from which status to which.
 *
 *   accepted    queued while the market is closed
 *   pendingNew  on its way to the market
 *   held        a leg that waits for its parent, or for its trigger
 *   new         working
 *   partiallyFilled, then one of the final statuses: filled, canceled, expired, replaced
 *
 * Any other transition is a bug in the core, never a refusal to a client.
 */
export const orderStatusSchema = oneOf(
  'accepted',
  'pendingNew',
  'held',
  'new',
  'partiallyFilled',
  'filled',
  'canceled',
  'expired',
  'replaced',
)
export type OrderStatus = ValueOf<typeof orderStatusSchema>

export type OrderMove =
  | 'release'
  | 'work'
  | 'activate'
  | 'fillPart'
  | 'fillAll'
  | 'cancel'
  | 'expire'
  | 'replace'

export const moves: Record<OrderStatus, Partial<Record<OrderMove, OrderStatus>>> = {
  accepted: { release: 'pendingNew', cancel: 'canceled', expire: 'expired' },
  pendingNew: { work: 'new', cancel: 'canceled', expire: 'expired' },
  held: { activate: 'new', cancel: 'canceled', expire: 'expired', replace: 'replaced' },
  new: {
    fillPart: 'partiallyFilled',
    fillAll: 'filled',
    cancel: 'canceled',
    expire: 'expired',
    replace: 'replaced',
  },
  partiallyFilled: {
    fillPart: 'partiallyFilled',
    fillAll: 'filled',
    cancel: 'canceled',
    expire: 'expired',
    replace: 'replaced',
  },
  filled: {},
  canceled: {},
  expired: {},
  replaced: {},
}

/**
 * A status without moves is final. Written out, because every event calls it several times; a test compares
 * both.
 */
export const isOpen = ({ status }: { readonly status: OrderStatus }): boolean =>
  status !== 'filled' && status !== 'canceled' && status !== 'expired' && status !== 'replaced'
/** Not yet at the market. */
export const isBeforeMarket = ({ status }: { readonly status: OrderStatus }): boolean =>
  status === 'accepted' || status === 'pendingNew'
export const isWorking = (order: { readonly status: OrderStatus }): boolean =>
  order.status === 'new' || order.status === 'partiallyFilled'

export function statusAfter(status: OrderStatus, move: OrderMove): OrderStatus {
  // Fast path for the most frequent moves.
  if (move === 'work' && status === 'pendingNew') return 'new'
  if (move === 'cancel' && status === 'new') return 'canceled'
  if (move === 'fillAll' && status === 'new') return 'filled'
  const next = moves[status][move]
  if (!next) throw new Error(`bug: ${move} on a ${status} order`)
  return next
}
