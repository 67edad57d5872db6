import type { View } from '../state.ts'
import { enterOwn, type OwnBooks } from './self-trade-index.ts'
import { isOpen } from './transitions.ts'

/** Where the index and the open orders say something else, in words. */
export function ownFaults({ own, orders }: Pick<View, 'own' | 'orders'>): readonly string[] {
  const counted: OwnBooks = new Map()
  for (const order of orders.values()) if (isOpen(order)) enterOwn(counted, order)
  const [told, found] = [linesOf(own), linesOf(counted)]
  return [...new Set([...told.keys(), ...found.keys()])]
    .filter((name) => told.get(name) !== found.get(name))
    .map((name) => `own orders of ${name}: ${told.get(name)} told, ${found.get(name)} counted`)
}

function linesOf(books: View['own']): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  for (const [accountId, mine] of books)
    for (const [symbol, both] of mine)
      for (const name of ['buy', 'sell'] as const) {
        const { open, opening, inMoney, unpriced, limits, counts } = both[name]
        const limited = limits.map((limit, place) => `${counts[place]} at ${limit}`)
        lines.set(
          `${accountId} ${symbol} ${name}`,
          `${open} open, ${opening} opening, ${inMoney} in money, ${unpriced} at any price, ${limited}`,
        )
      }
  return lines
}
