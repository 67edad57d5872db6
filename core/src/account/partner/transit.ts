import { definedFields } from '../../defined-fields.ts'
import type { Deciders } from '../../handlers.ts'
import type { JournalId, PartnerId, TransitId } from '../../ids.ts'
import { type Job, jobIdOf } from '../../jobs/job.ts'
import { customer, TRANSIT, transit } from '../../ledger/chart.ts'
import type { Moment } from '../../moment.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { View } from '../../state/state.ts'
import type { Instant } from '../../time.ts'
import { isShortOf } from '../../tokenization/shorts.ts'
import type { Account } from '../account.ts'
import { openAccountOf } from '../account-check.ts'
import { markOf } from '../positions/position-totals.ts'
import type { JournalRequest, JournalToWorld } from './commands.ts'
import type { JournalReturned, JournalSent, JournalSettled } from './events.ts'
import { storedCall } from './idempotency.ts'
import { type JournalRefusal, journalPosting, newJournal, outflowOf, transferBlock } from './journal.ts'
import { type Journal, type JournalAnswer, type KeyedCall, movementId } from './movements.ts'
import { pendingJournal, transitIdOf } from './pending-journals.ts'

/*
 * A journal from an account of world A to an account of world B:
 *
 *   A  journalSent      customer to `transit:ID`; a job asks B until B answers
 *   B  journalReceived  `transit` to customer; or journalRefused, without a posting
 *   A  journalSettled   `transit:ID` to `transit`; or journalReturned, `transit:ID` to customer
 *
 * B stores its answer under the id of the journal, so that a repeated request gets the same answer and posts nothing.
 * A acts on the first answer and ignores later ones.
 */

export const transitDeciders = {
  /** The checks of the sender are those of a journal within a world. The receiver is checked in its world. */
  journalToWorld(view, moment, command) {
    const { partnerId, what } = command
    const from = openAccountOf(view, command.from, partnerId)
    if (!from.ok) return from
    const blocked = transferBlock(from.value)
    if (blocked) return fail(blocked)
    if (what.kind === 'shares' && from.value.issuer !== undefined)
      return fail({ code: 'accountHoldsCustody' })
    return sent(view, moment, from.value, command)
  },

  receiveJournal(view, moment, { kind: _, partnerId, ledgerId, earlier, ...request }) {
    const { transitId } = request
    if (answerTo(view, transitId, earlier)) return ok([])
    const to = receiverOf(view, moment, request, partnerId)
    if (!to.ok) return ok([{ kind: 'journalRefused', at: moment.at, transitId, reason: to.reason }])
    const journal = receivedJournal(view, moment, to.value, request)
    return ok([
      {
        kind: 'journalReceived',
        at: moment.at,
        accountId: to.value.id,
        journal,
        ledgerId,
        posting: journalPosting(journal, { from: TRANSIT, to: customer(to.value.id, 'settled') }),
      },
    ])
  },

  answerJournal(view, { at }, { journalId, answer }) {
    const journal = pendingJournal(view, journalId)
    return ok(journal ? [answer.ok ? settled(journal, at, answer) : returned(journal, at, answer)] : [])
  },
} satisfies Deciders<JournalRefusal>

/** The stored answer to a journal of another world. `earlier` is what the views found. */
export function answerTo(view: View, transitId: TransitId, earlier?: KeyedCall): JournalAnswer | undefined {
  const led = storedCall(view, transitId, earlier)?.led
  return led?.kind === 'answer' ? led.answer : undefined
}

function sent(
  view: View,
  moment: Moment,
  from: Account,
  command: JournalToWorld,
): Result<[JournalSent], JournalRefusal> {
  const outflow = outflowOf(view, moment, from.id, command.what)
  if (!outflow.ok) return outflow
  const { toWorld, ledgerId } = command
  const plain = newJournal(view, moment, { from, command, what: outflow.value.what })
  const transitId = `${ledgerId}/${plain.id}` as TransitId
  const journal: Journal = { ...plain, toWorld, transitId, status: 'pending' }
  return ok([
    {
      kind: 'journalSent',
      at: moment.at,
      accountId: from.id,
      journal,
      decidedWith: outflow.value.decidedWith,
      posting: journalPosting(journal, { from: customer(from.id, 'settled'), to: transit(transitId) }),
      job: jobOf(journal, moment.at),
    },
  ])
}

const jobOf = (journal: Journal, due: Instant): Job => ({
  id: jobIdOf(journal.id, 'askWorld'),
  kind: 'askWorld',
  accountId: journal.from,
  due,
  attempts: 0,
  journal,
})

/** The receiving account, or the reason why it cannot receive the journal. */
function receiverOf(
  view: View,
  { asset }: Moment,
  { to: id, what }: JournalRequest,
  partnerId: PartnerId | undefined,
): Result<Account, string> {
  const to = openAccountOf(view, id, partnerId)
  if (!to.ok) return fail(to.reason.code === 'accountIsClosed' ? 'account is closed' : 'account not found')
  if (transferBlock(to.value)) return fail('transfers of the account are blocked')
  if (what.kind === 'cash') return to
  if (to.value.issuer !== undefined) return fail('the account holds the custody of an issuer')
  if (!asset(what.symbol)) return fail(`the world has no asset ${what.symbol}`)
  return isShortOf(view, id, what.symbol) ? fail(`the account is short of ${what.symbol}`) : to
}

/** Shares keep their cost basis; the price is that of this world. */
function receivedJournal(
  view: View,
  { at, prices }: Moment,
  { partnerId, id: to }: Account,
  { transitId, fromWorld, from, what, description }: JournalRequest,
): Journal {
  return {
    id: movementId({ at, seq: view.seq + 1, n: 0 }) as JournalId,
    partnerId,
    from,
    to,
    what: what.kind === 'cash' ? what : pricedHere(what, markOf(prices, what.symbol)),
    ...definedFields({ description }),
    createdAt: at,
    fromWorld,
    transitId,
  }
}

function pricedHere(
  { price: _, ...rest }: Extract<Journal['what'], { readonly kind: 'shares' }>,
  price: ReturnType<typeof markOf>,
): Journal['what'] {
  return { ...rest, ...definedFields({ price }) }
}

function settled(
  { status: _, ...journal }: Journal,
  at: Instant,
  { ledgerId }: Extract<JournalAnswer, { readonly ok: true }>,
): JournalSettled {
  const posting = journalPosting(journal, { from: transit(transitIdOf(journal)), to: TRANSIT })
  return { kind: 'journalSettled', at, accountId: journal.from, journal, ledgerId, posting }
}

function returned(
  pending: Journal,
  at: Instant,
  { reason }: Extract<JournalAnswer, { readonly ok: false }>,
): JournalReturned {
  const journal: Journal = { ...pending, status: 'rejected', reason }
  const ends = { from: transit(transitIdOf(journal)), to: customer(journal.from, 'settled') }
  return {
    kind: 'journalReturned',
    at,
    accountId: journal.from,
    journal,
    posting: journalPosting(journal, ends),
  }
}
