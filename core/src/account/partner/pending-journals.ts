import type { AccountId, JournalId, Ticker, TransitId } from '../../ids.ts'
import { jobIdOf } from '../../jobs/job.ts'
import { shares, transit, transitOf, USD } from '../../ledger/chart.ts'
import { found } from '../../result.ts'
import type { View } from '../../state/state.ts'
import type { Journal } from './movements.ts'

/*
 * Journals that wait for the answer of another world. Each is in the job that asks for the answer.
 */

type Jobs = Pick<View, 'jobs'>

export const pendingJournal = ({ jobs }: Jobs, id: JournalId): Journal | undefined =>
  jobs.get(jobIdOf(id, 'askWorld'))?.journal

/** The pending journals of a sender. */
export const pendingJournalsOf = ({ jobs }: Jobs, accountId: AccountId): readonly Journal[] =>
  [...jobs.values()].flatMap(({ journal }) => (journal?.from === accountId ? [journal] : []))

/** Whether a pending journal may return shares of this symbol to the account. */
export const mayReturnShares = (view: Jobs, accountId: AccountId, symbol: Ticker): boolean =>
  pendingJournalsOf(view, accountId).some(({ what }) => what.kind === 'shares' && what.symbol === symbol)

export const transitIdOf = ({ transitId }: Journal): TransitId => found(transitId, 'the transit id')

/** Every `transit:…` account has exactly the money or shares of one pending journal. */
export function transitFaults({ jobs, ledger }: Pick<View, 'jobs' | 'ledger'>): string[] {
  const expected = new Map<string, bigint>()
  for (const { journal } of jobs.values()) {
    if (!journal) continue
    const { what } = journal
    const [asset, amount] = what.kind === 'cash' ? [USD, what.amount] : [shares(what.symbol), what.quantity]
    expected.set(`${transit(transitIdOf(journal))} ${asset}`, amount)
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
