import { oneOf, type ValueOf } from '../schema.ts'

/**
 * The state machine of an order: which move leads from which status to which.
 *
 *   accepted    queued while the market is closed
 *   pendingNew  on its way to the market
 *   held        a leg that waits for its parent, or for its trigger
 *   new         working
 *   partiallyFilled, then one of the final statuses: filled, canceled, expired, replaced, rejected
 *
 * Only in a world with venue settings:
 *
 *   pendingCancel   a cancel is requested; the order can still fill
 *   pendingReplace  a replacement is requested; the order can still fill. An event that ends it rejects the
 *                   replacement first
 *   doneForDay      the market does not work the order until the next session
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
  'rejected',
  'pendingCancel',
  'pendingReplace',
  'doneForDay',
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
  | 'reject'
  | 'requestCancel'
  | 'requestReplace'
  | 'endDay'
  | 'restorePending'
  | 'restoreNew'
  | 'restorePart'

export const moves: Record<OrderStatus, Partial<Record<OrderMove, OrderStatus>>> = {
  accepted: { release: 'pendingNew', cancel: 'canceled', expire: 'expired' },
  pendingNew: {
    work: 'new',
    cancel: 'canceled',
    expire: 'expired',
    reject: 'rejected',
    requestCancel: 'pendingCancel',
  },
  held: { activate: 'new', cancel: 'canceled', expire: 'expired', replace: 'replaced' },
  new: {
    fillPart: 'partiallyFilled',
    fillAll: 'filled',
    cancel: 'canceled',
    expire: 'expired',
    replace: 'replaced',
    requestCancel: 'pendingCancel',
    requestReplace: 'pendingReplace',
    endDay: 'doneForDay',
  },
  partiallyFilled: {
    fillPart: 'partiallyFilled',
    fillAll: 'filled',
    cancel: 'canceled',
    expire: 'expired',
    replace: 'replaced',
    requestCancel: 'pendingCancel',
    requestReplace: 'pendingReplace',
    endDay: 'doneForDay',
  },
  filled: {},
  canceled: {},
  expired: {},
  replaced: {},
  rejected: {},
  pendingCancel: {
    work: 'pendingCancel',
    fillPart: 'pendingCancel',
    fillAll: 'filled',
    cancel: 'canceled',
    expire: 'expired',
    restorePending: 'pendingNew',
    restoreNew: 'new',
    restorePart: 'partiallyFilled',
  },
  pendingReplace: {
    fillPart: 'pendingReplace',
    replace: 'replaced',
    restoreNew: 'new',
    restorePart: 'partiallyFilled',
  },
  doneForDay: {
    cancel: 'canceled',
    expire: 'expired',
    restoreNew: 'new',
    restorePart: 'partiallyFilled',
  },
}

/**
 * A status without moves is final. Written out, because every event calls it several times; a test compares
 * both.
 */
export const isOpen = ({ status }: { readonly status: OrderStatus }): boolean =>
  status !== 'filled' &&
  status !== 'canceled' &&
  status !== 'expired' &&
  status !== 'replaced' &&
  status !== 'rejected'
/** Not yet at the market. */
export const isBeforeMarket = ({ status, venue }: StatusAtVenue): boolean =>
  status === 'accepted' ||
  status === 'pendingNew' ||
  (status === 'pendingCancel' && venue?.unacknowledged !== undefined)
export const isWorking = ({ status, venue }: StatusAtVenue): boolean =>
  status === 'new' ||
  status === 'partiallyFilled' ||
  status === 'pendingReplace' ||
  (status === 'pendingCancel' && venue?.unacknowledged === undefined)

type StatusAtVenue = { readonly status: OrderStatus; readonly venue?: { readonly unacknowledged?: true } }

export function statusAfter(status: OrderStatus, move: OrderMove): OrderStatus {
  // Fast path for the most frequent moves.
  if (move === 'work' && status === 'pendingNew') return 'new'
  if (move === 'cancel' && status === 'new') return 'canceled'
  if (move === 'fillAll' && status === 'new') return 'filled'
  const next = moves[status][move]
  if (!next) throw new Error(`bug: ${move} on a ${status} order`)
  return next
}
