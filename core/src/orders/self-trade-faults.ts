import type { View } from '../state.ts'
import { addToSelfTradeIndex, type SelfTradeIndex } from './self-trade-index.ts'
import { isOpen } from './transitions.ts'

/** Checks that the index matches the open orders; returns each violation as text. */
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
