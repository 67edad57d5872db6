import type { AccountId, BookTransferId, Ticker, TransitId } from '../../ids.ts'
import { jobIdOf } from '../../jobs/job.ts'
import { shares, transit, transitOf, USD } from '../../ledger/chart.ts'
import { found } from '../../result.ts'
import type { View } from '../../state/state.ts'
import type { BookTransfer } from './movements.ts'

/*
 * Book transfers that wait for the response of another world. Each is in the job that asks for the response.
 */

type Jobs = Pick<View, 'jobs'>

export const pendingBookTransfer = ({ jobs }: Jobs, id: BookTransferId): BookTransfer | undefined =>
  jobs.get(jobIdOf(id, 'askWorld'))?.bookTransfer

/** The pending book transfers of a sender. */
export const pendingBookTransfersOf = ({ jobs }: Jobs, accountId: AccountId): readonly BookTransfer[] =>
  [...jobs.values()].flatMap(({ bookTransfer }) => (bookTransfer?.from === accountId ? [bookTransfer] : []))

/** Whether a pending book transfer may return shares of this symbol to the account. */
export const mayReturnShares = (view: Jobs, accountId: AccountId, symbol: Ticker): boolean =>
  pendingBookTransfersOf(view, accountId).some(({ what }) => what.kind === 'shares' && what.symbol === symbol)

export const transitIdOf = ({ transitId }: BookTransfer): TransitId => found(transitId, 'the transit id')

/** Every `transit:…` account has exactly the money or shares of one pending book transfer. */
export function transitFaults({ jobs, ledger }: Pick<View, 'jobs' | 'ledger'>): string[] {
  const expected = new Map<string, bigint>()
  for (const { bookTransfer } of jobs.values()) {
    if (!bookTransfer) continue
    const { what } = bookTransfer
    const [asset, amount] = what.kind === 'cash' ? [USD, what.amount] : [shares(what.symbol), what.quantity]
    expected.set(`${transit(transitIdOf(bookTransfer))} ${asset}`, amount)
  }
  const faults: string[] = []
  for (const [account, holdings] of ledger) {
    if (transitOf(account) === undefined) continue
    for (const [asset, amount] of holdings) {
      const name = `${account} ${asset}`
      if (expected.get(name) !== amount)
        faults.push(`${name}: ${amount}, pending: ${expected.get(name) ?? 0n}`)
      expected.delete(name)
    }
  }
  return [...faults, ...[...expected].map(([name, amount]) => `${name}: 0, pending: ${amount}`)]
}
