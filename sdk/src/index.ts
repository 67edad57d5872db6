export { type ClientOptions, createClient } from './client.ts'
export type * from './contract.ts'
/** Method, path and parameters of every operation. */
export { routes } from './contract.ts'
export type { ConnectOptions } from './environment.ts'
export {
  ApiError,
  AuthError,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  StreamError,
  UnknownOutcomeError,
  ValidationError,
  WaitTimeoutError,
} from './errors.ts'
export type { FollowOptions } from './follow.ts'
export { collect, iterate, type ListName, type ListRow } from './lists/iterate.ts'
export type { BarsQuery, TimeframeName } from './market.ts'
export { type AuthorizeRequest, createPkce, type OAuth } from './oauth.ts'
export type * from './orders/order-types.ts'
export type { Orders, OrdersQuery, PlacedOrder } from './orders/orders.ts'
export { isFinal, type WaitOptions } from './orders/wait.ts'
export {
  type CloseAllSettings,
  type ClosedPosition,
  createQuipu,
  type PositionPart,
  type Quipu,
} from './quipu.ts'
export type { RateLimit } from './rate-limit.ts'
export { type Camel, camelCase } from './records/case.ts'
export type {
  Account,
  Bar,
  Candles,
  Order,
  Position,
  TradeUpdate,
  WireAccount,
  WireBar,
  WireCandles,
  WireOrder,
  WireTradeUpdate,
} from './records/records.ts'
export type { Credential } from './request.ts'
export { type ConnectionCheck, type RateLimitState, type WithResponse, withResponse } from './responses.ts'
export type { RetryEvent, RetryHooks } from './send.ts'
export type { AuthenticationResult, StreamOptions, StreamState } from './socket/live-stream.ts'
export { MarketStream } from './socket/market-stream.ts'
export type { MarketChannel, MarketFeed, MarketMessage, Subscriptions } from './socket/market-types.ts'
export { TradeStream } from './socket/trade-stream.ts'
export { createStreams, type RequestMessage, type SocketsMessage, type Streams } from './streams.ts'
export type { PlacedMint, Tokenization } from './tokenization.ts'
export type { WriteOptions, WriteReport, Written } from './write/safe-write.ts'
export { type Write, type WriteName, write } from './write/write.ts'
