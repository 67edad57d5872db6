import type { WithKinds } from './field-kinds.ts'
import type { AccountKey, BrokerAccount } from './operations/broker/accounts.ts'
import type { Journal, Transfer } from './operations/broker/money.ts'
import type { Book, CryptoQuote, CryptoTrade } from './operations/data/crypto-records.ts'
import type { Bar, Candles, DailyAuctions, Quote, Trade } from './operations/data/market-records.ts'
import type { OAuthClientChanges, OAuthClientSettings } from './operations/oauth/clients.ts'
import type { OAuthGrant } from './operations/oauth/grants.ts'
import type { OAuthTokenRequest, OathClientResponse } from './operations/oauth/oauth.ts'
import type { AuditEntry } from './operations/reading/audit-log.ts'
import type { LedgerBalance } from './operations/reading/balances.ts'
import type { ExplainedQuote, ExplainStep, Explanation } from './operations/reading/explain.ts'
import type { StreamFrame } from './operations/reading/frames.ts'
import type { JournalEvent, LedgerLeg } from './operations/reading/journal.ts'
import type { WorldOrder } from './operations/reading/orders.ts'
import type { LoggedRequest } from './operations/reading/requests.ts'
import type { OpenSocket } from './operations/reading/sockets.ts'
import type { Advanced, WorldClock } from './operations/sim/clock.ts'
import type { DoctorCheck } from './operations/sim/doctor.ts'
import type { Fault } from './operations/sim/faults.ts'
import type { CreatedKey, Key } from './operations/sim/keys.ts'
import type { MarketEvent } from './operations/sim/market.ts'
import type { Backup } from './operations/sim/store.ts'
import type { Audit, CreatedWorld, JournalHead, World } from './operations/sim/worlds.ts'
import type {
  TokenizationMintRequest,
  TokenizationMintResponse,
  TokenizationRequest,
} from './operations/tokenization/tokenization.ts'
import type {
  TokenizationRedeemRequest,
  TokenizationRedeemResponse,
} from './operations/tokenization/tokenization-broker.ts'
import type { Account, AccountConfigurations, ChangeConfigurations } from './operations/trading/account.ts'
import type { OtherActivity, TradeActivity } from './operations/trading/activities.ts'
import type { Asset } from './operations/trading/assets.ts'
import type { CalendarDay, Clock, Market, MarketClock, MarketDay } from './operations/trading/calendar.ts'
import type { OrderPreview } from './operations/trading/order-preview.ts'
import type { Order } from './operations/trading/order-record.ts'
import type { Canceled, PlaceOrder, ReplaceOrder } from './operations/trading/orders.ts'
import type { PortfolioHistory } from './operations/trading/portfolio-history.ts'
import type { ClosedPosition, Position } from './operations/trading/positions.ts'
import type { Watchlist } from './operations/trading/watchlists.ts'
import type { TypeOf } from './shape/index.ts'

/** The types of the records in requests and responses. */
export type AccountRecord = TypeOf<typeof Account>
export type AccountConfigurationsRecord = TypeOf<typeof AccountConfigurations>
export type ChangeConfigurationsRecord = TypeOf<typeof ChangeConfigurations>
export type TradeActivityRecord = TypeOf<typeof TradeActivity>
export type OtherActivityRecord = TypeOf<typeof OtherActivity>
export type PortfolioHistoryRecord = TypeOf<typeof PortfolioHistory>
export type AdvancedRecord = TypeOf<typeof Advanced>
export type AssetRecord = TypeOf<typeof Asset>
export type AuditEntryRecord = TypeOf<typeof AuditEntry>
export type AuditRecord = TypeOf<typeof Audit>
export type DoctorCheckRecord = TypeOf<typeof DoctorCheck>
export type BackupRecord = TypeOf<typeof Backup>
export type JournalHeadRecord = TypeOf<typeof JournalHead>
export type BarRecord = TypeOf<typeof Bar>
export type BookRecord = TypeOf<typeof Book>
export type CalendarDayRecord = TypeOf<typeof CalendarDay>
export type BrokerAccountRecord = TypeOf<typeof BrokerAccount>
export type AccountKeyRecord = TypeOf<typeof AccountKey>
export type JournalRecord = TypeOf<typeof Journal>
export type TransferRecord = TypeOf<typeof Transfer>
export type CanceledRecord = TypeOf<typeof Canceled>
export type CandlesRecord = TypeOf<typeof Candles>
export type ClosedPositionRecord = TypeOf<typeof ClosedPosition>
export type ClockRecord = TypeOf<typeof Clock>
export type CryptoQuoteRecord = TypeOf<typeof CryptoQuote>
export type CryptoTradeRecord = TypeOf<typeof CryptoTrade>
export type CreatedKeyRecord = TypeOf<typeof CreatedKey>
export type CreatedWorldRecord = TypeOf<typeof CreatedWorld>
export type DailyAuctionsRecord = TypeOf<typeof DailyAuctions>
export type ExplanationRecord = TypeOf<typeof Explanation>
export type ExplainedQuoteRecord = TypeOf<typeof ExplainedQuote>
export type ExplainStepRecord = TypeOf<typeof ExplainStep>
export type FaultRecord = TypeOf<typeof Fault>
export type JournalEventRecord = TypeOf<typeof JournalEvent>
export type KeyRecord = TypeOf<typeof Key>
export type LedgerBalanceRecord = TypeOf<typeof LedgerBalance>
export type LedgerLegRecord = TypeOf<typeof LedgerLeg>
export type MarketClockRecord = TypeOf<typeof MarketClock>
export type MarketDayRecord = TypeOf<typeof MarketDay>
export type MarketRecord = TypeOf<typeof Market>
export type OAuthClientChangesRecord = WithKinds<TypeOf<typeof OAuthClientChanges>>
export type OAuthClientRecord = TypeOf<typeof OathClientResponse>
export type OAuthClientSettingsRecord = TypeOf<typeof OAuthClientSettings>
export type OAuthGrantRecord = TypeOf<typeof OAuthGrant>
export type OAuthTokenRequestRecord = TypeOf<typeof OAuthTokenRequest>
export type OpenSocketRecord = TypeOf<typeof OpenSocket>
export type OrderRecord = TypeOf<typeof Order>
export type WorldOrderRecord = TypeOf<typeof WorldOrder>
export type OrderPreviewRecord = TypeOf<typeof OrderPreview>
export type PlaceOrderRecord = TypeOf<typeof PlaceOrder>
export type PositionRecord = TypeOf<typeof Position>
export type QuoteRecord = TypeOf<typeof Quote>
export type ReplaceOrderRecord = WithKinds<TypeOf<typeof ReplaceOrder>>
export type LoggedRequestRecord = TypeOf<typeof LoggedRequest>
export type StreamFrameRecord = TypeOf<typeof StreamFrame>
export type TokenizationMintRecord = WithKinds<TypeOf<typeof TokenizationMintRequest>>
export type TokenizationMintedRecord = TypeOf<typeof TokenizationMintResponse>
export type TokenizationRedeemRecord = WithKinds<TypeOf<typeof TokenizationRedeemRequest>>
export type TokenizationRedeemedRecord = TypeOf<typeof TokenizationRedeemResponse>
export type TokenizationRequestRecord = TypeOf<typeof TokenizationRequest>
export type TradeRecord = TypeOf<typeof Trade>
export type WatchlistRecord = TypeOf<typeof Watchlist>
export type MarketEventRecord = TypeOf<typeof MarketEvent>
export type WorldClockRecord = TypeOf<typeof WorldClock>
export type WorldRecord = TypeOf<typeof World>
