import type { Money, Quantity } from '../amount.ts'
import { decode, encode } from '../encode.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { customer, USD } from '../ledger/chart.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'

/** What an account holds, settled or not: dollars, and shares or coins, of which it may owe some. */
export type Holdings = { readonly cash: Money; readonly shares: ReadonlyMap<Ticker, Quantity> }

/** By the ledger. */
export function holdingsOf({ ledger }: View, accountId: AccountId): Holdings {
  let cash = 0n
  const shares = new Map<Ticker, Quantity>()
  for (const part of ['settled', 'unsettled'] as const)
    for (const [asset, amount] of ledger.get(customer(accountId, part)) ?? []) {
      if (asset === USD) cash += amount
      else addShares(shares, asset as string as Ticker, amount as Quantity)
    }
  return { cash: cash as Money, shares }
}

/** Adds to a sum of shares; one that comes to nothing is gone. */
export function addShares(shares: Map<Ticker, Quantity>, symbol: Ticker, quantity: Quantity): void {
  const sum = ((shares.get(symbol) ?? 0n) + quantity) as Quantity
  if (sum === 0n) shares.delete(symbol)
  else shares.set(symbol, sum)
}

export const encodeHoldings = (at: Instant, { cash, shares }: Holdings): string =>
  encode([at, cash, [...shares].flat()])

/** The inverse of `encodeHoldings`. */
export function decodeHoldings(line: string): Holdings & { readonly at: Instant } {
  const [at, cash, flat] = decode(line) as [Instant, Money, (Ticker | Quantity)[]]
  const shares = new Map<Ticker, Quantity>()
  for (let at = 0; at < flat.length; at += 2) shares.set(flat[at] as Ticker, flat[at + 1] as Quantity)
  return { at, cash, shares }
}
