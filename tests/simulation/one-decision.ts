import type { BrokerEvent } from '@quipu/core'

/** Whether one event may follow another at the same instant: they are what one decision led to. */
export function isOneDecision(before: BrokerEvent, event: BrokerEvent): boolean {
  switch (before.kind) {
    case 'orderFilled':
      return event.kind === 'orderFilled' && before.symbol === event.symbol
    case 'mintAccepted':
      return event.kind === 'mintTransferred'
    case 'feesBooked':
      return event.kind === 'feesBooked' || event.kind === 'dayClosed'
    case 'orderCanceled':
      return event.kind === 'orderCanceled' || event.kind === 'accountReset'
    default:
      return false
  }
}
