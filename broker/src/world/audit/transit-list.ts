import {
  type BrokerEvent,
  format,
  type Journal,
  type LedgerAccount,
  type Posting,
  TRANSIT,
  type TransitId,
  transit,
} from '@quipu/core'
import type { TransitReport } from './transits.ts'

/** The journals to and from other worlds in a journal of events. Amounts are those of the postings. */
export class TransitList {
  readonly #sent = new Map<string, TransitReport>()
  readonly #received: TransitReport[] = []

  add(event: BrokerEvent): void {
    switch (event.kind) {
      case 'journalSent':
        this.#send(event.journal, 'pending', legOn(event.posting, transit(idOf(event.journal))))
        return
      case 'journalSettled':
        this.#send(event.journal, 'executed', { ...legOn(event.posting, TRANSIT), ledger: event.ledgerId })
        return
      case 'journalReturned':
        this.#send(event.journal, 'rejected', {})
        return
      case 'journalReceived': {
        const { journal, posting, ledgerId: ledger } = event
        const status = 'executed' as const
        const side = { id: idOf(journal), direction: 'in', world: journal.fromWorld, status, ledger } as const
        this.#received.push({ ...side, ...legOn(posting, TRANSIT, -1n) })
        return
      }
      case 'journalRefused':
        this.#received.push({ id: event.transitId, direction: 'in', status: 'rejected' })
    }
  }

  reports(): readonly TransitReport[] {
    return [...this.#sent.values(), ...this.#received]
  }

  #send(journal: Journal, status: TransitReport['status'], moved: Moved): void {
    const id = idOf(journal)
    this.#sent.set(id, { id, direction: 'out', world: journal.toWorld, status, ...moved })
  }
}

type Moved = Pick<TransitReport, 'asset' | 'amount' | 'ledger'>

const idOf = ({ id, transitId }: Journal): TransitId => {
  if (transitId === undefined) throw new Error(`journal ${id} has no transit id`)
  return transitId
}

/** What a posting moves to an account; nothing if it has no such leg. */
function legOn(posting: Posting, account: LedgerAccount, sign = 1n): Moved {
  const legs = posting.filter((leg) => leg.account === account)
  const amount = legs.reduce((sum, leg) => sum + leg.amount, 0n)
  return legs[0] ? { asset: legs[0].asset, amount: format(sign * amount) } : {}
}
