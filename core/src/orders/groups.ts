import { heldShares } from '../account/holds.ts'
import { min, NO_QUANTITY, type Quantity, sizeOf, subtract, toQuantity } from '../amount.ts'
import type { AccountId, OrderId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import type { View } from '../state/state.ts'
import type { OrderAccepted, OrderEvent, OrderFilled } from './events.ts'
import { type Order, opens, remaining } from './order.ts'
import { isOpen } from './transitions.ts'
import { hasReplacement, withReplacementEnds } from './venue/replacements.ts'

/**
 * The effects of a decision's events on the other members of a group. The caller appends them to the
 * decision:
 *
 *   entry is completely filled       take-profit starts working, stop-loss waits for its trigger
 *   OCO starts working              stop-loss waits for its trigger
 *   take-profit is partially filled stop-loss shrinks to the rest
 *   exit is filled or elected       the other exit is canceled
 *   parent is replaced              the other members take the new size
 *   any member ends otherwise       all open members are canceled
 */
export function consequencesOf(
  view: View,
  { at }: Moment,
  events: readonly OrderEvent[],
): readonly OrderEvent[] {
  let effects: OrderEvent[] | undefined
  let byAccount: ReadonlyMap<AccountId, OrderEvent[]> | undefined
  for (const event of events) {
    const order = event.kind === 'orderAccepted' ? event.order : view.orders.get(event.orderId)
    if (order?.group === undefined) continue
    // A group belongs to one account, so other accounts' events can be ignored.
    byAccount ??= Map.groupBy(events, ({ accountId }) => accountId)
    const accountEvents = byAccount.get(event.accountId)!
    const capacity = opensExits(order, event) ? exitCapacity(view, order, accountEvents) : undefined
    for (const other of openOthers(view, order, accountEvents)) {
      const events = effectsOn(at, { event, order, other, view, capacity })
      accountEvents.push(...events)
      effects ??= []
      effects.push(...events)
    }
  }
  return effects ?? NONE
}

const opensExits = (order: Order, event: OrderEvent): boolean =>
  event.kind === 'orderFilled' && order.group?.role === 'entry' && isWholeFill(order, event)

/** A decision with its effects on order groups and on pending replacements. */
export function withConsequences<Event extends OrderEvent>(
  view: View,
  moment: Moment,
  events: readonly Event[],
): readonly (Event | OrderEvent)[] {
  const effects = consequencesOf(view, moment, events)
  return withReplacementEnds(view, effects.length === 0 ? events : [...events, ...effects])
}

/** Whether an event of this order can affect another order. */
export const hasConsequences = (order: Order): boolean =>
  order.group !== undefined || (order.venue !== undefined && hasReplacement(order))

const NONE: readonly OrderEvent[] = []

/** For an order in a group, the group's id, which is that of the parent order. */
export const groupOf = ({ id, group }: Order): OrderId => group?.parentId ?? id

/** The other open members of a group, except members that the decision ends. */
function openOthers(view: View, order: Order, events: readonly OrderEvent[]): readonly Order[] {
  const ids = view.groups.get(groupOf(order)) ?? view.groups.get(groupBefore(order))
  if (!ids) return []
  const others: Order[] = []
  for (const id of ids) {
    const other = view.orders.get(id)
    if (!other || id === order.id || id === order.replaces || !isOpen(other)) continue
    if (!events.some((event) => endsOrder(event, id))) others.push(other)
  }
  return others
}

/** A parent that replaces another in this decision is not in the index of groups yet. */
const groupBefore = (order: Order): OrderId => order.group?.parentId ?? order.replaces ?? order.id

const endsOrder = (event: OrderEvent, id: OrderId): boolean =>
  (event.kind === 'orderCanceled' ||
    event.kind === 'orderExpired' ||
    event.kind === 'orderReplaced' ||
    event.kind === 'orderRejected') &&
  event.orderId === id

type EffectInput = {
  readonly event: OrderEvent
  readonly order: Order
  readonly other: Order
  readonly view: View
  /** Exit capacity of an entry that is filled now. */
  readonly capacity: Quantity | undefined
}

function effectsOn(at: OrderEvent['at'], { event, order, other, view, capacity }: EffectInput): OrderEvent[] {
  const common = { at, accountId: other.accountId, orderId: other.id }
  switch (event.kind) {
    case 'orderAcknowledged':
      return isExit(order) && needsArming(other) ? [{ kind: 'stopActivated', ...common }] : []
    case 'orderFilled':
      if (isWholeFill(order, event))
        return capacity === undefined
          ? [{ kind: 'orderCanceled', ...common, why: 'group' }]
          : startExit(common, other, capacity)
      return order.group?.role === 'takeProfit'
        ? resizeEvents(common, other, subtract(remaining(order), event.quantity))
        : []
    case 'orderElected':
      return [{ kind: 'orderCanceled', ...common, why: 'group' }]
    case 'orderAccepted':
      return isNewParent(event) ? resizeEvents(common, other, sizeBehind(view, event, other)) : []
    case 'orderCanceled':
      return event.why === 'group' ? [] : [{ kind: 'orderCanceled', ...common, why: 'group' }]
    case 'orderExpired':
    case 'orderRejected':
      return [{ kind: 'orderCanceled', ...common, why: 'group' }]
    case 'orderReleased':
    case 'orderActivated':
    case 'stopActivated':
    case 'stopAdjusted':
    case 'orderResized':
    case 'orderReplaced':
    case 'orderRestated':
    case 'orderCancelRequested':
    case 'orderCancelRejected':
    case 'orderReplaceRequested':
    case 'orderReplaceRejected':
    case 'orderDoneForDay':
    case 'orderResumed':
    case 'orderRequeued':
      return []
  }
}

type CommonFields = Pick<OrderFilled, 'at' | 'accountId' | 'orderId'>

/** Starts an exit, limited to the exit capacity; without capacity, the exit is canceled. */
function startExit(common: CommonFields, other: Order, capacity: Quantity): OrderEvent[] {
  if (capacity <= NO_QUANTITY) return [{ kind: 'orderCanceled', ...common, why: 'group' }]
  return [
    ...resizeEvents(common, other, min(other.quantity, capacity)),
    { kind: isStopLoss(other) ? 'stopActivated' : 'orderActivated', ...common },
  ]
}

const isStopLoss = ({ group }: Order): boolean => group?.role === 'stopLoss'
/** A stop-loss that already waits for its trigger keeps waiting when its sibling is replaced. */
const needsArming = (order: Order): boolean => isStopLoss(order) && order.trigger?.armedAt === undefined
const isExit = ({ group }: Order): boolean => group?.class === 'oco' && group.role === 'takeProfit'

/** Whether a fill completes the order. */
export const isWholeFill = (order: Order, { quantity, rest }: OrderFilled): boolean =>
  rest === undefined ? quantity === remaining(order) : rest === NO_QUANTITY

function resizeEvents(common: CommonFields, other: Order, quantity: Order['quantity']): OrderEvent[] {
  return quantity === other.quantity ? [] : [{ kind: 'orderResized', ...common, quantity }]
}

/** A replaced leg keeps its remaining size, so only a replaced parent changes the size of others. */
const isNewParent = ({ order }: OrderAccepted): boolean =>
  order.replaces !== undefined && order.group?.parentId === undefined

/**
 * Exits change by the same amount as their entry, because they also cover its filled part; other members take
 * the new size.
 */
function sizeBehind(view: View, { order }: OrderAccepted, other: Order): Order['quantity'] {
  const before = order.replaces === undefined ? undefined : view.orders.get(order.replaces)
  const kept = order.group?.role === 'entry' && before ? other.quantity - remaining(before) : 0n
  return toQuantity(kept + remaining(order))
}

/**
 * Exit capacity: the shares of an entry's position that are not held after the events of a decision. Some may
 * have been sold or held before the entry was completely filled.
 */
export function exitCapacity(view: View, entry: Order, events: readonly OrderEvent[]): Quantity {
  const { accountId, symbol } = entry
  let position = view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
  let held: bigint = view.holds.get(accountId)?.shares.get(symbol) ?? NO_QUANTITY
  const sizes = new Map<Order['id'], Quantity>()
  for (const event of events) {
    if (event.kind === 'orderAccepted' || event.accountId !== accountId) continue
    const order = view.orders.get(event.orderId)
    if (order?.symbol !== symbol) continue
    if (event.kind === 'orderFilled') {
      position = event.positionAfter
      if (!opens(order.intent)) held -= event.quantity
    } else if (event.kind === 'orderCanceled' || event.kind === 'orderExpired') held -= heldShares(order)
    else if (event.kind === 'orderResized') sizes.set(order.id, event.quantity)
    // Exits that started in this decision hold from now on; only one of two siblings does.
    else if (
      event.kind === 'orderActivated' ||
      (event.kind === 'stopActivated' && order.group?.class === 'oto')
    )
      held += sizes.get(order.id) ?? order.quantity
  }
  return toQuantity(sizeOf(position) - held)
}
