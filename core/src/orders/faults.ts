import type { OrderId } from '../ids.ts'
import type { View } from '../state/state.ts'
import { groupOf } from './groups.ts'
import { triggerRow } from './kinds.ts'
import { BOOK_CLASSES, type BookView } from './matching/book.ts'
import { waitingIndexOf } from './matching/waiting-orders.ts'
import type { Order } from './order.ts'
import { addToSelfTradeIndex, type SelfTradeIndex } from './self-trade-index.ts'
import { isOpen } from './transitions.ts'

/** Checks that the self-trade index matches the open orders; returns each violation as text. */
export function selfTradeFaults({
  selfTradeIndex,
  orders,
}: Pick<View, 'selfTradeIndex' | 'orders'>): readonly string[] {
  const expected: SelfTradeIndex = new Map()
  for (const order of orders.values()) if (isOpen(order)) addToSelfTradeIndex(expected, order)
  const [recorded, calculated] = [linesOf(selfTradeIndex), linesOf(expected)]
  return [...new Set([...recorded.keys(), ...calculated.keys()])]
    .filter((name) => recorded.get(name) !== calculated.get(name))
    .map(
      (name) =>
        `self-trade index of ${name}: ${recorded.get(name)} recorded, ${calculated.get(name)} calculated`,
    )
}

function linesOf(index: View['selfTradeIndex']): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  for (const [accountId, entries] of index)
    for (const [symbol, entry] of entries)
      for (const name of ['buy', 'sell'] as const) {
        const { open, opening, inMoney, unpriced, limits, counts } = entry[name]
        const limited = limits.map((limit, at) => `${counts[at]} at ${limit}`)
        lines.set(
          `${accountId} ${symbol} ${name}`,
          `${open} open, ${opening} opening, ${inMoney} in money, ${unpriced} at any price, ${limited}`,
        )
      }
  return lines
}

/**
 * Checks that the indexes of waiting orders and of groups match the orders; returns each violation as text.
 */
export function waitingFaults(view: View): readonly string[] {
  const faults: string[] = []
  const stray = {
    book: idsIn(view.books.values()),
    triggers: idsIn([...view.triggers.values()].map(({ stops }) => stops)),
    auctions: new Set(
      [...view.auctions.values()].flatMap((auctions) => [...auctions.values()].flatMap((ids) => [...ids])),
    ),
    none: new Set<OrderId>(),
  }
  const trailing = idsIn([...view.triggers.values()].map(({ trails }) => trails))
  const strayMembers = new Set([...view.groups.values()].flatMap((members) => [...members]))
  for (const order of view.orders.values()) {
    const index = waitingIndexOf(order)
    if (index !== 'none' && !stray[index].delete(order.id)) faults.push(`${order.id} is missing in: ${index}`)
    if (index === 'triggers' && trailing.has(order.id) !== triggerRow(order.kind).follows)
      faults.push(`${order.id} is wrong in the index of trailing stops`)
    if (order.group && isOpen(order) && !view.groups.get(groupOf(order))?.has(order.id))
      faults.push(`${order.id} is missing in the index of its group`)
    if (order.group && isOpen(order)) strayMembers.delete(order.id)
    if (isOrphaned(view, order)) faults.push(`${order.id} waits for a parent that has ended`)
  }
  for (const [index, ids] of Object.entries(stray))
    for (const id of ids) faults.push(`${id} does not belong in: ${index}`)
  for (const id of strayMembers) faults.push(`${id} does not belong in its group`)
  return faults
}

/**
 * Whether a held leg has lost its parent. A stop-loss with a filled entry waits for its trigger without an
 * open parent.
 */
function isOrphaned(view: View, { status, group, trigger }: Order): boolean {
  if (status !== 'held' || group?.parentId === undefined) return false
  const parent = view.orders.get(group.parentId)
  if (parent && isOpen(parent)) return false
  return group.class === 'oco' || trigger?.armedAt === undefined
}

function idsIn(books: Iterable<BookView>): Set<OrderId> {
  const ids = new Set<OrderId>()
  for (const book of books)
    for (const kind of BOOK_CLASSES)
      for (const side of ['buy', 'sell'] as const)
        for (const level of book[kind][side].orders) for (const id of level) ids.add(id)
  return ids
}
