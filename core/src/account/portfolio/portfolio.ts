import {
  type Money,
  NO_MONEY,
  NO_PRICE,
  type Price,
  type Quantity,
  subtract,
  toMoney,
  toQuantity,
  worthOf,
} from '../../amount.ts'
import type { Ticker } from '../../ids.ts'
import { earlier, type Instant } from '../../time.ts'
import { addShares, type Close, type Holdings } from '../positions/holdings.ts'

/** One change of holdings. */
export type PortfolioStep = {
  readonly at: Instant
  readonly cash: Money
  readonly symbol?: Ticker
  readonly quantity?: Quantity
  /** Price per share at that time, if known. */
  readonly price?: Price
}

/** Prices of a symbol, oldest first; each is valid from its instant on. */
export type Marks = { readonly from: readonly Instant[]; readonly prices: readonly Price[] }

/**
 * The equity just before each instant (ascending), at the last known prices. Without a market price, the
 * price of the last step is used.
 */
export function equitiesAt(
  instants: readonly Instant[],
  opening: Holdings,
  steps: readonly PortfolioStep[],
  marks: ReadonlyMap<Ticker, Marks>,
): readonly Money[] {
  let cash: bigint = opening.cash
  const shares = new Map(opening.shares)
  const prices = new LastPrices(marks)
  let next = 0
  return instants.map((instant) => {
    for (let step = steps[next]; step && step.at < instant; step = steps[++next]) {
      const { cash: moved, symbol, quantity, price } = step
      cash += moved
      if (symbol && quantity) addShares(shares, symbol, quantity)
      if (symbol && price) prices.setStepPrice(symbol, price)
    }
    let equity = cash
    for (const [symbol, quantity] of shares)
      equity += worthOf(prices.before(symbol, instant), quantity, 'down')
    return toMoney(equity)
  })
}

/** The last price of each symbol before an instant. Instants must ascend. */
class LastPrices {
  readonly #marks: ReadonlyMap<Ticker, Marks>
  readonly #indexes = new Map<Ticker, number>()
  readonly #stepPrices = new Map<Ticker, Price>()

  constructor(marks: ReadonlyMap<Ticker, Marks>) {
    this.#marks = marks
  }

  setStepPrice(symbol: Ticker, price: Price): void {
    this.#stepPrices.set(symbol, price)
  }

  before(symbol: Ticker, instant: Instant): Price {
    const marks = this.#marks.get(symbol)
    let index = this.#indexes.get(symbol) ?? -1
    const isBefore = (from: Instant | undefined): boolean => from !== undefined && from < instant
    while (isBefore(marks?.from[index + 1])) index += 1
    this.#indexes.set(symbol, index)
    return marks?.prices[index] ?? this.#stepPrices.get(symbol) ?? marks?.prices[0] ?? NO_PRICE
  }
}

/** The differences between successive closes, as steps at their closing times. */
export function stepsOfCloses(
  closes: readonly Close[],
  closeOf: (close: Close) => Instant,
): readonly PortfolioStep[] {
  const steps: PortfolioStep[] = []
  let before: Holdings = { cash: NO_MONEY, shares: new Map() }
  for (const close of closes) {
    const at = earlier(closeOf(close), 1n)
    steps.push({ at, cash: subtract(close.cash, before.cash) })
    for (const symbol of new Set([...before.shares.keys(), ...close.shares.keys()])) {
      const quantity = (close.shares.get(symbol) ?? 0n) - (before.shares.get(symbol) ?? 0n)
      if (quantity !== 0n) steps.push({ at, cash: NO_MONEY, symbol, quantity: toQuantity(quantity) })
    }
    before = close
  }
  return steps
}
