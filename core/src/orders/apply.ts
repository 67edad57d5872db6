import type { Holds, Position, Unsettled } from '../account/account.ts'
import { type AgendaItem, schedule, unschedule } from '../agenda.ts'
import { add, type Money, NO_MONEY, NO_QUANTITY, type Quantity, subtract } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import { emptyBook, enter, leave } from './book.ts'
import type { OrderAccepted, OrderEvent, OrderFilled } from './events.ts'
import { isOpen, isWorking, type OrderMove, statusAfter } from './moves.ts'
import { heldMoney, heldShares, type Order, remaining, type Trigger } from './order.ts'
import { settlingInstant } from './session.ts'

/** Writes what happened to an order: its record, its holds, its place in the book and on the agenda. */
export function applyOrder(state: State, event: OrderEvent): void {
  if (event.kind === 'orderAccepted') return accept(state, event)
  if (event.kind === 'orderFilled') return fill(state, event)
  const { at } = event
  const before = found(state.orders.get(event.orderId), event.orderId)
  const move = moveOf[event.kind]
  const status = move ? statusAfter(before.status, move) : before.status
  switch (event.kind) {
    case 'orderReleased':
      return change(state, before, {
        ...before,
        status,
        submittedAt: at,
        updatedAt: at,
        dueAt: event.due,
      })
    case 'orderWorked':
      return change(state, before, { ...before, status, updatedAt: at })
    case 'orderActivated':
      return change(state, before, { ...before, status, updatedAt: at })
    case 'orderArmed':
      return change(state, before, withTrigger(before, { armedAt: at }))
    case 'orderTrailed':
      return change(state, before, withTrigger(before, { highWater: event.highWater, stop: event.stop }))
    case 'orderElected':
      return change(state, before, {
        ...withTrigger(before, { electedAt: at }),
        status: before.status === 'held' ? statusAfter('held', 'activate') : before.status,
        updatedAt: at,
      })
    case 'orderResized':
      return change(state, before, { ...before, quantity: event.quantity, updatedAt: at })
    case 'orderReplaced':
      return change(state, before, { ...before, status, updatedAt: at, replacedAt: at, replacedBy: event.by })
    case 'orderCanceled':
      return change(state, before, { ...before, status, updatedAt: at, canceledAt: at })
    case 'orderExpired':
      return change(state, before, { ...before, status, updatedAt: at, expiredAt: at })
  }
}

/** Events without a move leave the status as it is, or say themselves what becomes of it. */
const moveOf: { readonly [Kind in OrderEvent['kind']]?: OrderMove } = {
  orderReleased: 'release',
  orderWorked: 'work',
  orderActivated: 'activate',
  orderReplaced: 'replace',
  orderCanceled: 'cancel',
  orderExpired: 'expire',
}

function withTrigger(order: Order, changed: Partial<Trigger>): Order {
  return { ...order, trigger: { ...found(order.trigger, `the trigger of ${order.id}`), ...changed } }
}

function accept(state: State, { order, accountId }: OrderAccepted): void {
  state.orders.set(order.id, order)
  let names = state.clientOrderIds.get(accountId)
  if (!names) state.clientOrderIds.set(accountId, (names = new Map()))
  names.set(order.clientOrderId, order.id)
  let open = state.openOrders.get(accountId)
  if (!open) state.openOrders.set(accountId, (open = new Set()))
  open.add(order.id)
  keepHolds(state, undefined, order)
  keepAgenda(state, undefined, order)
}

/** Every change of an order goes through here: old holds out, new holds in, book and agenda kept in step. */
function change(state: State, before: Order, after: Order): void {
  const { id } = after
  keepHolds(state, before, after)
  state.orders.set(id, after)
  keepBook(state, before, after)
  keepAgenda(state, before, after)
  if (isOpen(after)) return
  state.openOrders.get(after.accountId)?.delete(id)
  state.closed.set(id, state.seq)
}

function keepBook(state: State, before: Order, after: Order): void {
  if (isWorking(before) === isWorking(after)) return
  let book = state.books.get(after.symbol)
  if (!book) state.books.set(after.symbol, (book = emptyBook()))
  if (isWorking(after)) enter(book, after)
  else leave(book, after)
}

/** What an order waits for: its next step towards the market, and its end. */
function keepAgenda(state: State, before: Order | undefined, after: Order): void {
  if (before && isPending(before)) unschedule(state.agenda, before.dueAt, itemOf('workOrder', after))
  if (isPending(after)) schedule(state.agenda, after.dueAt, itemOf('workOrder', after))
  if (!before) schedule(state.agenda, after.expiresAt, itemOf('expireOrder', after))
  else if (!isOpen(after)) unschedule(state.agenda, after.expiresAt, itemOf('expireOrder', after))
}

