import type { BrokerEvent, Order } from '@quipu/core'

/** Whether one event may follow another at the same instant, because one decision caused both. */
export function isOneDecision(before: BrokerEvent, event: BrokerEvent): boolean {
  switch (before.kind) {
    case 'orderFilled':
      return isOrderEvent(event) && (event.kind !== 'orderFilled' || before.symbol === event.symbol)
    case 'mintAccepted':
      return event.kind === 'mintTransferred'
    case 'mintTransferred':
      return event.kind === 'mintCompleted'
    case 'feesBooked':
      return isBookedAtClose(event)
    case 'interestAccrued':
    case 'interestPosted':
      return isBookedAtClose(event)
    case 'dayClosed':
    case 'marginCallIssued':
    case 'marginCallMet':
      return event.kind === 'marginCallIssued' || event.kind === 'marginCallMet'
    case 'actionApplied':
      return isSharesEvent(event) || isOrderEvent(event)
    case 'sharesChanged':
    case 'listingsChanged':
    case 'dividendEarned':
      return isSharesEvent(event) || isOrderEvent(event)
    case 'dividendPaid':
      return event.kind === 'dividendPaid' || event.kind === 'dividendsPaid'
    case 'orderCanceled':
      return (
        isOrderEvent(event) ||
        event.kind === 'accountReset' ||
        event.kind === 'marginCallEnforced' ||
        endsAccount(event)
      )
    case 'grantRevoked':
      return endsAccount(event)
    case 'orderAccepted':
      // Legs, or new quantities of a group after a replacement.
      return (
        event.kind === 'orderResized' ||
        event.kind === 'positionLiquidated' ||
        (event.kind === 'orderAccepted' && isLeg(event))
      )
    case 'orderReplaced':
      return (
        (event.kind === 'orderAccepted' && event.order.id === before.by) ||
        ((event.kind === 'orderResized' || event.kind === 'orderAcknowledged') && event.orderId === before.by)
      )
    case 'orderReplaceRequested':
      return event.kind === 'orderAccepted' && event.order.id === before.by
    // One of the two orders ends: the old one, and then the new one is rejected.
    case 'orderReplaceRejected':
      return isOrderEvent(event) || endsOrder(event)
    case 'orderRejected':
      return (
        isOrderEvent(event) ||
        event.kind === 'orderReplaceRejected' ||
        event.kind === 'accountReset' ||
        event.kind === 'marginCallEnforced' ||
        endsAccount(event)
      )
    case 'orderAcknowledged':
    case 'orderElected':
    case 'stopAdjusted':
    case 'orderExpired':
    case 'orderResized':
      return isOrderEvent(event) || event.kind === 'orderAcknowledged'
    case 'stopActivated':
    case 'orderActivated':
    case 'orderRestated':
      return isOrderEvent(event)
    default:
      return false
  }
}

/** Events of a regular close. */
const isBookedAtClose = ({ kind }: BrokerEvent): boolean =>
  kind === 'feesBooked' || kind === 'interestAccrued' || kind === 'interestPosted' || kind === 'dayClosed'

/** The grants of an account end when it is closed. */
const endsAccount = ({ kind }: BrokerEvent): boolean => kind === 'grantRevoked' || kind === 'accountClosed'

/** Events that a corporate action causes for accounts and token listings. */
const isSharesEvent = ({ kind }: BrokerEvent): boolean =>
  kind === 'sharesChanged' || kind === 'dividendEarned' || kind === 'listingsChanged'

const isLeg = ({ order }: { readonly order: Order }): boolean => order.group?.parentId !== undefined

const endsOrder = ({ kind }: BrokerEvent): boolean => kind === 'orderExpired' || kind === 'orderRejected'

/** Events that one order causes for other orders. */
const isOrderEvent = ({ kind }: BrokerEvent): boolean =>
  kind === 'orderFilled' ||
  kind === 'orderReplaceRejected' ||
  kind === 'orderRejected' ||
  kind === 'orderCanceled' ||
  kind === 'orderElected' ||
  kind === 'stopAdjusted' ||
  kind === 'orderResized' ||
  kind === 'stopActivated' ||
  kind === 'orderRestated' ||
  kind === 'orderActivated'
