import type { Price } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { customer, FEES, type LedgerAsset, shares, USD } from '../ledger/chart.ts'
import { move, moveSigned, type Posting } from '../ledger/ledger.ts'
import type { MarginTerms } from '../market/assets/asset.ts'
import { ok } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { FeesBooked } from './events.ts'
import { inCents, totalOf } from './fees/fees.ts'
import { builtInPercent, minimumPercent } from './margin.ts'
import { marginCallsDue } from './margin-calls/calls.ts'
import type { InterestAccrued, InterestPosted } from './margin-calls/events.ts'
import { interestDue } from './margin-calls/interest.ts'
import { markOf } from './positions/position-totals.ts'

export const dayDeciders = {
  /** Marks every position at the regular close, and books fees and interest. The "last" values of accounts come from these marks. */
  closeDay(view, moment, { date }) {
    const { at, prices, asset } = moment
    const marks = new Map<Ticker, Price>()
    const terms = new Map<Ticker, MarginTerms>()
    for (const positions of view.positions.values())
      for (const symbol of positions.keys()) {
        const mark = markOf(prices, symbol)
        if (mark !== undefined) marks.set(symbol, mark)
        const listed = asset(symbol)
        if (listed && minimumPercent(listed) !== builtInPercent(symbol)) terms.set(symbol, termsOf(listed))
      }
    const booked = [...interestDue(view, at, date), ...feesDue(view, at, date)]
    return ok([
      ...booked,
      { kind: 'dayClosed', at, date, marks, ...definedFields({ terms: terms.size > 0 ? terms : undefined }) },
      ...marginCallsDue(view, moment, date, costsOf(booked)),
    ])
  },

  /** Settles one day's unsettled fills in one posting. */
  settleAccount(view, { at }, { accountId, date }) {
    const due = view.unsettled.get(accountId)?.get(date)
    if (!due) return ok([])
    const posting = [
      ...settle(accountId, USD, due.cash),
      ...[...due.shares].flatMap(([symbol, quantity]) => settle(accountId, shares(symbol), quantity)),
    ]
    return ok([{ kind: 'accountSettled', at, accountId, date, posting }])
  },
} satisfies Deciders

/** The cash that leaves each account with these events. */
function costsOf(booked: readonly (FeesBooked | InterestAccrued | InterestPosted)[]): Map<AccountId, bigint> {
  const costs = new Map<AccountId, bigint>()
  for (const event of booked)
    if (event.kind !== 'interestAccrued')
      for (const { account, amount } of event.posting)
        if (account === customer(event.accountId, 'settled'))
          costs.set(event.accountId, (costs.get(event.accountId) ?? 0n) - amount)
  return costs
}

const termsOf = ({ marginable, leverage }: MarginTerms): MarginTerms => ({
  marginable,
  ...definedFields({ leverage }),
})

/** Fees of the fills since the last close, booked before the day is marked so that equity includes them. */
function feesDue(view: View, at: Instant, date: CivilDate): FeesBooked[] {
  return [...view.fees].map(([accountId, accrued]) => {
    const due = inCents(accrued)
    const { sec, taf, cat } = due
    return {
      kind: 'feesBooked',
      at,
      accountId,
      date,
      // A fee of zero is omitted.
      fees: definedFields({ sec: sec || undefined, taf: taf || undefined, cat: cat || undefined }),
      posting: move(USD, totalOf(due), { from: customer(accountId, 'settled'), to: FEES }),
    }
  })
}

const settle = (accountId: AccountId, asset: LedgerAsset, amount: bigint): Posting =>
  moveSigned(asset, amount, { from: customer(accountId, 'unsettled'), to: customer(accountId, 'settled') })
