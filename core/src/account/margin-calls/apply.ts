import { schedule, unschedule } from '../../agenda.ts'
import { add, NO_MONEY } from '../../amount.ts'
import type { Appliers } from '../../handlers.ts'
import type { AccountId } from '../../ids.ts'
import { found } from '../../result.ts'
import type { State, View } from '../../state/state.ts'
import type { MarginCall } from './events.ts'

export const marginAppliers = {
  interestAccrued(state, { accountId, amount }) {
    state.interest.set(accountId, add(state.interest.get(accountId) ?? NO_MONEY, amount))
  },

  interestPosted: (state, { accountId }) => state.interest.delete(accountId),

  marginCallIssued: (state, { at, accountId, amount, dueAt }) =>
    setCall(state, accountId, { issuedAt: at, dueAt, amount }),

  marginCallMet: (state, { accountId }) => setCall(state, accountId, undefined),
  marginCallClosed: (state, { accountId }) => setCall(state, accountId, undefined),

  marginCallEnforced(state, { at, accountId }) {
    const call = found(state.marginCalls.get(accountId), accountId)
    setCall(state, accountId, { ...call, dueAt: at, liquidated: [] })
  },

  positionLiquidated(state, { at, accountId, symbol }) {
    const call = found(state.marginCalls.get(accountId), accountId)
    setCall(state, accountId, { ...call, dueAt: at, liquidated: [...(call.liquidated ?? []), symbol] })
  },
} satisfies Appliers

/** Sets or removes the call of an account, and schedules its next step. */
export function setCall(state: State, accountId: AccountId, call: MarginCall | undefined): void {
  const before = state.marginCalls.get(accountId)
  if (before) unschedule(state.agenda, before.dueAt, { kind: 'enforceCall', accountId })
  if (!call) {
    state.marginCalls.delete(accountId)
    return
  }
  state.marginCalls.set(accountId, call)
  schedule(state.agenda, call.dueAt, { kind: 'enforceCall', accountId })
}

/** Each call belongs to an open account, and accrued interest is positive. */
export const marginFaults = ({ accounts, interest, marginCalls }: View): string[] => [
  ...[...interest].flatMap(([id, amount]) =>
    accounts.has(id) && amount > 0n ? [] : [`interest of ${id}: ${amount}`],
  ),
  ...[...marginCalls.keys()].flatMap((id) => {
    const account = accounts.get(id)
    return account && account.closedAt === undefined ? [] : [`margin call of ${id}, which is not open`]
  }),
]
