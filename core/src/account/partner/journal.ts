import { format, type Money, NO_QUANTITY, type Quantity, subtract } from '../../amount.ts'
import { definedFields } from '../../defined-fields.ts'
import type { Decider } from '../../handlers.ts'
import type { AccountId, JournalId } from '../../ids.ts'
import { customer, shares, USD } from '../../ledger/chart.ts'
import { move } from '../../ledger/posting.ts'
import type { Moment } from '../../moment.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { View } from '../../state.ts'
import { isShortOf } from '../../tokenization/shorts.ts'
import type { Account, Position } from '../account.ts'
import { type AccountAccessRefusal, accountOf, openAccountOf } from '../account-check.ts'
import { type BlockRefusal, blockFault } from '../blocks.ts'
import { costOfPart, onDay } from '../lots.ts'
import { markOf } from '../position-totals.ts'
import { dayFor } from '../positions.ts'
import type { JournalBetween } from './commands.ts'
import type { JournalBooked } from './events.ts'
import { type KeyedRefusal, replayedCall } from './idempotency.ts'
import { type Journal, type JournaledShares, movementId } from './movements.ts'
import { insufficientWithdrawable, withdrawableOf } from './transfer.ts'

export type JournalRefusal =
  | AccountAccessRefusal
  | KeyedRefusal
  | BlockRefusal<'transfersBlocked'>
  | ReturnType<typeof insufficientWithdrawable>
  | { readonly code: 'journalToSelf' }
  | { readonly code: 'journalAcrossPartners' }
  | { readonly code: 'accountHoldsCustody' }
  | { readonly code: 'receiverIsShort'; readonly symbol: string }
  | {
      readonly code: 'insufficientShares'
      readonly symbol: string
      readonly requested: string
      readonly available: string
    }

/** Checks run in the order of the steps below; the first failure is returned. */
export const journalBetween: Decider<'journalBetween', JournalRefusal> = (view, moment, command) => {
  const { partnerId, what } = command
  const sender = accountOf(view, command.from, partnerId)
  const replay = sender && replayedCall(view, sender.partnerId, command)
  if (replay) return replay
  const from = openAccountOf(view, command.from, partnerId)
  if (!from.ok) return from
  const to = openAccountOf(view, command.to, partnerId)
  if (!to.ok) return to
  if (from.value.id === to.value.id) return fail({ code: 'journalToSelf' })
  if (from.value.partnerId !== to.value.partnerId) return fail({ code: 'journalAcrossPartners' })
  const blocked = transferBlock(from.value) ?? transferBlock(to.value)
  if (blocked) return fail(blocked)
  const parties = { from: from.value, to: to.value, command }
  return what.kind === 'cash'
    ? journalCash(view, moment, parties, what.amount)
    : journalShares(view, moment, parties, what)
}

const transferBlock = (account: Account) => blockFault(account, 'transfers', 'transfersBlocked')

type JournalParties = { readonly from: Account; readonly to: Account; readonly command: JournalBetween }

function journalCash(
  view: View,
  moment: Moment,
  parties: JournalParties,
  amount: Money,
): Result<[JournalBooked], JournalRefusal> {
  const withdrawable = withdrawableOf(view, moment, parties.from.id)
  if (amount > withdrawable) return fail(insufficientWithdrawable(amount, withdrawable))
  return ok([
    {
      ...bookedFields(view, moment, parties, { kind: 'cash', amount }),
      decidedWith: { withdrawable },
      posting: move(USD, amount, settledOf(parties)),
    },
  ])
}

/** Shares that are not held may move, settled or not, with their part of the cost basis. */
function journalShares(
  view: View,
  moment: Moment,
  parties: JournalParties,
  { symbol, quantity }: Pick<JournaledShares, 'symbol' | 'quantity'>,
): Result<[JournalBooked], JournalRefusal> {
  const { from, to } = parties
  // A custody account holds exactly the shares that back the issuer's tokens.
  if (from.issuer !== undefined || to.issuer !== undefined) return fail({ code: 'accountHoldsCustody' })
  const position = view.positions.get(from.id)?.get(symbol)
  const available = freeShares(view, from.id, position)
  if (!position || quantity > available)
    return fail({
      code: 'insufficientShares',
      symbol,
      requested: format(quantity),
      available: format(available),
    })
  if (isShortOf(view, to.id, symbol)) return fail({ code: 'receiverIsShort', symbol })
  const price = markOf(moment.prices, symbol)
  const cost = costOfPart(onDay(position, dayFor(symbol, moment.at)), quantity)
  const what = { kind: 'shares', symbol, quantity, cost, ...definedFields({ price }) } as const
  return ok([
    {
      ...bookedFields(view, moment, parties, what),
      decidedWith: { available },
      posting: move(shares(symbol), quantity, settledOf(parties)),
    },
  ])
}

/** Shares of a long position that no open order or request holds; zero for a short. */
function freeShares(view: View, id: AccountId, position: Position | undefined): Quantity {
  if (!position || position.quantity < NO_QUANTITY) return NO_QUANTITY
  return subtract(position.quantity, view.holds.get(id)?.shares.get(position.symbol) ?? NO_QUANTITY)
}

const settledOf = ({ from, to }: JournalParties) => ({
  from: customer(from.id, 'settled'),
  to: customer(to.id, 'settled'),
})

function bookedFields(
  view: View,
  { at }: Moment,
  { from, to, command }: JournalParties,
  what: Journal['what'],
) {
  const { description, idempotency } = command
  const journal: Journal = {
    id: movementId({ at, seq: view.seq + 1, n: 0 }) as JournalId,
    partnerId: from.partnerId,
    from: from.id,
    to: to.id,
    what,
    ...definedFields({ description }),
    createdAt: at,
  }
  return {
    kind: 'journalBooked',
    at,
    accountId: from.id,
    journal,
    ...definedFields({ idempotency }),
  } as const
}
