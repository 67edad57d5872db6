import { sumOf } from './numbers.ts'
import type { RunFill } from './run-file.ts'

/** What trading cost, in the currency of the account. A minus is a gain. */
export type RunCosts = {
  /** From the middle of the quotes to the better side of them: half of the spread. */
  readonly spread: number
  /** Beyond the side of the quote that an order took: its size moved the price. A better price is a minus. */
  readonly impact: number
  readonly fees: number
  /** Spread and impact for each share of the value that was traded. */
  readonly slippage: number
  /** Fills without a known quote, which are not in these figures. */
  readonly unknown: number
}

/** What a fill cost against the middle of its quote; undefined without a quote. */
export function slippageIn({ side, price, qty, bid, ask }: RunFill): number | undefined {
  if (bid === undefined || ask === undefined) return undefined
  return signOf(side) * (Number(price) - (Number(bid) + Number(ask)) / 2) * Number(qty)
}

export function costsOf(fills: readonly RunFill[], fees: number): RunCosts {
  const known = fills.filter(({ bid, ask }) => bid !== undefined && ask !== undefined)
  const total = sumOf(known.map((fill) => slippageIn(fill) ?? 0))
  const spread = sumOf(known.map(halfSpread))
  const value = tradedValue(known)
  return {
    spread,
    impact: total - spread,
    fees,
    slippage: value === 0 ? 0 : total / value,
    unknown: fills.length - known.length,
  }
}

/** An order that waits with a limit earns the half of the spread that others pay. */
function halfSpread({ side, price, qty, bid, ask }: RunFill): number {
  const half = (Number(ask) - Number(bid)) / 2
  const middle = (Number(ask) + Number(bid)) / 2
  const isPaid = signOf(side) * (Number(price) - middle) >= 0
  return (isPaid ? half : -half) * Number(qty)
}

export const signOf = (side: string): 1 | -1 => (side.startsWith('sell') ? -1 : 1)

/** The value that was traded. */
export const tradedValue = (fills: readonly Pick<RunFill, 'qty' | 'price'>[]): number =>
  sumOf(fills.map(({ qty, price }) => Number(qty) * Number(price)))
