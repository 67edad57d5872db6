import { changeHolds, heldMoney, heldShares } from '../account/holds.ts'
import type { Money, Quantity } from '../amount.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import { emptyBook, enter, leave } from './book.ts'
import type { OrderRestated } from './events.ts'
import { isWorking } from './moves.ts'
import type { Order } from './order.ts'

/** Writes other terms into an order: its holds and its place in the book are given up and taken anew. */
export function applyRestated(state: State, { at, orderId, changes }: OrderRestated): void {
  const before = found(state.orders.get(orderId), orderId)
  const { trigger, ...terms } = changes
  const after: Order = {
    ...before,
    ...terms,
    ...(trigger && {
      trigger: { ...found(before.trigger, `the trigger of ${before.id}`), ...trigger },
    }),
    updatedAt: at,
  }
  const { accountId } = after
  changeHolds(state, accountId, -heldMoney(before) as Money, before.symbol, -heldShares(before) as Quantity)
  changeHolds(state, accountId, heldMoney(after), after.symbol, heldShares(after))
  if (isWorking(before)) leave(bookOf(state, before), before)
  state.orders.set(after.id, after)
  if (isWorking(after)) enter(bookOf(state, after), after)
}

function bookOf(state: State, { symbol }: Order) {
  let book = state.books.get(symbol)
  if (!book) state.books.set(symbol, (book = emptyBook()))
  return book
}
