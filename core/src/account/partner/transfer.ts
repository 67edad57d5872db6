import { format, type Money, max, min, NO_MONEY, subtract, toMoney } from '../../amount.ts'
import { definedFields } from '../../defined-fields.ts'
import type { Decider } from '../../handlers.ts'
import type { AccountId } from '../../ids.ts'
import { BANK, customer, USD } from '../../ledger/chart.ts'
import { balance, moveSigned } from '../../ledger/ledger.ts'
import { fail, ok } from '../../result.ts'
import type { View } from '../../state/state.ts'
import { type AccountAccessRefusal, openAccountOf } from '../account-check.ts'
import { balancesOf } from '../balances.ts'
import { type BlockRefusal, blockFault } from '../blocks.ts'
import type { PricesAndTerms } from '../positions/position-totals.ts'
import { movementId, type Transfer } from './movements.ts'

export type TransferRefusal =
  | AccountAccessRefusal
  | BlockRefusal<'transfersBlocked'>
  | { readonly code: 'insufficientWithdrawable'; readonly amount: string; readonly withdrawable: string }

/** A deposit or withdrawal. */
export const transferMoney: Decider<'transferMoney', TransferRefusal> = (view, moment, command) => {
  const { at } = moment
  const { kind: _, partnerId, accountId, ...terms } = command
  const account = openAccountOf(view, accountId, partnerId)
  if (!account.ok) return account
  const blocked = blockFault(account.value, 'transfers', 'transfersBlocked')
  if (blocked) return fail(blocked)
  const { amount } = terms
  const decidedWith =
    terms.direction === 'out' ? { withdrawable: withdrawableOf(view, moment, accountId) } : undefined
  if (decidedWith && amount > decidedWith.withdrawable)
    return fail(insufficientWithdrawable(amount, decidedWith.withdrawable))
  const transfer: Transfer = {
    id: movementId({ at, seq: view.seq + 1, n: 0 }),
    accountId,
    partnerId: account.value.partnerId,
    ...terms,
    createdAt: at,
  }
  const signed = terms.direction === 'in' ? amount : -amount
  return ok([
    {
      kind: 'transferBooked',
      at,
      accountId,
      transfer,
      ...definedFields({ decidedWith }),
      posting: moveSigned(USD, signed, { from: BANK, to: customer(accountId, 'settled') }),
    },
  ])
}

export const insufficientWithdrawable = (amount: Money, withdrawable: Money) =>
  ({
    code: 'insufficientWithdrawable',
    amount: format(amount),
    withdrawable: format(withdrawable),
  }) as const

/**
 * The withdrawable amount: settled cash minus holds, and minus the cash that a loan or the initial margin
 * requires.
 */
export function withdrawableOf(view: View, market: PricesAndTerms, accountId: AccountId): Money {
  const { cash, equity, initialMargin, held } = balancesOf(view, market, accountId)
  const settled = toMoney(balance(view.ledger, customer(accountId, 'settled'), USD))
  const free = min(min(settled, cash), subtract(equity, initialMargin))
  return max(subtract(free, held), NO_MONEY)
}
