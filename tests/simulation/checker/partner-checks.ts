import assert from 'node:assert/strict'
import type { AccountClosed, AccountReset, BookTransferMade, TransferBooked } from '@quipu/core'
import { assertMoves, type CheckerLedger, pair, settled, unsettled } from './ledger.ts'

/** The parts of the checker state that partner operations read and change. */
export type PartnerState = {
  readonly ledger: CheckerLedger
  heldMoney(accountId: string): bigint
  heldShares(accountId: string, symbol: string): bigint
  openOrders(accountId: string): number
  /** Removes pending settlements, fees and dividends of an account. */
  forgetDue(accountId: string): void
}

/** Checks partner operations without code of the core. The ledger already has the posting of the event. */
export const partnerChecks = (state: PartnerState) => ({
  transferBooked: ({ accountId, transfer, posting }: TransferBooked) => {
    const { amount, direction } = transfer
    assert(amount > 0n && transfer.accountId === accountId)
    const [from, to] = direction === 'in' ? ['bank', settled(accountId)] : [settled(accountId), 'bank']
    assertMoves(posting, pair('USD', amount, from!, to!))
    if (direction === 'out') assertFree(state, accountId)
  },
  bookTransferMade: ({ accountId, bookTransfer, posting }: BookTransferMade) => {
    const { from, to, what } = bookTransfer
    assert(from === accountId && from !== to)
    const [asset, amount] = what.kind === 'cash' ? ['USD', what.amount] : [what.symbol, what.quantity]
    assert(amount > 0n)
    assertMoves(posting, pair(asset, amount, settled(from), settled(to)))
    if (what.kind === 'cash') return assertFree(state, from)
    const left = state.ledger.owned(from, asset)
    assert(left >= state.heldShares(from, asset), 'only free shares are transferred')
    assert(state.ledger.owned(to, asset) >= amount, 'shares are not transferred to a short position')
  },
  accountReset: ({ accountId, cash, positions, posting }: AccountReset) => {
    const allowedAccounts = new Set(['bank', settled(accountId), unsettled(accountId)])
    assert(posting.every(({ account }) => allowedAccounts.has(account)))
    const expected = [['USD', cash] as const, ...positions.map((one) => [one.symbol, one.quantity] as const)]
    const holds = state.ledger.of(settled(accountId)).list()
    const expectedHoldings = expected
      .filter(([, amount]) => amount !== 0n)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(holds, expectedHoldings, 'a reset leaves only the requested holdings, settled')
    assert.deepEqual(state.ledger.of(unsettled(accountId)).list(), [])
    assert.equal(state.openOrders(accountId), 0, 'a reset leaves no open order')
    state.forgetDue(accountId)
  },
  accountClosed: ({ accountId }: AccountClosed) => {
    for (const name of [settled(accountId), unsettled(accountId)])
      assert.deepEqual(state.ledger.of(name).list(), [], 'a closed account has no balance')
    assert.equal(state.openOrders(accountId), 0, 'a closed account has no open order')
    state.forgetDue(accountId)
  },
})

/** The remaining cash, settled and total, covers the holds. */
function assertFree({ ledger, heldMoney }: PartnerState, accountId: string): void {
  const left = [ledger.of(settled(accountId)).get('USD'), ledger.owned(accountId, 'USD')]
  for (const money of left) assert(money >= heldMoney(accountId), 'only free cash is transferred')
}
