import type { WithKinds } from './field-kinds.ts'
import type { AccountKey, BrokerAccount } from './operations/broker/accounts.ts'
import type { JournalShape, TransferShape } from './operations/broker/money.ts'
import type { BookShape, CryptoQuote, CryptoTrade } from './operations/data/crypto-records.ts'
import type {
  BarShape,
  CandlesShape,
  DailyAuctionsShape,
  QuoteShape,
  TradeShape,
} from './operations/data/market-records.ts'
import type { OAuthClientChanges, OAuthClientSettings } from './operations/oauth/clients.ts'
import type { OAuthGrant } from './operations/oauth/grants.ts'
import type { OAuthTokenRequest, OathClientResponse } from './operations/oauth/oauth.ts'
import type { AccountSnapshot, SymbolPrices } from './operations/reading/account-snapshot.ts'
import type { AuditEntryShape } from './operations/reading/audit-log.ts'
import type { LedgerBalance } from './operations/reading/balances.ts'
import type { DifferenceOrder, DifferenceRow, WorldDifference } from './operations/reading/difference.ts'
import type { ExplainedQuote, ExplainStep, Explanation } from './operations/reading/explain.ts'
import type { StreamFrame } from './operations/reading/frames.ts'
import type { JournalEventShape, LedgerLegShape } from './operations/reading/journal.ts'
import type { WorldOrderShape } from './operations/reading/orders.ts'
import type { LoggedRequestShape } from './operations/reading/requests.ts'
import type { OpenSocketShape } from './operations/reading/sockets.ts'
import type { WhatIf, WhatIfFill } from './operations/reading/what-if.ts'
import type { Advanced, WorldClockShape } from './operations/sim/clock.ts'
import type { DoctorCheck } from './operations/sim/doctor.ts'
import type { FaultShape } from './operations/sim/faults.ts'
import type { CreatedKey, KeyShape } from './operations/sim/keys.ts'
import type { MarketEventShape } from './operations/sim/market.ts'
import type { RunShape } from './operations/sim/runs/run-record.ts'
import type { StoredRunShape } from './operations/sim/runs/runs.ts'
import type { BackupShape } from './operations/sim/store.ts'
import type { Audit, CreatedWorld, JournalHead, WorldShape } from './operations/sim/worlds.ts'
import type {
  TokenizationMintRequest,
  TokenizationMintResponse,
  TokenizationRequestShape,
} from './operations/tokenization/tokenization.ts'
import type {
  TokenizationRedeemRequest,
  TokenizationRedeemResponse,
} from './operations/tokenization/tokenization-broker.ts'
import type {
  AccountConfigurations,
  AccountShape,
  ChangeConfigurations,
} from './operations/trading/account.ts'
import type { OtherActivity, TradeActivity } from './operations/trading/activities.ts'
import type { AssetShape } from './operations/trading/assets.ts'
import type { CalendarDay, Clock, Market, MarketClock, MarketDay } from './operations/trading/calendar.ts'
import type { OrderPreview } from './operations/trading/order-preview.ts'
import type { OrderShape } from './operations/trading/order-record.ts'
import type { Canceled, PlaceOrderShape, ReplaceOrderShape } from './operations/trading/orders.ts'
import type { PortfolioHistory } from './operations/trading/portfolio-history.ts'
import type { ClosedPosition, PositionShape } from './operations/trading/positions.ts'
import type { WatchlistShape } from './operations/trading/watchlists.ts'
import type { TypeOf } from './shape/index.ts'

