import type { Book, BookLevel, Quantity } from '@quipu/core'

/** What makes one book of another: levels that are new or have another size, and with size 0 those that are gone. */
export const bookChange = (from: Book, to: Book): Book => ({
  at: to.at,
  bids: changed(from.bids, to.bids),
  asks: changed(from.asks, to.asks),
})

function changed(from: readonly BookLevel[], to: readonly BookLevel[]): readonly BookLevel[] {
  const before = new Map(from.map(({ price, size }) => [price, size]))
  const levels = to.filter(({ price, size }) => before.get(price) !== size)
  const left = new Set(to.map(({ price }) => price))
  const gone = from.filter(({ price }) => !left.has(price))
  return [...levels, ...gone.map(({ price }) => ({ price, size: 0n as Quantity }))]
}
