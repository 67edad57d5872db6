import { createClient } from './client.ts'
import {
  type Call,
  type CallOptions,
  type Client,
  type OperationName,
  type Output,
  routes,
} from './contract.ts'
import { type ConnectOptions, connectionOf } from './environment.ts'
import { iterate, type ListName, type ListRow } from './lists/iterate.ts'
import { type BarsQuery, bars, candles, latestPrice } from './market.ts'
import { createOAuth, type OAuth } from './oauth.ts'
import { createOrders, type Orders, type PlacedOrder, placedOf } from './orders/orders.ts'
import { type Camel, camelCase } from './records/case.ts'
import type { Account, Bar, Candles, Position } from './records/records.ts'
import { type ConnectionCheck, validateConnection } from './responses.ts'
import { transportOf } from './send.ts'
import type { StreamOptions } from './socket/live-stream.ts'
import { MarketStream } from './socket/market-stream.ts'
import type { MarketFeed } from './socket/market-types.ts'
import { TradeStream } from './socket/trade-stream.ts'
import { createTokenization, type Tokenization } from './tokenization.ts'
import type { WriteOptions } from './write/safe-write.ts'
import { createWrite, type Write } from './write/write.ts'

/** The part of a position to close. Default: all of it. */
export type PositionPart = {
  readonly qty?: string | number | undefined
  readonly percentage?: string | number | undefined
}
export type CloseAllSettings = { readonly cancelOrders?: boolean | undefined }
export type ClosedPosition = Camel<Output<'closeAllPositions'>>[number]

/** One account on one server. */
export type Quipu = {
  readonly account: { readonly get: (options?: CallOptions) => Promise<Account> }
  readonly orders: Orders
  readonly positions: {
    readonly list: (options?: CallOptions) => Promise<readonly Position[]>
    readonly get: (symbol: string, options?: CallOptions) => Promise<Position>
    /** Sells or buys back a position, or a part of it, at most once: see `WriteReport`. */
    readonly close: (symbol: string, part?: PositionPart, options?: WriteOptions) => Promise<PlacedOrder>
    /**
     * Closes all positions, and cancels open orders before if asked. Returns the result for each position. It is sent once,
     * because the server takes no key for a call of many orders. After a `NetworkError`, read the positions and the open
     * orders, then close the rest.
     */
    readonly closeAll: (
      settings?: CloseAllSettings,
      options?: CallOptions,
    ) => Promise<readonly ClosedPosition[]>
  }
  /** The price of the last trade of a stock or of a crypto pair such as `BTC/USD`; undefined if there is none. */
  readonly latestPrice: (symbol: string, options?: CallOptions) => Promise<number | undefined>
  /** Reads bars of any span, page by page. */
  readonly bars: (query: BarsQuery, options?: CallOptions) => AsyncGenerator<Bar, undefined>
  /** Reads candles of any span: columns for a chart, one record for each symbol. */
  readonly candles: (
    query: Omit<BarsQuery, 'limit'>,
    options?: CallOptions,
  ) => Promise<Readonly<Record<string, Candles>>>
  /** Yields the rows of any list of the API, page by page. `collect` makes an array of them. */
  readonly iterate: <Name extends ListName>(
    name: Name,
    call?: Call<Name>,
    options?: CallOptions,
  ) => AsyncGenerator<ListRow<Name>, undefined>
  /** Reads the account to check URL and credential. It rejects only if it is aborted. */
  readonly validateConnection: (options?: CallOptions) => Promise<ConnectionCheck>
  readonly oauth: OAuth
  readonly tokenization: Tokenization
  /** Live streams over WebSockets. They reconnect, subscribe again, and read missed messages over REST. */
  readonly streams: {
    /** Updates of the orders of the account. */
    readonly tradeUpdates: (options?: StreamOptions) => TradeStream
    readonly marketData: (feed: MarketFeed, options?: StreamOptions) => MarketStream
  }
  /** Calls that move money, shares, coins or tokens, or change an order: each is executed at most once. */
  readonly write: Write
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
  const write = createWrite(client, transportOf(connection.trading))
  // The official server ignores the key, so a repetition could sell twice.
  const closeOptions: WriteOptions = connection.isOfficial ? { repetitions: 0 } : {}
  return {
    account: { get: (options) => client.getAccount({}, options).then(camelCase) },
    orders: createOrders(client, write),
    positions: {
      list: (options) => client.listPositions({}, options).then(camelCase),
      get: (symbol_or_asset_id, options) =>
        client.getPosition({ params: { symbol_or_asset_id } }, options).then(camelCase),
      close: (symbol_or_asset_id, part = {}, options) => {
        const call = { params: { symbol_or_asset_id }, query: part }
        return write('closePosition', call, { ...closeOptions, ...options }).then(placedOf)
      },
      closeAll: ({ cancelOrders } = {}, options) =>
        client.closeAllPositions({ query: { cancel_orders: cancelOrders } }, options).then(camelCase),
    },
    latestPrice: (symbol, options) => latestPrice(data, symbol, options),
    bars: (query, options) => bars(data, query, options),
    candles: (query, options) => candles(data, query, options),
    iterate: (name, call, options) => iterate(isOfData(name) ? data : client, name, call, options),
    validateConnection: (options) => validateConnection(client, options),
    oauth: createOAuth(client, connection.trading.url),
    tokenization: createTokenization(client, write),
    streams: {
      tradeUpdates: (options = {}) => new TradeStream(connection.trading, options),
      marketData: (feed, options = {}) =>
        new MarketStream(feed, { ...connection, url: connection.streamUrl }, options),
    },
    write,
    client,
    data,
  }
}

/** Market data may have another host. */
const isOfData = (name: OperationName): boolean => /^\/v(1beta[1-3]|2\/stocks)\b/.test(routes[name].path)
