export * from './account/account.ts'
export { accountOf } from './account/account-check.ts'
export { activitiesOf } from './account/activities.ts'
export * from './account/activity.ts'
export { type AccountBalances, balancesOf, cashOf } from './account/balances.ts'
export type * from './account/commands.ts'
export { type AccountConfig, configOf } from './account/config.ts'
export type * from './account/events.ts'
export type { FeeRates, FeeSetting } from './account/fees/fee-rates.ts'
export { type CoinFee, feeOfFill, type RegulatoryFees } from './account/fees/fees.ts'
export { hasExpired, keyOwnerId } from './account/keys.ts'
export { longPercent, minimumPercent, shortPercent } from './account/margin.ts'
export type * from './account/margin-calls/events.ts'
export type * from './account/margin-calls/settings.ts'
export { earlierAccount } from './account/open.ts'
export type * from './account/partner/commands.ts'
export { DETAILS_MAX, type Details, detailsRecord } from './account/partner/details.ts'
export * from './account/partner/events.ts'
export {
  BOOK_TRANSFERS,
  type KeyedEvent,
  keyedCallOf,
  storedCall,
} from './account/partner/idempotency.ts'
export * from './account/partner/movements.ts'
export { pendingBookTransfer, pendingBookTransfersOf } from './account/partner/pending-book-transfers.ts'
export { withdrawableOf } from './account/partner/transfer.ts'
export { responseTo } from './account/partner/transit.ts'
export * from './account/portfolio/portfolio.ts'
export * from './account/portfolio/portfolio-windows.ts'
export {
  addShares,
  type Close,
  decodeClose,
  encodeClose,
  type Holdings,
  holdingsOf,
} from './account/positions/holdings.ts'
export { onDay } from './account/positions/lots.ts'
export { marketValue, markOf } from './account/positions/position-totals.ts'
export { dayFor, todayOf } from './account/positions/positions.ts'
export * from './actions/action.ts'
export {
  type Adjustment,
  type AdjustmentStep,
  adjustedBar,
  adjustingActions,
  adjustStep,
} from './actions/adjust.ts'
export type * from './actions/events.ts'
export { byDate, issuesOf, originsOf, type ResolvedSymbol, resolveSymbol } from './actions/issues.ts'
export { ACTIONS_MAX, type ActionField, type ActionRefusal } from './actions/schedule.ts'
export { type AgendaItem, itemsAt, nextDue, schedule } from './agenda.ts'
export * from './amount.ts'
export { apply, applyToRecords, applyWithoutOrders, isOrderEvent } from './apply.ts'
export { auditFaults } from './audit.ts'
export type * from './chain/facts.ts'
export { processedName, tokenName, transferName, unmatchedTransfers } from './chain/unmatched-transfers.ts'
export * from './civil-date.ts'
export type { Command } from './commands.ts'
export { type Decision, decide, type Refusal } from './decide.ts'
export { definedFields } from './defined-fields.ts'
export { decode, encode } from './encode.ts'
export { type BrokerEvent, brokerEvents } from './events.ts'
export {
  callAnswered,
  callKey,
  type KeyedRequest,
  type StoredResponse,
  storedResponse,
} from './idempotency.ts'
export * from './ids.ts'
export type * from './jobs/events.ts'
export * from './jobs/job.ts'
export { pauseAfter } from './jobs/run.ts'
export { isOneOf } from './kinds.ts'
export * from './ledger/chart.ts'
export {
  balance,
  imbalances,
  type Ledger,
  type LedgerView,
  type Leg,
  moveSigned,
  type Posting,
  post,
  totals,
} from './ledger/ledger.ts'
export { LruCache } from './lru-cache.ts'
export {
  type AddedSymbol,
  addedSymbolOf,
  type CustomFault,
  type CustomSymbol,
  checkCustom,
  customOf,
  type ListingCommand,
  type NamedSymbol,
} from './market/assets/added.ts'
export * from './market/assets/asset.ts'
export { assetIdOf, builtInListing, TOKENIZED } from './market/assets/assets.ts'
export { assetOf, checkListing, profileOf } from './market/assets/custom.ts'
export { canBeNew, firstUses, listsOnFirstUse } from './market/assets/first-use.ts'
export * from './market/calendar.ts'
export {
  type Followed,
  followingSettings,
  isMarketChange,
  type MarketChange,
} from './market/followed.ts'
export {
  type BarColumns,
  barsOfColumns,
  columnsOfBars,
  makeBarColumns,
  rowsIn,
  startAt,
} from './market/history/bar-columns.ts'
export { barStart, EXTENDED_HOURS, foldBars, foldTrades, joinBars } from './market/history/bars.ts'
export { type BarFrame, type DayFrame, isDayFrame, minuteBucket, parseFrame } from './market/history/frame.ts'
export { barColumnsOf, barsOf } from './market/history/history.ts'
export {
  asKnownAt,
  firstReported,
  REVISED_MICROS,
  type ReportingError,
  type ReportingErrors,
  reportingErrorsOf,
} from './market/history/late-trade.ts'
export { instantOfMicros, MINUTE_MICROS, microsAfter, microsBefore } from './market/history/micros.ts'
export { barOf, type Scale, type Span, scaleOf } from './market/history/span.ts'
export type * from './market/history/tape.ts'
export { dayIn, midnightIn, minuteIn, type Zone, zoneOf } from './market/history/zone.ts'
export type { ImportedSeries } from './market/imported.ts'
export type { Issue, TapeChange } from './market/kernel/changes.ts'
export { haltSpan } from './market/kernel/factors/market-events.ts'
export { makeMarket, type Tapes } from './market/kernel/market.ts'
export { MARKET_MODEL } from './market/kernel/model.ts'
export { foldList } from './market/kernel/overlay.ts'
export type { Profile } from './market/kernel/profile.ts'
export { bookOf, type Print, type QuoteUpdate, type TapeItem } from './market/kernel/quotes.ts'
export { keyOf, mix, uniform } from './market/kernel/random.ts'
export type { Tape } from './market/kernel/tape.ts'
export {
  checkMarketEvent,
  concerns,
  type HaltReason,
  type MarketEvent,
  type MarketEventFault,
  type MarketEventStatus,
  marketEventBegins,
  marketEventEnds,
  marketEventStatus,
  type NumberedMarketEvent,
  remainingMarketEvents,
  underFirstNames,
} from './market/market-event.ts'
export type { PricePath } from './market/price-path.ts'
export type * from './market/prices.ts'
export { settlementDate, settlementDay } from './market/settlement.ts'
export * from './market/venue.ts'
export type { Moment } from './moment.ts'
export * from './oauth/app.ts'
export {
  type Bearer,
  bearerOf,
  type Introspector,
  introspectingApp,
  rightsOf,
  scopeTextOf,
  tokenOf,
  validToken,
} from './oauth/bearer.ts'
export {
  appByClientId,
  appForConsent,
  appOfOwner,
  checkSteps as oauthSteps,
  type OAuthRefusal,
  requestedScopes,
  showApp,
} from './oauth/checks.ts'
export type * from './oauth/commands.ts'
export * from './oauth/events.ts'
export * from './oauth/lifetimes.ts'
export { keyOfMachineToken } from './oauth/machine.ts'
export { isRedirectUri, matchesRedirectUri } from './oauth/redirect.ts'
export { grantConcerns, grantsFor, grantsTo } from './oauth/revoke.ts'
export * from './oauth/scopes.ts'
export type { BuyingPowerRefusal } from './orders/buying-power-check.ts'
export type * from './orders/commands.ts'
export { expectedPrice } from './orders/estimate.ts'
export * from './orders/events.ts'
export * from './orders/kinds.ts'
export { relatedOrderSide } from './orders/legs.ts'
export {
  BOOK_CLASSES,
  type BookClass,
  type BookView,
  classOf,
  emptyBook,
  enter,
  enterLevel,
  nearestPrice,
  priceIn,
  type SidesView,
  worstPrice,
} from './orders/matching/book.ts'
export {
  awaitsTrade,
  emptyTriggers,
  type TradeCondition,
  type TriggersView,
  tradeConditionsOf,
} from './orders/matching/trigger-book.ts'
export { openCount, openOrdersOf } from './orders/open-orders.ts'
export * from './orders/order.ts'
export { addToSelfTradeIndex, selfTradeEntryOf } from './orders/self-trade-index.ts'
export { AUCTION_GRACE_NS, nextClose, tradesAt, tradingSpan } from './orders/session.ts'
export * from './orders/transitions.ts'
export type * from './orders/venue/settings.ts'
export { isImmediate } from './orders/work.ts'
export * from './records.ts'
export * from './result.ts'
export type * from './runs/run.ts'
export * from './schema.ts'
export { copyState } from './state/copy-state.ts'
export { forget } from './state/forget.ts'
export { scratchState } from './state/scratch-state.ts'
export { emptyState, orderIdOf, type State, settingsOf, type View } from './state/state.ts'
export * from './time.ts'
export type * from './tokenization/commands.ts'
export { type CustodyBalance, custodyBalances, inCustody } from './tokenization/custody.ts'
export type * from './tokenization/events.ts'
export { findRequest } from './tokenization/find.ts'
export { isLinked, participantName } from './tokenization/link.ts'
export * from './tokenization/moves.ts'
export {
  multiplierOf,
  outstandingTokens,
  sharesBehind,
  tokensFor,
  tokensOf,
} from './tokenization/multiplier.ts'
export * from './tokenization/request.ts'
export type * from './users/commands.ts'
export type { UserRefusal } from './users/decide.ts'
export type * from './users/events.ts'
export * from './users/factor.ts'
export type { FactorRefusal } from './users/factors.ts'
export * from './users/find-user.ts'
export * from './users/user.ts'
export { listsOf, watchlistOf } from './watchlists/change.ts'
export type * from './watchlists/watchlist.ts'
export type * from './world.ts'
export type { WorldDescription } from './worlds/description.ts'
