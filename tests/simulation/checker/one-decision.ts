import type { BrokerEvent, Order } from '@quipu/core'

/** Whether one event may follow another at the same instant: they are what one decision led to. */
export function isOneDecision(before: BrokerEvent, event: BrokerEvent): boolean {
  switch (before.kind) {
    case 'orderFilled':
      return isOfOrder(event) && (event.kind !== 'orderFilled' || before.symbol === event.symbol)
    case 'mintAccepted':
      return event.kind === 'mintTransferred'
    case 'mintTransferred':
      return event.kind === 'mintCompleted'
    case 'feesBooked':
      return event.kind === 'feesBooked' || event.kind === 'dayClosed'
    case 'actionApplied':
      return isOfShares(event) || isOfOrder(event)
    case 'sharesChanged':
    case 'listingsChanged':
    case 'dividendEarned':
      return isOfShares(event) || isOfOrder(event)
    case 'dividendPaid':
      return event.kind === 'dividendPaid' || event.kind === 'dividendsPaid'
    case 'orderCanceled':
      return isOfOrder(event) || event.kind === 'accountReset' || endsAccount(event)
    case 'grantRevoked':
      return endsAccount(event)
    case 'orderAccepted':
      // Legs, or what a replacement means for its group.
      return event.kind === 'orderResized' || (event.kind === 'orderAccepted' && isLeg(event))
    case 'orderReplaced':
      return event.kind === 'orderAccepted' && event.order.id === before.by
    case 'orderWorked':
    case 'orderElected':
    case 'orderTrailed':
    case 'orderExpired':
    case 'orderResized':
    case 'orderArmed':
    case 'orderActivated':
    case 'orderRestated':
      return isOfOrder(event)
    default:
      return false
  }
}

/** What apps may do for an account ends with it. */
const endsAccount = ({ kind }: BrokerEvent): boolean => kind === 'grantRevoked' || kind === 'accountClosed'

/** What an issuer's deed does to accounts, and to the tokens of its shares. */
const isOfShares = ({ kind }: BrokerEvent): boolean =>
  kind === 'sharesChanged' || kind === 'dividendEarned' || kind === 'listingsChanged'

const isLeg = ({ order }: { readonly order: Order }): boolean => order.group?.parentId !== undefined

/** What follows for orders from what happened to one of them. */
const isOfOrder = ({ kind }: BrokerEvent): boolean =>
  kind === 'orderFilled' ||
  kind === 'orderCanceled' ||
  kind === 'orderElected' ||
  kind === 'orderTrailed' ||
  kind === 'orderResized' ||
  kind === 'orderArmed' ||
  kind === 'orderRestated' ||
  kind === 'orderActivated'
