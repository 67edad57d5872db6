import { format, NO_QUANTITY, type Quantity, subtract } from '../../amount.ts'
import { definedFields } from '../../defined-fields.ts'
import type { Decider } from '../../handlers.ts'
import type { AccountId } from '../../ids.ts'
import { customer, shares, USD } from '../../ledger/chart.ts'
import { move, type Posting } from '../../ledger/ledger.ts'
import type { Moment } from '../../moment.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { View } from '../../state/state.ts'
import { isShortOf } from '../../tokenization/shorts.ts'
import type { Account, Position } from '../account.ts'
import { type AccountAccessRefusal, openAccountOf } from '../account-check.ts'
import { type BlockRefusal, blockFault } from '../blocks.ts'
import { costOfPart, onDay } from '../positions/lots.ts'
import { markOf } from '../positions/position-totals.ts'
import { dayFor } from '../positions/positions.ts'
import type { MakeBookTransfer } from './commands.ts'
import type { BookTransferMade } from './events.ts'
import { type BookTransfer, movementId } from './movements.ts'
import { insufficientWithdrawable, withdrawableOf } from './transfer.ts'

export type BookTransferRefusal =
  | AccountAccessRefusal
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
export const makeBookTransfer: Decider<'makeBookTransfer', BookTransferRefusal> = (view, moment, command) => {
  const { partnerId, what } = command
  const from = openAccountOf(view, command.from, partnerId)
  if (!from.ok) return from
  const to = openAccountOf(view, command.to, partnerId)
  if (!to.ok) return to
  if (from.value.id === to.value.id) return fail({ code: 'journalToSelf' })
  if (from.value.partnerId !== to.value.partnerId) return fail({ code: 'journalAcrossPartners' })
  const blocked = transferBlock(from.value) ?? transferBlock(to.value)
  if (blocked) return fail(blocked)
  // A custody account holds exactly the shares that back the issuer's tokens.
  if (what.kind === 'shares' && (from.value.issuer !== undefined || to.value.issuer !== undefined))
    return fail({ code: 'accountHoldsCustody' })
  const outflow = outflowOf(view, moment, from.value.id, what)
  if (!outflow.ok) return outflow
  if (what.kind === 'shares' && isShortOf(view, to.value.id, what.symbol))
    return fail({ code: 'receiverIsShort', symbol: what.symbol })
  const bookTransfer = newBookTransfer(view, moment, { from: from.value, command, what: outflow.value.what })
  return ok([
    {
      kind: 'bookTransferMade',
      at: moment.at,
      accountId: from.value.id,
      bookTransfer,
      decidedWith: outflow.value.decidedWith,
      posting: bookTransferPosting(bookTransfer, {
        from: customer(from.value.id, 'settled'),
        to: customer(to.value.id, 'settled'),
      }),
    },
  ])
}

export const transferBlock = (account: Account) => blockFault(account, 'transfers', 'transfersBlocked')

/** What leaves the sender's account, and the number that decided it. */
export type Outflow = {
  readonly what: BookTransfer['what']
  readonly decidedWith: BookTransferMade['decidedWith']
}

/** Withdrawable cash may leave. Shares that are not held may leave, settled or not, with their part of the cost basis. */
export function outflowOf(
  view: View,
  moment: Moment,
  from: AccountId,
  what: MakeBookTransfer['what'],
): Result<Outflow, BookTransferRefusal> {
  if (what.kind === 'cash') {
    const withdrawable = withdrawableOf(view, moment, from)
    return what.amount > withdrawable
      ? fail(insufficientWithdrawable(what.amount, withdrawable))
      : ok({ what, decidedWith: { withdrawable } })
  }
  const { symbol, quantity } = what
  const position = view.positions.get(from)?.get(symbol)
  const available = freeShares(view, from, position)
  if (!position || quantity > available)
    return fail({
      code: 'insufficientShares',
      symbol,
      requested: format(quantity),
      available: format(available),
    })
  const price = markOf(moment.prices, symbol)
  const cost = costOfPart(onDay(position, dayFor(symbol, moment.at)), quantity)
  return ok({ what: { ...what, cost, ...definedFields({ price }) }, decidedWith: { available } })
}

/** Shares of a long position that no open order or request holds; zero for a short. */
function freeShares(view: View, id: AccountId, position: Position | undefined): Quantity {
  if (!position || position.quantity < NO_QUANTITY) return NO_QUANTITY
  return subtract(position.quantity, view.holds.get(id)?.shares.get(position.symbol) ?? NO_QUANTITY)
}

/** The money or shares of a book transfer from one ledger account to another. */
export const bookTransferPosting = (
  { what }: Pick<BookTransfer, 'what'>,
  ends: Parameters<typeof move>[2],
): Posting =>
  what.kind === 'cash' ? move(USD, what.amount, ends) : move(shares(what.symbol), what.quantity, ends)

/** A book transfer that the next event contains. */
export const newBookTransfer = (
  view: View,
  { at }: Moment,
  {
    from,
    command: { to, description },
    what,
  }: {
    readonly from: Account
    readonly command: Pick<MakeBookTransfer, 'to' | 'description'>
    readonly what: BookTransfer['what']
  },
): BookTransfer => ({
  id: movementId({ at, seq: view.seq + 1, n: 0 }),
  partnerId: from.partnerId,
  from: from.id,
  to,
  what,
  ...definedFields({ description }),
  createdAt: at,
})
