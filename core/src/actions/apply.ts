import type { Position } from '../account/account.ts'
import { onDay, scaledLots } from '../account/positions/lots.ts'
import { dayFor, todayOf } from '../account/positions/positions.ts'
import { schedule, unschedule } from '../agenda.ts'
import { toMoney, toQuantity } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Appliers } from '../handlers.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import { effectiveAt, paidAt } from './action.ts'
import type { SharesChanged } from './events.ts'

export const actionAppliers = {
  actionScheduled(state, { action }) {
    state.actions.set(action.id, action)
    state.actionsSeq = state.seq
    schedule(state.agenda, effectiveAt(action), { kind: 'runAction', actionId: action.id })
  },

  actionCanceled(state, { actionId }) {
    const action = found(state.actions.get(actionId), actionId)
    state.actions.delete(actionId)
    state.actionsSeq = state.seq
    unschedule(state.agenda, effectiveAt(action), { kind: 'runAction', actionId })
  },

  actionApplied(state, { actionId, at }) {
    const action = found(state.actions.get(actionId), actionId)
    state.actions.set(actionId, { ...action, appliedAt: at })
    state.actionsSeq = state.seq
    unschedule(state.agenda, effectiveAt(action), { kind: 'runAction', actionId })
    if (action.kind === 'dividend') schedule(state.agenda, paidAt(action), { kind: 'payDividend', actionId })
  },

  sharesChanged(state, event) {
    changeShares(state, event)
    changeSettling(state, event)
  },

  dividendEarned(state, { actionId, accountId, quantity, amount }) {
    let owed = state.dividends.get(actionId)
    if (!owed) state.dividends.set(actionId, (owed = new Map()))
    owed.set(accountId, { quantity, amount })
  },

  dividendPaid(state, { actionId, accountId }) {
    state.dividends.get(actionId)?.delete(accountId)
  },

  dividendsPaid(state, { actionId }) {
    const action = found(state.actions.get(actionId), actionId)
    state.dividends.delete(actionId)
    if (action.kind === 'dividend')
      unschedule(state.agenda, paidAt(action), { kind: 'payDividend', actionId })
  },
} satisfies Appliers

function changeShares(state: State, event: SharesChanged): void {
  const { accountId, symbol, newSymbol = symbol, after, costBasis } = event
  const positions = found(state.positions.get(accountId), accountId)
  const day = dayFor(symbol, state.lastAt)
  const before = onDay(found(positions.get(symbol), symbol), day)
  positions.delete(symbol)
  if (after === 0n) return
  const today = todayAfter(state, before, event)
  const lots = scaledLots(before, { quantity: after, cost: costBasis }, day)
  positions.set(newSymbol, {
    symbol: newSymbol,
    quantity: after,
    costBasis,
    ...definedFields({ today, lots }),
  })
}

/** Scales the part opened today like the whole position. */
function todayAfter(state: State, before: Position, { after, costBasis }: SharesChanged): Position['today'] {
  const today = todayOf(before, dayFor(before.symbol, state.lastAt))
  if (!today) return undefined
  return {
    day: today.day,
    quantity: toQuantity((today.quantity * after) / before.quantity),
    cost: toMoney(before.costBasis === 0n ? 0n : (today.cost * costBasis) / before.costBasis),
  }
}

function changeSettling(
  state: State,
  { accountId, symbol, newSymbol = symbol, unsettled }: SharesChanged,
): void {
  const days = state.unsettled.get(accountId)
  for (const [date, quantity] of unsettled) {
    const { shares } = found(days?.get(date), date)
    shares.delete(symbol)
    if (quantity !== 0n) shares.set(newSymbol, quantity)
  }
}
