import type { Appliers } from '../../handlers.ts'
import { dropJob, putJob } from '../../jobs/apply.ts'
import { jobIdOf } from '../../jobs/job.ts'
import { transit } from '../../ledger/chart.ts'
import type { State } from '../../state/state.ts'
import { addMoved, changeHistory } from './apply.ts'
import { applyKeyed } from './idempotency.ts'
import type { BookTransfer } from './movements.ts'
import { transitIdOf } from './pending-book-transfers.ts'

export const transitAppliers = {
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

/** The posting has emptied the account, so that only pending book transfers take memory. */
function endTransit(state: State, bookTransfer: BookTransfer): void {
  dropJob(state, jobIdOf(bookTransfer.id, 'askWorld'))
  const account = transit(transitIdOf(bookTransfer))
  if (state.ledger.get(account)?.size === 0) state.ledger.delete(account)
}
