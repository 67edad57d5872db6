import { amount, id, list, pattern, record, type ValueOf } from '../schema.ts'
import type { LedgerAccount, LedgerAsset } from './chart.ts'

const ledgerAccountSchema = pattern<LedgerAccount>(
  'customer:*:unsettled',
  'customer:*:settled',
  'street',
  'bank',
  'fees',
  'corporate',
  'custody:*',
  'supply:*',
  'wallets',
  'interest',
  'transit:*',
  'transit',
)

/** One line of a posting; a positive amount credits the account, a negative one debits it. */
const legSchema = record({ account: ledgerAccountSchema, asset: id<LedgerAsset>(), amount: amount() })
export type Leg = ValueOf<typeof legSchema>

/** Legs that sum to zero per asset. */
export const postingSchema = list(legSchema)
export type Posting = ValueOf<typeof postingSchema>

type Ends = { readonly from: LedgerAccount; readonly to: LedgerAccount }

export function move(asset: LedgerAsset, amount: bigint, { from, to }: Ends): Posting {
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

/** A move in the opposite direction if the amount is negative. */
export const moveSigned = (asset: LedgerAsset, amount: bigint, { from, to }: Ends): Posting =>
  amount >= 0n ? move(asset, amount, { from, to }) : move(asset, -amount, { from: to, to: from })

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
