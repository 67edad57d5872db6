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
