import type { OperationName } from '@quipu/contract'

/**
 * Which client's test proves what, for the compatibility page. A channel is written `/stream trade_updates`, an
 * order kind `type limit`. The last test of each file holds that it used exactly this.
 */
export type Proof = {
  /** As the page calls it. */
  readonly client: string
  readonly file: string
  readonly operations: readonly OperationName[]
  readonly channels: readonly string[]
  readonly orderKinds: readonly string[]
}

const officialSdk = 'official TypeScript SDK 4'
const officialSdk3 = 'official JavaScript SDK 3'

export const proofs: readonly Proof[] = [
  {
    client: officialSdk,
    file: 'tests/reference/official-sdk-trading.spec.ts',
    operations: [
      'cancelOrder',
      'getAccount',
      'getAsset',
      'getClock',
      'getOrder',
      'getOrderByClientOrderId',
      'getPosition',
      'listAssets',
      'listOrders',
      'listPositions',
      'placeOrder',
    ],
    channels: ['/stream trade_updates'],
    orderKinds: [
      'type market',
      'type limit',
      'time_in_force day',
      'time_in_force gtc',
      'order_class simple',
      'size whole qty',
      'size fractional qty',
      'asset class us_equity',
      'extra extended_hours',
      'extra position_intent',
    ],
  },
  {
    client: officialSdk,
    file: 'tests/reference/official-sdk-market-data.spec.ts',
    operations: [
      'stockBarSingle',
      'stockBars',
      'stockLatestBarSingle',
      'stockLatestBars',
      'stockLatestQuoteSingle',
      'stockLatestQuotes',
      'stockLatestTradeSingle',
      'stockLatestTrades',
    ],
    channels: ['/v2/iex', '/v2/sip', '/v2/delayed_sip'].flatMap((feed) =>
      ['bars', 'dailyBars', 'trades', 'quotes'].map((channel) => `${feed} ${channel}`),
    ),
    orderKinds: [],
  },
  {
    client: officialSdk,
    file: 'tests/reference/official-sdk-ticks.spec.ts',
    operations: [
      'cryptoBars',
      'cryptoLatestBars',
      'cryptoLatestOrderbooks',
      'cryptoLatestQuotes',
      'cryptoLatestTrades',
      'cryptoQuotes',
      'cryptoSnapshots',
      'cryptoTrades',
      'stockBars',
      'stockQuotes',
      'stockSnapshotSingle',
      'stockSnapshots',
      'stockTrades',
    ],
    channels: [],
    orderKinds: [],
  },
  {
    client: officialSdk,
    file: 'tests/reference/official-sdk-streams.spec.ts',
    operations: [],
    channels: [
      ...['bars', 'dailyBars', 'trades', 'quotes', 'orderbooks'].map(
        (channel) => `/v1beta3/crypto/{loc} ${channel}`,
      ),
      '/v2/iex bars',
      '/v2/iex trades',
      '/v2/test quotes',
    ],
    orderKinds: [],
  },
  {
    client: officialSdk3,
    file: 'tests/reference/official-sdk-3-market-data.spec.ts',
    operations: [
      'cryptoBars',
      'cryptoLatestBars',
      'cryptoLatestOrderbooks',
      'cryptoLatestQuotes',
      'cryptoLatestTrades',
      'cryptoQuotes',
      'cryptoSnapshots',
      'cryptoTrades',
      'stockBarSingle',
      'stockBars',
      'stockLatestBarSingle',
      'stockLatestBars',
      'stockLatestQuoteSingle',
      'stockLatestQuotes',
      'stockLatestTradeSingle',
      'stockLatestTrades',
      'stockQuoteSingle',
      'stockQuotes',
      'stockSnapshotSingle',
      'stockSnapshots',
      'stockTradeSingle',
      'stockTrades',
    ],
    channels: [
      ...['/v2/iex', '/v2/sip'].flatMap((feed) =>
        ['bars', 'dailyBars', 'trades', 'quotes'].map((channel) => `${feed} ${channel}`),
      ),
      ...['bars', 'trades', 'quotes', 'orderbooks'].map((channel) => `/v1beta3/crypto/{loc} ${channel}`),
    ],
    orderKinds: [],
  },
  {
    client: officialSdk,
    file: 'tests/reference/official-sdk-tokenization.spec.ts',
    operations: [
      'getPosition',
      'getTokenizationRequest',
      'getTokenizationRequestByClientRequestID',
      'getTokenizationRequests',
      'placeOrder',
      'postTokenizationMint',
    ],
    channels: [],
    orderKinds: [
      'type market',
      'time_in_force day',
      'order_class simple',
      'size whole qty',
      'asset class us_equity',
    ],
  },
  {
    client: officialSdk,
    file: 'tests/reference/official-sdk-access.spec.ts',
    operations: ['getAccount', 'getOrder', 'placeOrder'],
    channels: [],
    orderKinds: [
      'type market',
      'time_in_force day',
      'order_class simple',
      'size whole qty',
      'asset class us_equity',
    ],
  },
]
