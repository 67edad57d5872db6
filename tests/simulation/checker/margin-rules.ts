import type { Prices } from '@quipu/core'
import type { CheckerLedger } from './ledger.ts'
import { isCrypto } from './rules.ts'

// Rules for margin, implemented without code of the core.

const NANO = 1_000_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const positive = (amount: bigint): bigint => larger(amount, 0n)

export type Holding = { readonly symbol: string; readonly quantity: bigint; readonly mark: bigint }

/** Cash, positions, holds and maximum margin multiplier of an account. */
export type MarginInput = {
  readonly settled: bigint
  readonly unsettled: bigint
  readonly holdings: readonly Holding[]
  readonly held: bigint
  readonly maxMultiplier: 1 | 2 | 4
}

export type Powers = {
  readonly times: 1 | 2 | 4
  /** Buying power for marginable assets, and for crypto. */
  readonly buying: bigint
  readonly nonMarginable: bigint
  readonly maintenance: bigint
  readonly isRestricted: boolean
}

/** Market value and maintenance margin of a position; the value of a short is negative. */
function valueAndMargin({ symbol, quantity, mark }: Holding): { value: bigint; maintenance: bigint } {
  if (quantity < 0n) {
    const size = -quantity
    const value = (mark * size) / NANO
    const [percent, least] = mark < 5n * NANO ? [100n, (NANO * 5n) / 2n] : [30n, 5n * NANO]
    return {
      value: -value,
      maintenance: larger(up(least * size, NANO), up(up(mark * size, NANO) * percent, 100n)),
    }
  }
  const value = (mark * quantity) / NANO
  if (isCrypto(symbol)) return { value, maintenance: value }
  const percent = mark < (5n * NANO) / 2n ? 100n : mark <= 6n * NANO ? 50n : 30n
  return { value, maintenance: up(value * percent, 100n) }
}

/** Extra margin for one stock with 70 % of the long value and at least $100,000 borrowed: 50 % in total. */
function concentrationMargin(
  cash: bigint,
  rows: readonly (Holding & { value: bigint; maintenance: bigint })[],
): bigint {
  const stocks = rows.filter(({ symbol, quantity }) => quantity > 0n && !isCrypto(symbol))
  const all = stocks.reduce((sum, { value }) => sum + value, 0n)
  const largest = stocks.find(({ value }) => value * 10n >= all * 7n)
  return largest && cash <= -100_000n * NANO ? positive(up(largest.value, 2n) - largest.maintenance) : 0n
}

/** The buying power of an account. */
function powersOf({ settled, unsettled, holdings, held, maxMultiplier }: MarginInput): Powers {
  const cash = settled + unsettled
  const rows = holdings.map((holding) => ({ ...holding, ...valueAndMargin(holding) }))
  const sum = (of: (row: (typeof rows)[number]) => bigint) => rows.reduce((total, row) => total + of(row), 0n)
  const equity = cash + sum(({ value }) => value)
  const maintenance = sum((row) => row.maintenance) + concentrationMargin(cash, rows)
  const coins = sum(({ symbol, value }) => (isCrypto(symbol) ? value : 0n))
  const stocks = sum(({ symbol, value }) => (isCrypto(symbol) ? 0n : value < 0n ? -value : value))
  const overnight = 2n * positive(equity - up(stocks, 2n) - coins)
  const cashOnly = positive(smaller(cash + sum(({ value }) => smaller(value, 0n)), equity - maintenance))
  const times = equity < 2_000n * NANO ? 1 : maxMultiplier
  const power = times === 1 ? cashOnly : times === 2 ? overnight : positive(4n * (equity - coins) - stocks)
  const largestPosition = rows.map(({ value }) => larger(value, -value)).reduce(larger, 0n)
  return {
    times,
    buying: positive(power - held),
    maintenance,
    nonMarginable: positive(smaller(cashOnly, positive(settled + smaller(unsettled, 0n))) - held),
    isRestricted: largestPosition > 6n * positive(equity) && largestPosition > 0n,
  }
}

/** The powers of an account at these prices. */
export function powersOfAccount(
  ledger: CheckerLedger,
  accountId: string,
  { prices, held, maxMultiplier }: Pick<MarginInput, 'held' | 'maxMultiplier'> & { readonly prices: Prices },
): Powers {
  const holdings = ledger.symbolsOf(accountId).map((symbol) => ({
    symbol,
    quantity: ledger.owned(accountId, symbol),
    mark: prices.trade(symbol as never)!.price,
  }))
  const [settled, unsettled] = (['settled', 'unsettled'] as const).map((settlement) =>
    ledger.of(`customer:${accountId}:${settlement}`).get('USD'),
  ) as [bigint, bigint]
  return powersOf({ settled, unsettled, holdings, held, maxMultiplier })
}
