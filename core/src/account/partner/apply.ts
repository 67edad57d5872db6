import { unschedule } from '../../agenda.ts'
import { add, type Money, NO_MONEY, times, toMoney } from '../../amount.ts'
import { definedFields } from '../../defined-fields.ts'
import type { Appliers } from '../../handlers.ts'
import type { AccountId, PartnerId } from '../../ids.ts'
import { dropJob, putJob } from '../../jobs/apply.ts'
import { jobIdOf } from '../../jobs/job.ts'
import { transit } from '../../ledger/chart.ts'
import { settlingInstant } from '../../orders/session.ts'
import { found } from '../../result.ts'
import type { State } from '../../state/state.ts'
import type { Account, Position } from '../account.ts'
import { blocksAfter } from '../blocks.ts'
import { setCall } from '../margin-calls/apply.ts'
import { changePosition } from '../positions/positions.ts'
import type { AccountBlocked, AccountUnblocked } from './events.ts'
import { applyKeyed } from './idempotency.ts'
import type { BookTransfer } from './movements.ts'
import { transitIdOf } from './pending-book-transfers.ts'

export const partnerAppliers = {
  accountUpdated(state, { accountId, details, review }) {
    const { review: before, ...account } = found(state.accounts.get(accountId), accountId)
    const after = review === undefined ? before : (review ?? undefined)
    state.accounts.set(accountId, { ...account, details, ...definedFields({ review: after }) })
  },

  accountBlocked: block,
  accountUnblocked: block,

  accountClosed(state, { accountId, at }) {
    replacePositions(state, accountId, [])
    change(state, accountId, { closedAt: at, lastEquity: NO_MONEY, lastMaintenanceMargin: NO_MONEY })
  },

  accountReset(state, { accountId, positions, equity, date }) {
    replacePositions(state, accountId, positions)
    change(state, accountId, {
      lastEquity: equity,
      lastMaintenanceMargin: NO_MONEY,
      balanceDate: date,
      adjusted: { since: date, amount: NO_MONEY },
    })
  },

  transferBooked(state, event) {
    const { direction, amount } = event.transfer
    adjust(state, event.accountId, toMoney(direction === 'in' ? amount : -amount))
  },

  bookTransferMade(state, event) {
    const { from, to, partnerId } = event.bookTransfer
    addMoved(state, from, event.bookTransfer, -1n)
    addMoved(state, to, event.bookTransfer, 1n)
    // The receiving account's history changes too.
    change(state, to, { lastSeq: state.seq })
    changeHistory(state, partnerId)
  },

  bookTransferSent(state, event) {
    const { bookTransfer, job } = event
    addMoved(state, bookTransfer.from, bookTransfer, -1n)
    putJob(state, job)
    changeHistory(state, bookTransfer.partnerId)
  },

  bookTransferReceived(state, event) {
    const { bookTransfer } = event
    applyKeyed(state, event)
    addMoved(state, bookTransfer.to, bookTransfer, 1n)
    changeHistory(state, bookTransfer.partnerId)
  },

  bookTransferRefused: applyKeyed,

  bookTransferSettled(state, event) {
    applyKeyed(state, event)
    endTransit(state, event.bookTransfer)
  },

  bookTransferReturned(state, event) {
    const { bookTransfer } = event
    applyKeyed(state, event)
    endTransit(state, bookTransfer)
    addMoved(state, bookTransfer.from, bookTransfer, 1n)
  },
} satisfies Appliers

/** Adds the money or shares of a book transfer to an account, or takes them from it. */
export function addMoved(state: State, accountId: AccountId, { what }: BookTransfer, sign: 1n | -1n): void {
  if (what.kind === 'cash') {
    adjust(state, accountId, times(what.amount, sign))
    return
  }
  const { symbol, quantity, cost } = what
  changePosition(state, accountId, {
    symbol,
    quantity: times(quantity, sign),
    cost: times(cost, sign),
  })
}

/** The partner lists the book transfers of all its accounts. */
export function changeHistory(state: State, partnerId: PartnerId): void {
  const partner = found(state.partners.get(partnerId), partnerId)
  state.partners.set(partnerId, { ...partner, lastSeq: state.seq })
}

function change(state: State, id: AccountId, changed: Partial<Account>): void {
  state.accounts.set(id, { ...found(state.accounts.get(id), id), ...changed })
}

function block(state: State, event: AccountBlocked | AccountUnblocked): void {
  const { blocks, ...account } = found(state.accounts.get(event.accountId), event.accountId)
  const after = blocksAfter(blocks, event)
  state.accounts.set(account.id, after ? { ...account, blocks: after } : account)
}

/** Replaces all positions, and deletes everything pending: settlements, fees, interest, calls and dividends. */
export function replacePositions(state: State, accountId: AccountId, positions: readonly Position[]): void {
  if (positions.length === 0) state.positions.delete(accountId)
  else state.positions.set(accountId, new Map(positions.map((position) => [position.symbol, position])))
  for (const date of state.unsettled.get(accountId)?.keys() ?? [])
    unschedule(state.agenda, settlingInstant(date), { kind: 'settleAccount', accountId, date })
  state.unsettled.delete(accountId)
  state.fees.delete(accountId)
  state.interest.delete(accountId)
  setCall(state, accountId, undefined)
  for (const owed of state.dividends.values()) owed.delete(accountId)
}

/** Adds to the net deposits since the last close. */
function adjust(state: State, id: AccountId, money: Money): void {
  const { adjusted, balanceDate: since } = found(state.accounts.get(id), id)
  const before = adjusted?.since === since ? adjusted.amount : NO_MONEY
  change(state, id, { adjusted: { since, amount: add(before, money) } })
}

/** The posting has emptied the account, so that only pending book transfers take memory. */
function endTransit(state: State, bookTransfer: BookTransfer): void {
  dropJob(state, jobIdOf(bookTransfer.id, 'askWorld'))
  const account = transit(transitIdOf(bookTransfer))
  if (state.ledger.get(account)?.size === 0) state.ledger.delete(account)
}
