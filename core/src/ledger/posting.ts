import type { LedgerAccount, LedgerAsset } from './chart.ts'

/** One line of a posting; a positive amount credits the account, a negative one debits it. */
export type Leg = {
  readonly account: LedgerAccount
  readonly asset: LedgerAsset
  readonly amount: bigint
}

/** Legs that sum to zero per asset. */
export type Posting = readonly Leg[]

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

/** The assets whose legs do not sum to zero; empty if the posting is balanced. */
export function imbalances(posting: Posting): readonly LedgerAsset[] {
  const sums = new Map<LedgerAsset, bigint>()
  for (const { asset, amount } of posting) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return [...sums].filter(([, sum]) => sum !== 0n).map(([asset]) => asset)
}