const isPending = ({ status }: Order): boolean => status === 'accepted' || status === 'pendingNew'

function fill(state: State, event: OrderFilled): void {
  const order = found(state.orders.get(event.orderId), event.orderId)
  const whole = event.quantity === remaining(order)
  const { at } = event
  const part = {
    ...order,
    status: statusAfter(order.status, whole ? 'fillAll' : 'fillPart'),
    filledQuantity: add(order.filledQuantity, event.quantity),
    filledValue: order.filledValue + event.price * event.quantity,
    updatedAt: at,
  }
  change(state, order, whole ? { ...part, filledAt: at } : part)
  const signed = order.side === 'buy' ? 1n : -1n
  changePosition(state, event, signed)
  addUnsettled(state, event, signed)
  const taken = state.taken.get(event.symbol)
  const base =
    taken?.quoteAt === event.quote.at
      ? taken
      : { quoteAt: event.quote.at, bought: NO_QUANTITY, sold: NO_QUANTITY }
  state.taken.set(event.symbol, {
    quoteAt: base.quoteAt,
    bought: order.side === 'buy' ? add(base.bought, event.quantity) : base.bought,
    sold: order.side === 'sell' ? add(base.sold, event.quantity) : base.sold,
  })
}

function changePosition(state: State, event: OrderFilled, signed: bigint): void {
  let positions = state.positions.get(event.accountId)
  if (!positions) state.positions.set(event.accountId, (positions = new Map()))
  const before: Position = positions.get(event.symbol) ?? {
    symbol: event.symbol,
    quantity: NO_QUANTITY,
    costBasis: NO_MONEY,
  }
  if (event.positionAfter === NO_QUANTITY) {
    positions.delete(event.symbol)
    return
  }
  // A sale takes its share of the cost with it, at the average price.
  const costBasis =
    signed > 0n
      ? add(before.costBasis, event.cash)
      : (before.costBasis * event.positionAfter) / before.quantity
  positions.set(event.symbol, {
    symbol: event.symbol,
    quantity: event.positionAfter,
    costBasis: costBasis as Money,
  })
}

function addUnsettled(state: State, event: OrderFilled, signed: bigint): void {
  let days = state.unsettled.get(event.accountId)
  if (!days) state.unsettled.set(event.accountId, (days = new Map()))
  const day = days.get(event.settles)
  if (!day)
    schedule(state.agenda, settlingInstant(event.settles), {
      kind: 'settleAccount',
      accountId: event.accountId,
      date: event.settles,
    })
  const sum: Unsettled = day ?? { cash: NO_MONEY, shares: new Map() }
  if (!day) days.set(event.settles, sum)
  sum.cash = (sum.cash - signed * event.cash) as Money
  plus(sum.shares, event.symbol, (signed * event.quantity) as Quantity)
}

function keepHolds(state: State, before: Order | undefined, after: Order): void {
  // On its way to the market an order holds what it held.
  if (before && isOpen(after) && before.filledQuantity === after.filledQuantity) return
  const money = before ? subtract(heldMoney(after), heldMoney(before)) : heldMoney(after)
  const shares = before ? subtract(heldShares(after), heldShares(before)) : heldShares(after)
  if (money === NO_MONEY && shares === NO_QUANTITY) return
  changeHolds(state, after.accountId, money, after.symbol, shares)
}

/** Adds to what an account's open work keeps back; also for requests of other kinds than orders. */
export function changeHolds(
  state: State,
  accountId: AccountId,
  money: Money,
  symbol: Ticker,
  shares: Quantity,
): void {
  let holds: Holds | undefined = state.holds.get(accountId)
  if (!holds) state.holds.set(accountId, (holds = { money: NO_MONEY, shares: new Map() }))
  holds.money = add(holds.money, money)
  if (shares !== NO_QUANTITY) plus(holds.shares, symbol, shares)
}

/** Adds an amount under a key, and drops the key when nothing is left. */
function plus(map: Map<Ticker, Quantity>, key: Ticker, amount: Quantity): void {
  const sum = add(map.get(key) ?? NO_QUANTITY, amount)
  if (sum === NO_QUANTITY) map.delete(key)
  else map.set(key, sum)
}

const itemOf = (kind: 'workOrder' | 'expireOrder', { accountId, id }: Order): AgendaItem => ({
  kind,
  accountId,
  orderId: id,
})
