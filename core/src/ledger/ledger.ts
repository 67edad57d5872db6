import type { LedgerAccount, LedgerAsset } from './chart.ts'
import { imbalances, isBalanced, type Posting } from './posting.ts'

/** What every account of the chart holds of every asset. */
export type Ledger = Map<LedgerAccount, Map<LedgerAsset, bigint>>
export type LedgerView = ReadonlyMap<LedgerAccount, ReadonlyMap<LedgerAsset, bigint>>

/** Books a posting, whole. An unbalanced one is a bug and is never booked in part. */
export function post(ledger: Ledger, posting: Posting): void {
  if (!isBalanced(posting))
    throw new Error(`bug: posting does not balance in ${imbalances(posting).join(', ')}`)
  for (const { account, asset, amount } of posting) {
    let holdings = ledger.get(account)
    if (!holdings) ledger.set(account, (holdings = new Map()))
    const after = (holdings.get(asset) ?? 0n) + amount
    if (after === 0n) holdings.delete(asset)
    else holdings.set(asset, after)
  }
}

export const balance = (ledger: LedgerView, account: LedgerAccount, asset: LedgerAsset): bigint =>
  ledger.get(account)?.get(asset) ?? 0n

/** The sum over all accounts, per asset: nothing, always. */
export function totals(ledger: LedgerView): Map<LedgerAsset, bigint> {
  const sums = new Map<LedgerAsset, bigint>()
  for (const holdings of ledger.values())
    for (const [asset, amount] of holdings) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return sums
}
