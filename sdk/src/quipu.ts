import { createClient } from './client.ts'
import type { CallOptions, Client, Output } from './contract.ts'
import { type ConnectOptions, connectionOf } from './environment.ts'
import { type BarsQuery, bars, candles, latestPrice, type SymbolBar, type SymbolCandles } from './market.ts'
import { createOAuth, type OAuth } from './oauth.ts'
import { createOrders, type Orders } from './orders/orders.ts'
import { transportOf } from './send.ts'
import type { StreamOptions } from './socket/live-stream.ts'
import { MarketStream } from './socket/market-stream.ts'
import type { MarketFeed } from './socket/market-types.ts'
import { TradeStream } from './socket/trade-stream.ts'
import { createTokenization, type Tokenization } from './tokenization.ts'

/** One account on one server. */
export type Quipu = {
  readonly account: { readonly get: (options?: CallOptions) => Promise<Output<'getAccount'>> }
  readonly orders: Orders
  readonly positions: {
    readonly list: (options?: CallOptions) => Promise<Output<'listPositions'>>
    readonly get: (symbol: string, options?: CallOptions) => Promise<Output<'getPosition'>>
  }
  /** The price of the last trade of a stock or of a crypto pair such as `BTC/USD`. */
  readonly latestPrice: (symbol: string, options?: CallOptions) => Promise<number>
  /** Reads bars of any span, page by page. */
  readonly bars: (query: BarsQuery, options?: CallOptions) => AsyncGenerator<SymbolBar, undefined>
  /** Reads candles of any span, page by page, as columns for a chart. */
  readonly candles: (
    query: Omit<BarsQuery, 'limit'>,
    options?: CallOptions,
  ) => AsyncGenerator<SymbolCandles, undefined>
  readonly oauth: OAuth
  readonly tokenization: Tokenization
  /** Live streams over WebSockets. They reconnect, subscribe again, and read missed messages over REST. */
  readonly streams: {
    /** Updates of the orders of the account. */
    readonly tradeUpdates: (options?: StreamOptions) => TradeStream
    readonly marketData: (feed: MarketFeed, options?: StreamOptions) => MarketStream
  }
  /** Every operation of the API, by name. */
  readonly client: Client
  /** The same for the operations of market data, which may have another host. */
  readonly data: Client
}

/**
 * Connects to a server with a key or a token. Omitted options are read from QUIPU_URL and the APCA variables, as
 * `quipu env` prints them.
 */
export function createQuipu(options: ConnectOptions = {}): Quipu {
  const connection = connectionOf(options)
  const client = createClient(connection.trading)
  const data = connection.data.url === connection.trading.url ? client : createClient(connection.data)
  return {
    account: { get: (options) => client.getAccount({}, options) },
    orders: createOrders(client, transportOf(connection.trading)),
    positions: {
      list: (options) => client.listPositions({}, options),
      get: (symbol, options) => client.getPosition({ params: { symbol_or_asset_id: symbol } }, options),
    },
    latestPrice: (symbol, options) => latestPrice(data, symbol, options),
    bars: (query, options) => bars(data, query, options),
    candles: (query, options) => candles(data, query, options),
    oauth: createOAuth(client, connection.trading.url),
    tokenization: createTokenization(client, transportOf(connection.trading)),
    streams: {
      tradeUpdates: (options = {}) => new TradeStream(connection.trading, options),
      marketData: (feed, options = {}) =>
        new MarketStream(feed, { ...connection, url: connection.streamUrl }, options),
    },
    client,
    data,
  }
}
