import { blockDeciders } from './account/block.ts'
import { changeConfig } from './account/change-config.ts'
import { closePosition, type PositionRefusal } from './account/close.ts'
import { dayDeciders } from './account/day.ts'
import { keyDeciders } from './account/keys.ts'
import { enforceCall } from './account/margin-calls/calls.ts'
import { type OpenRefusal, openDeciders } from './account/open.ts'
import { type BookTransferRefusal, makeBookTransfer } from './account/partner/book-transfer.ts'
import { type DetailsRefusal, updateAccount } from './account/partner/details.ts'
import { type CloseRefusal, type ResetRefusal, resetDeciders } from './account/partner/reset.ts'
import type { StartingPositionRefusal } from './account/partner/starting-positions.ts'
import { type TransferRefusal, transferMoney } from './account/partner/transfer.ts'
import { transitDeciders } from './account/partner/transit.ts'
import { runDeciders } from './actions/run.ts'
import { type ActionRefusal, scheduleDeciders } from './actions/schedule.ts'
import { chainDeciders, type UnmatchedTransferRefusal } from './chain/unmatched-transfers.ts'
import type { Command } from './commands.ts'
import type { BrokerEvent } from './events.ts'
import type { Decider } from './handlers.ts'
import { jobDeciders } from './jobs/run.ts'
import { type ListingRefusal, listingDeciders } from './market/assets/listing.ts'
import { type FollowRefusal, followDeciders } from './market/follow.ts'
import type { Moment } from './moment.ts'
import type { OAuthRefusal } from './oauth/checks.ts'
import { exchangeDeciders } from './oauth/exchange.ts'
import { grantDeciders } from './oauth/grant.ts'
import { machineDeciders } from './oauth/machine.ts'
import { appDeciders } from './oauth/register.ts'
import { revokeDeciders } from './oauth/revoke.ts'
import { type CancelRefusal, cancelOrder, expireOrder } from './orders/cancel.ts'
import { holdAuction } from './orders/matching/auction.ts'
import { observeQuote, observeTrade } from './orders/matching/match.ts'
import { type PlaceRefusal, placeOrder } from './orders/place.ts'
import { replaceOrder } from './orders/replace.ts'
import type { ReplaceRefusal } from './orders/replace-faults.ts'
import { workOrder } from './orders/work.ts'
import { fail, type Result } from './result.ts'
import { storedRunDeciders } from './runs/decide.ts'
import type { RunRefusal } from './runs/run.ts'
import type { View } from './state/state.ts'
import { type ForceRefusal, forceDeciders } from './tokenization/force.ts'
import { type IssuerRefusal, issuerDeciders } from './tokenization/issuer.ts'
import { answerDeciders, type CompleteRefusal } from './tokenization/issuer-response.ts'
import { type LinkRefusal, linkDeciders } from './tokenization/link.ts'
import { type MintRefusal, requestMint } from './tokenization/mint.ts'
import { type RedeemRefusal, redeemDeciders } from './tokenization/redeem.ts'
import { type UserRefusal, userDeciders } from './users/decide.ts'
import { credentialDeciders } from './users/drop-credentials.ts'
import { type FactorRefusal, factorDeciders } from './users/factors.ts'
import { watchlistDeciders } from './watchlists/change.ts'
import type { WatchlistRefusal } from './watchlists/watchlist.ts'
import { describeDeciders } from './worlds/describe.ts'

/** An error code with the values for its message. */
export type Refusal =
  | OpenRefusal
  | StartingPositionRefusal
  | DetailsRefusal
  | CloseRefusal
  | ResetRefusal
  | TransferRefusal
  | BookTransferRefusal
  | PositionRefusal
  | ListingRefusal
  | FollowRefusal
  | ActionRefusal
  | PlaceRefusal
  | ReplaceRefusal
  | CancelRefusal
  | UserRefusal
  | FactorRefusal
  | OAuthRefusal
  | IssuerRefusal
  | LinkRefusal
  | MintRefusal
  | RedeemRefusal
  | CompleteRefusal
  | ForceRefusal
  | UnmatchedTransferRefusal
  | WatchlistRefusal
  | RunRefusal
export type Decision = Result<readonly BrokerEvent[], Refusal>

const deciders: { readonly [Kind in Command['kind']]: Decider<Kind, Refusal> } = {
  ...openDeciders,
  ...keyDeciders,
  ...blockDeciders,
  ...dayDeciders,
  ...resetDeciders,
  changeConfig,
  closePosition,
  enforceCall,
  updateAccount,
  transferMoney,
  makeBookTransfer,
  ...transitDeciders,
  ...listingDeciders,
  ...followDeciders,
  ...scheduleDeciders,
  ...runDeciders,
  placeOrder,
  replaceOrder,
  cancelOrder,
  workOrder,
  observeQuote,
  observeTrade,
  holdAuction,
  expireOrder,
  ...watchlistDeciders,
  ...storedRunDeciders,
  ...userDeciders,
  ...credentialDeciders,
  ...factorDeciders,
  ...appDeciders,
  ...grantDeciders,
  ...exchangeDeciders,
  ...revokeDeciders,
  ...machineDeciders,
  ...issuerDeciders,
  ...linkDeciders,
  requestMint,
  ...answerDeciders,
  ...redeemDeciders,
  ...forceDeciders,
  ...jobDeciders,
  ...chainDeciders,
  ...describeDeciders,
}

/** The commands that change a market. A world that follows another has only copies of the changes there. */
const ofMarket: ReadonlySet<Command['kind']> = new Set([
  'addSymbol',
  'addMarketEvent',
  'removeMarketEvent',
  'useImportedData',
  'scheduleAction',
  'cancelAction',
] as const)

/** Returns the events of a command, or the refusal, without changing the state. */
export function decide(view: View, moment: Moment, command: Command): Decision {
  if (view.followed && ofMarket.has(command.kind))
    return fail({ code: 'marketFollowed', world: view.followed.world })
  // The compiler cannot relate the kind and its decider through a look-up.
  const decider = deciders[command.kind] as Decider<Command['kind'], Refusal>
  return decider(view, moment, command)
}
