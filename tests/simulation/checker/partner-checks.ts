import assert from 'node:assert/strict'
import type { AccountClosed, AccountReset, JournalBooked, TransferBooked } from '@quipu/core'
import { assertMoves, type OwnLedger, pair, settled, unsettled } from './ledger.ts'

/** What of the checker's own books these rules look at. */
export type Books = {
  readonly ledger: OwnLedger
  heldMoney(accountId: string): bigint
  heldShares(accountId: string, symbol: string): bigint
  openOrders(accountId: string): number
  /** Whatever an account was to settle, or owed, is forgotten. */
  forgetDue(accountId: string): void
}

/** What partners may do with accounts, in the checker's own words. The posting of an event stands in the books already. */
export const partnerChecks = (books: Books) => ({
  transferBooked: ({ accountId, transfer, posting }: TransferBooked) => {
    const { amount, direction } = transfer
    assert(amount > 0n && transfer.accountId === accountId)
    const [from, to] = direction === 'in' ? ['bank', settled(accountId)] : [settled(accountId), 'bank']
    assertMoves(posting, pair('USD', amount, from!, to!))
    if (direction === 'out') assertFree(books, accountId)
  },
  journalBooked: ({ accountId, journal, posting }: JournalBooked) => {
    const { from, to, what } = journal
    assert(from === accountId && from !== to)
    const [asset, amount] = what.kind === 'cash' ? ['USD', what.amount] : [what.symbol, what.quantity]
    assert(amount > 0n)
    assertMoves(posting, pair(asset, amount, settled(from), settled(to)))
    if (what.kind === 'cash') return assertFree(books, from)
    const left = books.ledger.owned(from, asset)
    assert(left >= books.heldShares(from, asset), 'only free shares are given away')
    assert(books.ledger.owned(to, asset) >= amount, 'nobody is given what they are short of')
  },
  accountReset: ({ accountId, cash, positions, posting }: AccountReset) => {
    const mine = new Set(['bank', settled(accountId), unsettled(accountId)])
    assert(posting.every(({ account }) => mine.has(account)))
    const expected = [['USD', cash] as const, ...positions.map((one) => [one.symbol, one.quantity] as const)]
    const holds = books.ledger.of(settled(accountId)).list()
    const wanted = expected.filter(([, amount]) => amount !== 0n).sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(holds, wanted, 'a reset leaves what was asked for, settled, and nothing else')
    assert.deepEqual(books.ledger.of(unsettled(accountId)).list(), [])
    assert.equal(books.openOrders(accountId), 0, 'a reset leaves nothing open')
    books.forgetDue(accountId)
  },
  accountClosed: ({ accountId }: AccountClosed) => {
    for (const name of [settled(accountId), unsettled(accountId)])
      assert.deepEqual(books.ledger.of(name).list(), [], 'nothing is left in a closed account')
    assert.equal(books.openOrders(accountId), 0, 'a closed account wants nothing')
    books.forgetDue(accountId)
  },
})

/** What is left covers what is reserved: nothing unsettled and nothing reserved has left. */
function assertFree({ ledger, heldMoney }: Books, accountId: string): void {
  const left = [ledger.of(settled(accountId)).get('USD'), ledger.owned(accountId, 'USD')]
  for (const money of left) assert(money >= heldMoney(accountId), 'only free money leaves')
}
