import { definedFields } from '../../defined-fields.ts'
import type { Deciders } from '../../handlers.ts'
import type { PartnerId, TransitId } from '../../ids.ts'
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
import {
  type BookTransferRefusal,
  bookTransferPosting,
  newBookTransfer,
  outflowOf,
  transferBlock,
} from './book-transfer.ts'
import type { BookTransferRequest, SendBookTransfer } from './commands.ts'
import type { BookTransferReturned, BookTransferSent, BookTransferSettled } from './events.ts'
import { storedCall } from './idempotency.ts'
import { type BookTransfer, type BookTransferResponse, type KeyedCall, movementId } from './movements.ts'
import { pendingBookTransfer, transitIdOf } from './pending-book-transfers.ts'

/*
 * A book transfer from an account of world A to an account of world B:
 *
 *   A  bookTransferSent      customer to `transit:ID`; a job asks B until B answers
 *   B  bookTransferReceived  `transit` to customer; or bookTransferRefused, without a posting
 *   A  bookTransferSettled   `transit:ID` to `transit`; or bookTransferReturned, `transit:ID` to customer
 *
 * B stores its response under the id of the book transfer, so that a repeated request gets the same response and posts nothing.
 * A acts on the first response and ignores later ones.
 */

export const transitDeciders = {
  /** The checks of the sender are those of a book transfer within a world. The receiver is checked in its world. */
  sendBookTransfer(view, moment, command) {
    const { partnerId, what } = command
    const from = openAccountOf(view, command.from, partnerId)
    if (!from.ok) return from
    const blocked = transferBlock(from.value)
    if (blocked) return fail(blocked)
    if (what.kind === 'shares' && from.value.issuer !== undefined)
      return fail({ code: 'accountHoldsCustody' })
    return sent(view, moment, from.value, command)
  },

  receiveBookTransfer(view, moment, { kind: _, partnerId, ledgerId, earlier, ...request }) {
    const { transitId } = request
    if (responseTo(view, transitId, earlier)) return ok([])
    const to = receiverOf(view, moment, request, partnerId)
    if (!to.ok) return ok([{ kind: 'bookTransferRefused', at: moment.at, transitId, reason: to.reason }])
    const bookTransfer = receivedBookTransfer(view, moment, to.value, request)
    return ok([
      {
        kind: 'bookTransferReceived',
        at: moment.at,
        accountId: to.value.id,
        bookTransfer,
        ledgerId,
        posting: bookTransferPosting(bookTransfer, { from: TRANSIT, to: customer(to.value.id, 'settled') }),
      },
    ])
  },

  answerBookTransfer(view, { at }, { bookTransferId, response }) {
    const bookTransfer = pendingBookTransfer(view, bookTransferId)
    return ok(
      bookTransfer
        ? [response.ok ? settled(bookTransfer, at, response) : returned(bookTransfer, at, response)]
        : [],
    )
  },
} satisfies Deciders<BookTransferRefusal>

/** The stored response to a book transfer of another world. `earlier` is what the query tables found. */
export function responseTo(
  view: View,
  transitId: TransitId,
  earlier?: KeyedCall,
): BookTransferResponse | undefined {
  const led = storedCall(view, transitId, earlier)?.led
  return led?.kind === 'worldResponse' ? led.response : undefined
}

function sent(
  view: View,
  moment: Moment,
  from: Account,
  command: SendBookTransfer,
): Result<[BookTransferSent], BookTransferRefusal> {
  const outflow = outflowOf(view, moment, from.id, command.what)
  if (!outflow.ok) return outflow
  const { toWorld, ledgerId } = command
  const plain = newBookTransfer(view, moment, { from, command, what: outflow.value.what })
  const transitId = `${ledgerId}/${plain.id}` as TransitId
  const bookTransfer: BookTransfer = { ...plain, toWorld, transitId, status: 'pending' }
  return ok([
    {
      kind: 'bookTransferSent',
      at: moment.at,
      accountId: from.id,
      bookTransfer,
      decidedWith: outflow.value.decidedWith,
      posting: bookTransferPosting(bookTransfer, {
        from: customer(from.id, 'settled'),
        to: transit(transitId),
      }),
      job: jobOf(bookTransfer, moment.at),
    },
  ])
}

const jobOf = (bookTransfer: BookTransfer, due: Instant): Job => ({
  id: jobIdOf(bookTransfer.id, 'askWorld'),
  kind: 'askWorld',
  accountId: bookTransfer.from,
  due,
  attempts: 0,
  bookTransfer,
})

/** The receiving account, or the reason why it cannot receive the book transfer. */
function receiverOf(
  view: View,
  { asset }: Moment,
  { to: id, what }: BookTransferRequest,
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
function receivedBookTransfer(
  view: View,
  { at, prices }: Moment,
  { partnerId, id: to }: Account,
  { transitId, fromWorld, from, what, description }: BookTransferRequest,
): BookTransfer {
  return {
    id: movementId({ at, seq: view.seq + 1, n: 0 }),
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
  { price: _, ...rest }: Extract<BookTransfer['what'], { readonly kind: 'shares' }>,
  price: ReturnType<typeof markOf>,
): BookTransfer['what'] {
  return { ...rest, ...definedFields({ price }) }
}

function settled(
  { status: _, ...bookTransfer }: BookTransfer,
  at: Instant,
  { ledgerId }: Extract<BookTransferResponse, { readonly ok: true }>,
): BookTransferSettled {
  const posting = bookTransferPosting(bookTransfer, { from: transit(transitIdOf(bookTransfer)), to: TRANSIT })
  return { kind: 'bookTransferSettled', at, accountId: bookTransfer.from, bookTransfer, ledgerId, posting }
}

function returned(
  pending: BookTransfer,
  at: Instant,
  { reason }: Extract<BookTransferResponse, { readonly ok: false }>,
): BookTransferReturned {
  const bookTransfer: BookTransfer = { ...pending, status: 'rejected', reason }
  const ends = { from: transit(transitIdOf(bookTransfer)), to: customer(bookTransfer.from, 'settled') }
  return {
    kind: 'bookTransferReturned',
    at,
    accountId: bookTransfer.from,
    bookTransfer,
    posting: bookTransferPosting(bookTransfer, ends),
  }
}
