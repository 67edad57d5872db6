import { isCoin } from './rules.ts'

// What the checker knows of margin, in its own words and arithmetic.

const NANO = 1_000_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const positive = (amount: bigint): bigint => larger(amount, 0n)

export type Holding = { readonly symbol: string; readonly quantity: bigint; readonly mark: bigint }

/** What an account has, owes and has chosen. */
export type Means = {
  readonly settled: bigint
  readonly unsettled: bigint
  readonly holdings: readonly Holding[]
  readonly held: bigint
  readonly mostTimes: 1 | 2 | 4
}

export type Powers = {
  readonly times: 1 | 2 | 4
  /** For what has margin, and for what has none. */
  readonly buying: bigint
  readonly inCash: bigint
  /** What must be kept of all positions: the maintenance margin. */
  readonly keep: bigint
  readonly isRestricted: boolean
}

/** What must be kept of a position: worth and asked in one row, a short by its size. */
function keptOf({ symbol, quantity, mark }: Holding): { worth: bigint; keep: bigint } {
  if (quantity < 0n) {
    const size = -quantity
    const worth = (mark * size) / NANO
    const [percent, least] = mark < 5n * NANO ? [100n, (NANO * 5n) / 2n] : [30n, 5n * NANO]
    return {
      worth: -worth,
      keep: larger(up(least * size, NANO), up(up(mark * size, NANO) * percent, 100n)),
    }
  }
  const worth = (mark * quantity) / NANO
  if (isCoin(symbol)) return { worth, keep: worth }
  const percent = mark < (5n * NANO) / 2n ? 100n : mark <= 6n * NANO ? 50n : 30n
  return { worth, keep: up(worth * percent, 100n) }
}

/** One stock that is most of what is long, on much credit, is kept to a half. */
function forOne(cash: bigint, rows: readonly (Holding & { worth: bigint; keep: bigint })[]): bigint {
  const stocks = rows.filter(({ symbol, quantity }) => quantity > 0n && !isCoin(symbol))
  const all = stocks.reduce((sum, { worth }) => sum + worth, 0n)
  const most = stocks.find(({ worth }) => worth * 10n >= all * 7n)
  return most && cash <= -100_000n * NANO ? positive(up(most.worth, 2n) - most.keep) : 0n
}

/** What an account may still spend. */
export function powersOf({ settled, unsettled, holdings, held, mostTimes }: Means): Powers {
  const cash = settled + unsettled
  const rows = holdings.map((holding) => ({ ...holding, ...keptOf(holding) }))
  const sum = (of: (row: (typeof rows)[number]) => bigint) => rows.reduce((total, row) => total + of(row), 0n)
  const equity = cash + sum(({ worth }) => worth)
  const keep = sum((row) => row.keep) + forOne(cash, rows)
  const coins = sum(({ symbol, worth }) => (isCoin(symbol) ? worth : 0n))
  const stocks = sum(({ symbol, worth }) => (isCoin(symbol) ? 0n : worth < 0n ? -worth : worth))
  const overnight = 2n * positive(equity - up(stocks, 2n) - coins)
  const own = positive(smaller(cash + sum(({ worth }) => smaller(worth, 0n)), equity - keep))
  const times = equity < 2_000n * NANO ? 1 : mostTimes
  const power = times === 1 ? own : times === 2 ? overnight : positive(4n * (equity - coins) - stocks)
  const largest = rows.map(({ worth }) => larger(worth, -worth)).reduce(larger, 0n)
  return {
    times,
    buying: positive(power - held),
    keep,
    inCash: positive(smaller(own, positive(settled + smaller(unsettled, 0n))) - held),
    isRestricted: largest > 6n * positive(equity) && largest > 0n,
  }
}
