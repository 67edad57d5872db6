import { type Money, type Quantity, toMoney, toQuantity } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import { decode, encode } from '../../encode.ts'
import { type AccountId, type Ticker, tickerOf } from '../../ids.ts'
import { customer, USD } from '../../ledger/chart.ts'
import type { View } from '../../state/state.ts'
import type { Instant } from '../../time.ts'
import type { ActivityPosition } from '../activity.ts'

/** Cash and shares or coins of an account, settled and unsettled together. Negative amounts are owed. */
export type Holdings = { readonly cash: Money; readonly shares: ReadonlyMap<Ticker, Quantity> }

/** Sums the account's ledger balances. */
export function holdingsOf({ ledger }: View, accountId: AccountId): Holdings {
  let cash = 0n
  const shares = new Map<Ticker, Quantity>()
  for (const part of ['settled', 'unsettled'] as const)
    for (const [asset, amount] of ledger.get(customer(accountId, part)) ?? []) {
      if (asset === USD) cash += amount
      else addShares(shares, tickerOf(asset), toQuantity(amount))
    }
  return { cash: toMoney(cash), shares }
}

/** Adds to a sum of shares, and deletes the entry when the sum is zero. */
export function addShares(shares: Map<Ticker, Quantity>, symbol: Ticker, quantity: Quantity): void {
  const sum = toQuantity((shares.get(symbol) ?? 0n) + quantity)
  if (sum === 0n) shares.delete(symbol)
  else shares.set(symbol, sum)
}

/** Holdings at a regular close, with their position in the journal. */
export type Close = Holdings & Omit<ActivityPosition, 'n'> & { readonly date: CivilDate }

/** Symbols and quantities alternate. */
type StoredClose = readonly [
  date: CivilDate,
  at: Instant,
  seq: number,
  cash: Money,
  shares: readonly (Ticker | Quantity)[],
]

export const encodeClose = ({ date, at, seq, cash, shares }: Close): string =>
  encode([date, at, seq, cash, [...shares].flat()])

/** The inverse of `encodeClose`. */
export function decodeClose(line: string): Close {
  const [date, at, seq, cash, flat] = decode(line) as StoredClose
  const shares = new Map<Ticker, Quantity>()
  let symbol: Ticker | undefined
  for (const value of flat)
    if (typeof value === 'string') symbol = value
    else if (symbol !== undefined) shares.set(symbol, value)
  return { date, at, seq, cash, shares }
}
