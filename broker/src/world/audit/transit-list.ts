import {
  type BookTransfer,
  type BrokerEvent,
  format,
  isOneOf,
  type LedgerAccount,
  type Posting,
  partnerEvents,
  TRANSIT,
  type TransitId,
  transit,
  unreachable,
} from '@quipu/core'
import type { TransitReport } from './transits.ts'

/** The book transfers to and from other worlds in a book transfer of events. Amounts are those of the postings. */
export class TransitList {
  readonly #sent = new Map<string, TransitReport>()
  readonly #received: TransitReport[] = []

  add(event: BrokerEvent): void {
    if (!isOneOf(partnerEvents, event)) return
    switch (event.kind) {
      case 'bookTransferSent':
        this.#send(event.bookTransfer, 'pending', legOn(event.posting, transit(idOf(event.bookTransfer))))
        return
      case 'bookTransferSettled':
        this.#send(event.bookTransfer, 'executed', {
          ...legOn(event.posting, TRANSIT),
          ledger: event.ledgerId,
        })
        return
      case 'bookTransferReturned':
        this.#send(event.bookTransfer, 'rejected', {})
        return
      case 'bookTransferReceived': {
        const { bookTransfer, posting, ledgerId: ledger } = event
        const status = 'executed' as const
        const side = {
          id: idOf(bookTransfer),
          direction: 'in',
          world: bookTransfer.fromWorld,
          status,
          ledger,
        } as const
        this.#received.push({ ...side, ...legOn(posting, TRANSIT, -1n) })
        return
      }
      case 'bookTransferRefused':
        this.#received.push({ id: event.transitId, direction: 'in', status: 'rejected' })
        return
      case 'bookTransferMade':
      case 'transferBooked':
      case 'accountUpdated':
      case 'accountBlocked':
      case 'accountUnblocked':
      case 'accountClosed':
      case 'accountReset':
        return
      default:
        return unreachable(event)
    }
  }

  reports(): readonly TransitReport[] {
    return [...this.#sent.values(), ...this.#received]
  }

  #send(bookTransfer: BookTransfer, status: TransitReport['status'], moved: Moved): void {
    const id = idOf(bookTransfer)
    this.#sent.set(id, { id, direction: 'out', world: bookTransfer.toWorld, status, ...moved })
  }
}

type Moved = Pick<TransitReport, 'asset' | 'amount' | 'ledger'>

const idOf = ({ id, transitId }: BookTransfer): TransitId => {
  if (transitId === undefined) throw new Error(`book transfer ${id} has no transit id`)
  return transitId
}

/** What a posting moves to an account; nothing if it has no such leg. */
function legOn(posting: Posting, account: LedgerAccount, sign = 1n): Moved {
  const legs = posting.filter((leg) => leg.account === account)
  const amount = legs.reduce((sum, leg) => sum + leg.amount, 0n)
  return legs[0] ? { asset: legs[0].asset, amount: format(sign * amount) } : {}
}
