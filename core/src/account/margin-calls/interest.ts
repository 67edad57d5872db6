import { CENT, divide, type Money, NO_MONEY, toMoney } from '../../amount.ts'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import { customer, INTEREST, USD } from '../../ledger/chart.ts'
import { balance, move } from '../../ledger/ledger.ts'
import { nextSession } from '../../market/calendar.ts'
import { settingsOf, type View } from '../../state/state.ts'
import type { Instant } from '../../time.ts'
import type { InterestAccrued, InterestPosted } from './events.ts'

const RATE_UNIT = 1_000_000n
const YEAR_DAYS = 360n

/**
 * The interest of a regular close. It accrues on the settled debit: debit × rate × days / 360, for the days until
 * the next session. The last close of a month posts the sum.
 */
export function interestDue(
  view: View,
  at: Instant,
  date: CivilDate,
): readonly (InterestAccrued | InterestPosted)[] {
  const rate = settingsOf(view).margin?.interestRate
  if (rate === undefined) return []
  const next = nextSession(date).date
  const days = dayOf(next) - dayOf(date)
  const isLastOfMonth = next.slice(0, 7) !== date.slice(0, 7)
  const events: (InterestAccrued | InterestPosted)[] = []
  for (const { id: accountId, closedAt } of view.accounts.values()) {
    if (closedAt !== undefined) continue
    const debit = toMoney(-balance(view.ledger, customer(accountId, 'settled'), USD))
    const accrued = debit > 0n ? interestOn(debit, rate, days) : NO_MONEY
    if (accrued > 0n)
      events.push({ kind: 'interestAccrued', at, accountId, date, debit, rate, days, amount: accrued })
    const sum = (view.interest.get(accountId) ?? NO_MONEY) + accrued
    const amount = toMoney(divide(sum, CENT, 'nearest') * CENT)
    if (!isLastOfMonth || amount === NO_MONEY) continue
    const posting = move(USD, amount, { from: customer(accountId, 'settled'), to: INTEREST })
    events.push({ kind: 'interestPosted', at, accountId, date, amount, posting })
  }
  return events
}

const interestOn = (debit: Money, rate: number, days: number): Money =>
  toMoney(divide(debit * BigInt(rate) * BigInt(days), RATE_UNIT * YEAR_DAYS, 'nearest'))
