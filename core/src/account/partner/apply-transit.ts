import type { Appliers } from '../../handlers.ts'
import { dropJob, putJob } from '../../jobs/apply.ts'
import { jobIdOf } from '../../jobs/job.ts'
import { transit } from '../../ledger/chart.ts'
import type { State } from '../../state/state.ts'
import { addJournaled, changeHistory } from './apply.ts'
import { applyKeyed } from './idempotency.ts'
import type { Journal } from './movements.ts'
import { transitIdOf } from './pending-journals.ts'

export const transitAppliers = {
  journalSent(state, event) {
    const { journal, job } = event
    addJournaled(state, journal.from, journal, -1n)
    putJob(state, job)
    changeHistory(state, journal.partnerId)
  },

  journalReceived(state, event) {
    const { journal } = event
    applyKeyed(state, event)
    addJournaled(state, journal.to, journal, 1n)
    changeHistory(state, journal.partnerId)
  },

  journalRefused: applyKeyed,

  journalSettled(state, event) {
    applyKeyed(state, event)
    endTransit(state, event.journal)
  },

  journalReturned(state, event) {
    const { journal } = event
    applyKeyed(state, event)
    endTransit(state, journal)
    addJournaled(state, journal.from, journal, 1n)
  },
} satisfies Appliers

/** The posting has emptied the account, so that only pending journals take memory. */
function endTransit(state: State, journal: Journal): void {
  dropJob(state, jobIdOf(journal.id, 'askWorld'))
  const account = transit(transitIdOf(journal))
  if (state.ledger.get(account)?.size === 0) state.ledger.delete(account)
}
