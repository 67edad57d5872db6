import type { LedgerAccount, LedgerAsset } from './chart.ts'

/** One line of a posting; a positive amount arrives at the account, a negative one leaves it. */
export type Leg = {
  readonly account: LedgerAccount
  readonly asset: LedgerAsset
  readonly amount: bigint
}

/** Legs that sum to nothing, per asset. */
export type Posting = readonly Leg[]

/** Moves an amount from one account to another. */
export function move(
  asset: LedgerAsset,
  amount: bigint,
  { from, to }: { readonly from: LedgerAccount; readonly to: LedgerAccount },
): Posting {
  if (amount < 0n) throw new Error(`bug: a move of ${amount} ${asset}`)
  return amount === 0n
    ? []
    : [
        { account: from, asset, amount: -amount },
        { account: to, asset, amount },
      ]
}

/** The legs of each asset sum to nothing. Postings are short: no map of sums is made for them. */
export function isBalanced(posting: Posting): boolean {
  if (isInPairs(posting)) return true
  for (const { asset } of posting) {
    let sum = 0n
    for (const leg of posting) if (leg.asset === asset) sum += leg.amount
    if (sum !== 0n) return false
  }
  return true
}

/** Nearly all are moves in a row, each with both its legs. */
function isInPairs(posting: Posting): boolean {
  if (posting.length % 2 === 1) return false
  for (let at = 0; at < posting.length; at += 2) {
    const from = posting[at]!
    const to = posting[at + 1]!
    if (from.asset !== to.asset || from.amount + to.amount !== 0n) return false
  }
  return true
}

/** The assets in which a posting does not sum to nothing; empty when it is balanced. */
export function imbalances(posting: Posting): readonly LedgerAsset[] {
  const sums = new Map<LedgerAsset, bigint>()
  for (const { asset, amount } of posting) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return [...sums].filter(([, sum]) => sum !== 0n).map(([asset]) => asset)
}
