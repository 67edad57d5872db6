import { applyAccount } from './account/apply.ts'
import type { BrokerEvent } from './events.ts'
import { post } from './ledger/ledger.ts'
import { applyOrder } from './orders/apply.ts'
import { found, unreachable } from './result.ts'
import type { State } from './state.ts'

/** Writes an event into the state. Never refuses: what has happened has happened. */
export function apply(state: State, event: BrokerEvent): void {
  state.seq += 1
  state.lastAt = event.at
  if ('posting' in event) post(state.ledger, event.posting)
  applyKind(state, event)
  if ('accountId' in event && event.accountId !== undefined) {
    const account = found(state.accounts.get(event.accountId), event.accountId)
    state.accounts.set(account.id, { ...account, events: account.events + 1, lastSeq: state.seq })
  }
}

function applyKind(state: State, event: BrokerEvent): void {
  switch (event.kind) {
    case 'worldOpened':
    case 'personAdded':
    case 'partnerAdded':
    case 'accountOpened':
    case 'keyIssued':
    case 'keyRevoked':
    case 'dayClosed':
    case 'accountSettled':
      return applyAccount(state, event)
    case 'orderAccepted':
    case 'orderReleased':
    case 'orderWorked':
    case 'orderFilled':
    case 'orderCanceled':
    case 'orderExpired':
      return applyOrder(state, event)
    default:
      return unreachable(event)
  }
}
