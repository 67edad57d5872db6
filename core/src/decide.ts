import { blockAccount, unblockAccount } from './account/block.ts'
import { changeConfig } from './account/change-config.ts'
import { closePosition, type PositionRefusal } from './account/close.ts'
import { closeDay, settleAccount } from './account/day.ts'
import { expireKey, issueKey, limitKey, revokeKey } from './account/keys.ts'
import { addPartner, type OpenRefusal, openAccount, openWorld } from './account/open.ts'
import { type DetailsRefusal, updateAccount } from './account/partner/details.ts'
import { type JournalRefusal, journalBetween } from './account/partner/journal.ts'
import { type CloseRefusal, closeAccount, type ResetRefusal, resetAccount } from './account/partner/reset.ts'
import type { StartingPositionRefusal } from './account/partner/starting-positions.ts'
import { type TransferRefusal, transferMoney } from './account/partner/transfer.ts'
import { payDividend, runAction } from './actions/run.ts'
import { type ActionRefusal, cancelAction, scheduleAction } from './actions/schedule.ts'
import { recordChainFacts } from './chain/record-facts.ts'
import { resolveUnmatchedTransfer, type UnmatchedTransferRefusal } from './chain/unmatched-transfers.ts'
import type { Command } from './commands.ts'
import type { BrokerEvent } from './events.ts'
import { failJob, runJob } from './jobs/run.ts'
import { addMarketEvent, addSymbol, type ListingRefusal, useImportedData } from './market/listing.ts'
import type { Moment } from './moment.ts'
import type { OAuthRefusal } from './oauth/checks.ts'
import { exchangeCode, refreshToken } from './oauth/exchange.ts'
import { authorizeApp, consent, issueToken, refuseConsent } from './oauth/grant.ts'
import { issueMachineToken, revokeMachineToken } from './oauth/machine.ts'
import {
  addAppSecret,
  changeApp,
  changeAppStatus,
  deleteApp,
  registerApp,
  removeAppSecret,
} from './oauth/register.ts'
import {
  expireToken,
  noteGrantUse,
  recordFailedAttemptLimit,
  revokeAppToken,
  revokeGrant,
  revokeToken,
  withdrawConsent,
} from './oauth/revoke.ts'
import { type CancelRefusal, cancelOrder, expireOrder } from './orders/cancel.ts'
import { holdAuction } from './orders/matching/auction.ts'
import { observeTrade } from './orders/matching/elect.ts'
import { observeQuote } from './orders/matching/match.ts'
import { type PlaceRefusal, placeOrder } from './orders/place.ts'
import { type ReplaceRefusal, replaceOrder } from './orders/replace.ts'
import { workOrder } from './orders/work.ts'
import type { Result } from './result.ts'
import type { View } from './state.ts'
import {
  answerConfirm,
  answerCustody,
  answerMint,
  answerRejection,
  type CompleteRefusal,
  completeMint,
} from './tokenization/answer.ts'
import { type ForceRefusal, forceRequest, giveUpRequest } from './tokenization/force.ts'
import { type IssuerRefusal, registerIssuer, setBehaviour, storeSigningKey } from './tokenization/issuer.ts'
import { answerLink, type LinkRefusal, linkAccount, requestLink, unlinkAccount } from './tokenization/link.ts'
import { type MintRefusal, requestMint } from './tokenization/mint.ts'
import { type RedeemRefusal, requestRedeem, settleRedeem } from './tokenization/redeem.ts'
import {
  addUser,
  assignAccount,
  changeUser,
  dropOperatorRights,
  issueSignInLink,
  noteErasure,
  noteFailedSignIn,
  raiseOperatorRights,
  removeUser,
  signIn,
  signOut,
  type UserRefusal,
} from './users/decide.ts'
import {
  addToWatchlist,
  changeWatchlist,
  createWatchlist,
  deleteWatchlist,
  removeFromWatchlist,
} from './watchlists/change.ts'
import type { WatchlistRefusal } from './watchlists/watchlist.ts'

/** An error code with the values for its message. */
export type Refusal =
  | OpenRefusal
  | StartingPositionRefusal
  | DetailsRefusal
  | CloseRefusal
  | ResetRefusal
  | TransferRefusal
  | JournalRefusal
  | PositionRefusal
  | ListingRefusal
  | ActionRefusal
  | PlaceRefusal
  | ReplaceRefusal
  | CancelRefusal
  | UserRefusal
  | OAuthRefusal
  | IssuerRefusal
  | LinkRefusal
  | MintRefusal
  | RedeemRefusal
  | CompleteRefusal
  | ForceRefusal
  | UnmatchedTransferRefusal
  | WatchlistRefusal
export type Decision = Result<readonly BrokerEvent[], Refusal>

type Decider<Kind> = (view: View, moment: Moment, command: Extract<Command, { kind: Kind }>) => Decision

const deciders: { readonly [Kind in Command['kind']]: Decider<Kind> } = {
  openWorld,
  addUser,
  changeUser,
  removeUser,
  assignAccount,
  issueSignInLink,
  signIn,
  noteFailedSignIn,
  noteErasure,
  signOut,
  raiseOperatorRights,
  dropOperatorRights,
  addPartner,
  openAccount,
  issueKey,
  revokeKey,
  limitKey,
  expireKey,
  updateAccount,
  blockAccount,
  unblockAccount,
  closeAccount,
  resetAccount,
  transferMoney,
  journalBetween,
  addSymbol,
  addMarketEvent,
  useImportedData,
  scheduleAction,
  cancelAction,
  runAction,
  payDividend,
  closeDay,
  changeConfig,
  closePosition,
  settleAccount,
  placeOrder,
  replaceOrder,
  cancelOrder,
  workOrder,
  observeQuote,
  observeTrade,
  holdAuction,
  expireOrder,
  createWatchlist,
  changeWatchlist,
  addToWatchlist,
  removeFromWatchlist,
  deleteWatchlist,
  registerApp,
  changeAppStatus,
  changeApp,
  addAppSecret,
  removeAppSecret,
  deleteApp,
  authorizeApp,
  issueToken,
  consent,
  refuseConsent,
  withdrawConsent,
  exchangeCode,
  refreshToken,
  revokeToken,
  revokeAppToken,
  revokeGrant,
  expireToken,
  noteGrantUse,
  recordFailedAttemptLimit,
  issueMachineToken,
  revokeMachineToken,
  registerIssuer,
  setBehaviour,
  storeSigningKey,
  linkAccount,
  requestLink,
  answerLink,
  unlinkAccount,
  requestMint,
  answerMint,
  answerCustody,
  answerConfirm,
  answerRejection,
  completeMint,
  requestRedeem,
  settleRedeem,
  forceRequest,
  giveUpRequest,
  runJob,
  failJob,
  recordChainFacts,
  resolveUnmatchedTransfer,
}

/** Returns the events of a command, or the refusal, without changing the state. */
export function decide(view: View, moment: Moment, command: Command): Decision {
  // Fast path: these kinds are nearly all commands of a busy world.
  switch (command.kind) {
    case 'placeOrder':
      return placeOrder(view, moment, command)
    case 'workOrder':
      return workOrder(view, moment, command)
    case 'cancelOrder':
      return cancelOrder(view, moment, command)
    case 'observeQuote':
      return observeQuote(view, moment, command)
  }
  // The compiler cannot relate the kind and its decider through a look-up.
  const decider = deciders[command.kind] as Decider<Command['kind']>
  return decider(view, moment, command)
}
