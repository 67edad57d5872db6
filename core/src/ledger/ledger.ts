import type { LedgerAccount, LedgerAsset } from './chart.ts'
import { imbalances, type Leg, type Posting } from './posting.ts'

type Holdings = Map<LedgerAsset, bigint>
/** Balances by account and asset. */
export type Ledger = Map<LedgerAccount, Holdings>
export const emptyLedger = (): Ledger => new Map()
export type LedgerView = ReadonlyMap<LedgerAccount, ReadonlyMap<LedgerAsset, bigint>>

/** Books a complete posting. An unbalanced posting is a bug and is never booked partially. */
export function post(ledger: Ledger, posting: Posting): void {
  const unbalanced = isOfMoves(posting) ? [] : imbalances(posting)
  if (unbalanced.length > 0) throw new Error(`bug: posting does not balance in ${unbalanced.join(', ')}`)
  // Most postings run between two accounts, so the last two look-ups are kept.
  let last: Leg['account'] | undefined
  let lastHoldings: Holdings | undefined
  let earlier: Leg['account'] | undefined
  let earlierHoldings: Holdings | undefined
  for (let at = 0; at < posting.length; at++) {
    const { account, asset, amount } = posting[at]!
    if (account !== last) {
      const holdings = account === earlier ? earlierHoldings! : holdingsIn(ledger, account)
      earlier = last
      earlierHoldings = lastHoldings
      last = account
      lastHoldings = holdings
    }
    const holdings = lastHoldings!
    const before = holdings.get(asset)
    const after = before === undefined ? amount : before + amount
    if (after === 0n) holdings.delete(asset)
    else holdings.set(asset, after)
  }
}

/** Whether a posting consists of moves, as nearly all do: then it is balanced, and needs no sums. */
function isOfMoves(posting: Posting): boolean {
  for (let at = 0; at < posting.length; at += 2) {
    const [from, to] = [posting[at]!, posting[at + 1]]
    if (from.asset !== to?.asset || from.amount + to.amount !== 0n) return false
  }
  return true
}

function holdingsIn(ledger: Ledger, account: LedgerAccount): Holdings {
  let holdings = ledger.get(account)
  if (!holdings) ledger.set(account, (holdings = new Map()))
  return holdings
}

export const balance = (ledger: LedgerView, account: LedgerAccount, asset: LedgerAsset): bigint =>
  ledger.get(account)?.get(asset) ?? 0n

/** The sum over all accounts, per asset; always zero. */
export function totals(ledger: LedgerView): Map<LedgerAsset, bigint> {
  const sums = new Map<LedgerAsset, bigint>()
  for (const holdings of ledger.values())
    for (const [asset, amount] of holdings) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return sums
}
