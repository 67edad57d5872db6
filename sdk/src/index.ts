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
export type { BarsQuery, SymbolBar, SymbolCandles } from './market.ts'
export { type AuthorizeRequest, createPkce, type OAuth } from './oauth.ts'
export { type OnceOptions, sendOnce } from './once.ts'
export type * from './orders/order-types.ts'
export type { Orders } from './orders/orders.ts'
export type { OrderBody, PlacedOrder, Placement, PlaceOptions } from './orders/place.ts'
export { isFinal, type WaitOptions } from './orders/wait.ts'
export { createQuipu, type Quipu } from './quipu.ts'
export type { Credential } from './request.ts'
export type { StreamOptions, StreamState } from './socket/live-stream.ts'
export { MarketStream } from './socket/market-stream.ts'
export type { MarketChannel, MarketFeed, MarketMessage, Subscriptions } from './socket/market-types.ts'
export { TradeStream } from './socket/trade-stream.ts'
export { createStreams, type RequestMessage, type SocketsMessage, type Streams } from './streams.ts'
export type { MintOptions, MintPlacement, PlacedMint, Tokenization } from './tokenization.ts'