/** The types of the records in requests and responses. */
export type AccountRecord = TypeOf<typeof AccountShape>
export type AccountSnapshotRecord = TypeOf<typeof AccountSnapshot>
export type SymbolPricesRecord = TypeOf<typeof SymbolPrices>
export type AccountConfigurationsRecord = TypeOf<typeof AccountConfigurations>
export type ChangeConfigurationsRecord = TypeOf<typeof ChangeConfigurations>
export type TradeActivityRecord = TypeOf<typeof TradeActivity>
export type OtherActivityRecord = TypeOf<typeof OtherActivity>
export type PortfolioHistoryRecord = TypeOf<typeof PortfolioHistory>
export type AdvancedRecord = TypeOf<typeof Advanced>
export type AssetRecord = TypeOf<typeof AssetShape>
export type AuditEntryRecord = TypeOf<typeof AuditEntryShape>
export type AuditRecord = TypeOf<typeof Audit>
export type DoctorCheckRecord = TypeOf<typeof DoctorCheck>
export type BackupRecord = TypeOf<typeof BackupShape>
export type JournalHeadRecord = TypeOf<typeof JournalHead>
export type BarRecord = TypeOf<typeof BarShape>
export type BookRecord = TypeOf<typeof BookShape>
export type CalendarDayRecord = TypeOf<typeof CalendarDay>
export type BrokerAccountRecord = TypeOf<typeof BrokerAccount>
export type AccountKeyRecord = TypeOf<typeof AccountKey>
export type JournalRecord = TypeOf<typeof JournalShape>
export type TransferRecord = TypeOf<typeof TransferShape>
export type CanceledRecord = TypeOf<typeof Canceled>
export type CandlesRecord = TypeOf<typeof CandlesShape>
export type ClosedPositionRecord = TypeOf<typeof ClosedPosition>
export type ClockRecord = TypeOf<typeof Clock>
export type CryptoQuoteRecord = TypeOf<typeof CryptoQuote>
export type CryptoTradeRecord = TypeOf<typeof CryptoTrade>
export type CreatedKeyRecord = TypeOf<typeof CreatedKey>
export type CreatedWorldRecord = TypeOf<typeof CreatedWorld>
export type DailyAuctionsRecord = TypeOf<typeof DailyAuctionsShape>
export type ExplanationRecord = TypeOf<typeof Explanation>
export type WorldDifferenceRecord = TypeOf<typeof WorldDifference>
export type DifferenceRowRecord = TypeOf<typeof DifferenceRow>
export type DifferenceOrderRecord = TypeOf<typeof DifferenceOrder>
export type WhatIfRecord = TypeOf<typeof WhatIf>
export type WhatIfFillRecord = TypeOf<typeof WhatIfFill>
export type ExplainedQuoteRecord = TypeOf<typeof ExplainedQuote>
export type ExplainStepRecord = TypeOf<typeof ExplainStep>
export type FaultRecord = TypeOf<typeof FaultShape>
export type JournalEventRecord = TypeOf<typeof JournalEventShape>
export type KeyRecord = TypeOf<typeof KeyShape>
export type LedgerBalanceRecord = TypeOf<typeof LedgerBalance>
export type LedgerLegRecord = TypeOf<typeof LedgerLegShape>
export type MarketClockRecord = TypeOf<typeof MarketClock>
export type MarketDayRecord = TypeOf<typeof MarketDay>
export type MarketRecord = TypeOf<typeof Market>
export type OAuthClientChangesRecord = WithKinds<TypeOf<typeof OAuthClientChanges>>
export type OAuthClientRecord = TypeOf<typeof OathClientResponse>
export type OAuthClientSettingsRecord = TypeOf<typeof OAuthClientSettings>
export type OAuthGrantRecord = TypeOf<typeof OAuthGrant>
export type OAuthTokenRequestRecord = TypeOf<typeof OAuthTokenRequest>
export type OpenSocketRecord = TypeOf<typeof OpenSocketShape>
export type OrderRecord = TypeOf<typeof OrderShape>
export type WorldOrderRecord = TypeOf<typeof WorldOrderShape>
export type OrderPreviewRecord = TypeOf<typeof OrderPreview>
export type PlaceOrderRecord = TypeOf<typeof PlaceOrderShape>
export type PositionRecord = TypeOf<typeof PositionShape>
export type QuoteRecord = TypeOf<typeof QuoteShape>
export type ReplaceOrderRecord = WithKinds<TypeOf<typeof ReplaceOrderShape>>
export type LoggedRequestRecord = TypeOf<typeof LoggedRequestShape>
/** The kind of program that sent a request. */
export type ClientKind = NonNullable<LoggedRequestRecord['source']>
export type RunRecord = TypeOf<typeof RunShape>
export type StoredRunRecord = TypeOf<typeof StoredRunShape>
export type StreamFrameRecord = TypeOf<typeof StreamFrame>
export type TokenizationMintRecord = WithKinds<TypeOf<typeof TokenizationMintRequest>>
export type TokenizationMintedRecord = TypeOf<typeof TokenizationMintResponse>
export type TokenizationRedeemRecord = WithKinds<TypeOf<typeof TokenizationRedeemRequest>>
export type TokenizationRedeemedRecord = TypeOf<typeof TokenizationRedeemResponse>
export type TokenizationRequestRecord = TypeOf<typeof TokenizationRequestShape>
export type TradeRecord = TypeOf<typeof TradeShape>
export type WatchlistRecord = TypeOf<typeof WatchlistShape>
export type MarketEventRecord = TypeOf<typeof MarketEventShape>
export type WorldClockRecord = TypeOf<typeof WorldClockShape>
export type WorldRecord = TypeOf<typeof WorldShape>
