import { applyAccount } from './account/apply.ts'
import { applyPartner } from './account/partner/apply.ts'
import { applyAction } from './actions/apply.ts'
import { applyChain } from './chain/record-facts.ts'
import { applyResolved } from './chain/unmatched-transfers.ts'
import type { BrokerEvent } from './events.ts'
import type { AccountId } from './ids.ts'
import { applyJob } from './jobs/apply.ts'
import { post } from './ledger/ledger.ts'
import { applyImported, applyListing } from './market/listing.ts'
import { applyApp, applyGrant, applyMachine } from './oauth/apply.ts'
import { applyOrder, applyRestated } from './orders/apply.ts'
import type { Order } from './orders/order.ts'
import { found } from './result.ts'
import type { State } from './state.ts'
import { applyRequest, markIssuerAsked } from './tokenization/apply.ts'
import { applyIssuer } from './tokenization/apply-issuer.ts'
import { applyUsers } from './users/apply.ts'
import { applyWatchlist } from './watchlists/apply.ts'

/**
 * Writes an event into the state. Never refuses, because the event has already happened. Returns the order
 * that the event concerns, after the change.
 */
export function apply(state: State, event: BrokerEvent): Order | undefined {
  state.seq += 1
  state.lastAt = event.at
  switch (event.kind) {
    // Fast path: these kinds are nearly all events of a busy world.
    case 'orderAccepted':
    case 'orderAcknowledged':
    case 'orderCanceled':
      return countEvent(state, event.accountId, applyOrder(state, event))
    case 'orderFilled':
      post(state.ledger, event.posting)
      return countEvent(state, event.accountId, applyOrder(state, event))
    default:
      return applyOther(state, event)
  }
}

function applyOther(state: State, event: BrokerEvent): Order | undefined {
  if ('posting' in event) post(state.ledger, event.posting)
  // The compiler cannot relate the kind and its applier through a look-up.
  const applier = appliers[event.kind] as Applier<BrokerEvent['kind']>
  applier(state, event)
  const order = 'orderId' in event ? state.orders.get(event.orderId) : undefined
  return 'accountId' in event && event.accountId !== undefined
    ? countEvent(state, event.accountId, order)
    : order
}

function countEvent(state: State, accountId: AccountId, order: Order | undefined): Order | undefined {
  const account = found(state.accounts.get(accountId), accountId)
  account.events += 1
  account.lastSeq = state.seq
  return order
}

type Applier<Kind> = (state: State, event: Extract<BrokerEvent, { kind: Kind }>) => unknown

const appliers: { readonly [Kind in BrokerEvent['kind']]: Applier<Kind> } = {
  worldOpened: applyAccount,
  userAdded: applyUsers,
  userChanged: applyUsers,
  userRemoved: applyUsers,
  accountAssigned: applyUsers,
  signInLinkIssued: applyUsers,
  signedIn: applyUsers,
  signInFailed: applyUsers,
  addressesErased: applyUsers,
  signedOut: applyUsers,
  operatorRightsRaised: applyUsers,
  operatorRightsDropped: applyUsers,
  partnerAdded: applyAccount,
  accountOpened: applyAccount,
  keyIssued: applyAccount,
  keyRevoked: applyAccount,
  keyLimited: applyAccount,
  accountUpdated: applyPartner,
  accountBlocked: applyPartner,
  accountUnblocked: applyPartner,
  accountClosed: applyPartner,
  accountReset: applyPartner,
  transferBooked: applyPartner,
  journalBooked: applyPartner,
  symbolAdded: applyListing,
  marketEventAdded: applyListing,
  importedDataUsed: applyImported,
  actionScheduled: applyAction,
  actionCanceled: applyAction,
  actionApplied: applyAction,
  sharesChanged: applyAction,
  dividendEarned: applyAction,
  dividendPaid: applyAction,
  dividendsPaid: applyAction,
  configChanged: applyAccount,
  dayClosed: applyAccount,
  feesBooked: applyAccount,
  accountSettled: applyAccount,
  orderAccepted: applyOrder,
  orderReleased: applyOrder,
  orderAcknowledged: applyOrder,
  orderActivated: applyOrder,
  stopActivated: applyOrder,
  stopAdjusted: applyOrder,
  orderElected: applyOrder,
  orderResized: applyOrder,
  orderReplaced: applyOrder,
  orderRestated: applyRestated,
  orderFilled: applyOrder,
  orderCanceled: applyOrder,
  orderExpired: applyOrder,
  watchlistCreated: applyWatchlist,
  watchlistChanged: applyWatchlist,
  watchlistDeleted: applyWatchlist,
  appRegistered: applyApp,
  appStatusChanged: applyApp,
  appChanged: applyApp,
  appSecretAdded: applyApp,
  appSecretRemoved: applyApp,
  appDeleted: applyApp,
  failedAttemptLimitReached: applyApp,
  codeIssued: applyGrant,
  consentRefused: applyGrant,
  consentWithdrawn: applyGrant,
  tokenIssued: applyGrant,
  codeExchanged: applyGrant,
  codeReplayed: applyGrant,
  tokenRefreshed: applyGrant,
  refreshReplayed: applyGrant,
  tokenRevoked: applyGrant,
  tokenExpired: applyGrant,
  grantRevoked: applyGrant,
  grantUsed: applyGrant,
  machineTokenIssued: applyMachine,
  machineTokenRevoked: applyMachine,
  chainFactsRecorded: applyChain,
  unmatchedTransferResolved: applyResolved,
  issuerRegistered: applyIssuer,
  behaviourSet: applyIssuer,
  signingKeyStored: applyIssuer,
  listingsChanged: applyIssuer,
  tokensRestated: applyIssuer,
  custodyAccountSet: applyIssuer,
  linkRequested: applyIssuer,
  accountLinked: applyIssuer,
  linkRefused: applyIssuer,
  accountUnlinked: applyIssuer,
  mintRequested: applyRequest,
  mintAccepted: applyRequest,
  mintTransferred: applyRequest,
  mintConfirmed: applyRequest,
  mintCompleted: applyRequest,
  mintRejected: applyRequest,
  rejectionReported: applyRequest,
  redeemRequested: applyRequest,
  redeemCompleted: applyRequest,
  redeemRejected: applyRequest,
  requestHeld: applyRequest,
  requestReleased: applyRequest,
  jobStarted: (state, event) => {
    applyJob(state, event)
    markIssuerAsked(state, event)
  },
  jobFailed: applyJob,
}
