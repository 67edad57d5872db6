import type { OrderRecord } from '../records.ts'
import type { ExamplesOf } from './example.ts'
import { accountId, asset, assetId, at, order, orderId } from './values.table.ts'

const configurations = {
  dtbp_check: 'entry',
  pdt_check: 'entry',
  fractional_trading: true,
  max_margin_multiplier: '4',
  no_shorting: false,
  suspend_trade: false,
  trade_confirm_email: 'all',
  ptp_no_exception_entry: false,
  max_options_trading_level: null,
  disable_overnight_trading: false,
} as const

const fillId = '20261102101015101::18b4475d-5bf4-41f5-8f00-00000002b000'

const fill = {
  id: fillId,
  activity_type: 'FILL',
  transaction_time: '2026-11-02T15:10:15.101202303Z',
  type: 'fill',
  symbol: 'AAPL',
  side: 'buy',
  price: '187.75',
  qty: '3',
  cum_qty: '3',
  leaves_qty: '0',
  order_id: orderId,
  order_status: 'filled',
} as const

const openingCash = {
  id: '20261102093000000::18b4452b-18b0-4800-8000-000000003000',
  activity_type: 'JNLC',
  date: '2026-11-02',
  created_at: '2026-11-02T14:30:00Z',
  net_amount: '100000',
  description: '',
  status: 'executed',
  currency: 'USD',
} as const

const position = {
  asset_id: assetId,
  symbol: 'AAPL',
  exchange: 'NASDAQ',
  asset_class: 'us_equity',
  asset_marginable: true,
  qty: '3',
  qty_available: '3',
  side: 'long',
  avg_entry_price: '187.5',
  cost_basis: '562.5',
  market_value: '565.5',
  current_price: '188.5',
  lastday_price: '186',
  change_today: '0.01344086',
  unrealized_pl: '3',
  unrealized_plpc: '0.005333333',
  unrealized_intraday_pl: '3',
  unrealized_intraday_plpc: '0.005333333',
} as const

const closing: OrderRecord = {
  ...order,
  client_order_id: '904837e3-3b76-47ec-b432-046db621571b',
  qty: '1',
  order_type: 'market',
  type: 'market',
  side: 'sell',
  position_intent: 'sell_to_close',
  limit_price: null,
}

const newYorkExchange = {
  mic: 'XNYS',
  acronym: 'NYSE',
  name: 'New York Stock Exchange',
  timezone: 'America/New_York',
}

const watchlistId = '3f1d6c52-8a77-4c0e-9d55-1b2a3c4d5e6f'

const bareWatchlist = {
  id: watchlistId,
  account_id: accountId,
  name: 'Fruit',
  created_at: at,
  updated_at: at,
}

const watchlist = { ...bareWatchlist, assets: [asset] }

const byWatchlistId = { params: { id: watchlistId } }

const byName = { query: { name: 'Fruit' } }

const id = '7c2b7e0a-5d1f-4f58-9c52-6a0f3b8d2e11'

const announcement = {
  id,
  corporate_action_id: 'F58684224_XY37',
  ca_type: 'dividend',
  ca_sub_type: 'cash',
  initiating_symbol: 'AAPL',
  initiating_original_cusip: '037833100',
  target_symbol: null,
  target_original_cusip: null,
  declaration_date: '2026-10-29',
  ex_date: '2026-11-09',
  record_date: '2026-11-09',
  payable_date: '2026-11-12',
  expiration_date: null,
  cash: '0.26',
  old_rate: '1',
  new_rate: '1',
} as const

const byId = { params: { id } } as const

const optionContract = {
  id,
  symbol: 'AAPL261218C00250000',
  name: 'AAPL Dec 18 2026 250 Call',
  status: 'active',
  tradable: true,
  expiration_date: '2026-12-18',
  root_symbol: 'AAPL',
  underlying_symbol: 'AAPL',
  underlying_asset_id: '6f1b1c58-77a1-4f0e-8a0a-0d0b7a5e9c01',
  type: 'call',
  style: 'american',
  strike_price: '250',
  multiplier: '100',
  size: '100',
} as const

const address = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'

const transfer = {
  id,
  tx_hash: '5jzh8Nf3',
  direction: 'OUTGOING',
  amount: '1.5',
  usd_value: '210',
  network_fee: '0.001',
  fees: '0',
  chain: 'SOL',
  asset: 'SOL',
  from_address: address,
  to_address: address,
  status: 'PROCESSING',
  created_at: at,
} as const

const whitelisted = { id, chain: 'SOL', asset: 'SOL', address, status: 'PENDING', created_at: at } as const

const locate = {
  id,
  symbol: 'AAPL',
  requested_qty: 100,
  all_or_none: false,
  status: 'active',
  created_at: at,
} as const

export const tradingExamples: ExamplesOf<'trading'> = {
  getAccount: {
    input: {},
    output: {
      id: accountId,
      account_number: '010203ABCD',
      status: 'ACTIVE',
      crypto_status: 'ACTIVE',
      currency: 'USD',
      cash: '99437.5',
      equity: '100003',
      last_equity: '100000',
      portfolio_value: '100003',
      long_market_value: '565.5',
      short_market_value: '0',
      position_market_value: '565.5',
      buying_power: '399446.5',
      regt_buying_power: '199440.5',
      non_marginable_buying_power: '99437.5',
      options_buying_power: '99720.25',
      effective_buying_power: '399446.5',
      bod_dtbp: '0',
      multiplier: '4',
      initial_margin: '282.75',
      maintenance_margin: '169.65',
      last_maintenance_margin: '0',
      sma: '0',
      accrued_fees: '0',
      pending_reg_taf_fees: '0',
      intraday_adjustments: '0',
      balance_asof: '2026-10-30',
      shorting_enabled: false,
      trading_blocked: false,
      transfers_blocked: false,
      account_blocked: false,
      trade_suspended_by_user: false,
      options_approved_level: 0,
      options_trading_level: 0,
      crypto_tier: 0,
      created_at: '2026-10-30T12:00:00Z',
    },
  },
  getAccountConfigurations: { input: {}, output: configurations },
  patchAccountConfigurations: {
    input: { body: { no_shorting: true, max_margin_multiplier: '2' } },
    output: { ...configurations, no_shorting: true, max_margin_multiplier: '2' },
  },
  listActivities: {
    input: { query: { activity_types: ['FILL', 'JNLC'], page_size: 2 } },
    output: [fill, openingCash],
  },
  listActivitiesByType: {
    input: { params: { activity_type: 'JNLC' }, query: { date: '2026-11-02' } },
    output: [openingCash],
  },
  getPortfolioHistory: {
    input: { query: { period: '1W', timeframe: '1D' } },
    output: {
      timestamp: [1_793_667_600, 1_793_754_000],
      equity: [100_000, 100_012.5],
      profit_loss: [0, 12.5],
      profit_loss_pct: [0, 0.000125],
      base_value: 100_000,
      base_value_asof: '2026-10-30',
      timeframe: '1D',
    },
  },
  streamTradeEvents: {
    input: { query: { since_id: '01JBQ5V7WD000000000000001A' }, headers: {} },
    output: ": the account's events\n\n",
  },
  streamTradeEventsBroker: {
    input: { query: { since_ulid: '01JBQ5V7WD000000000000001A' }, headers: {} },
    output: ": the partner's events\n\n",
  },
  streamActivityEvents: {
    input: { query: { since: '2026-11-02T14:30:00Z' }, headers: {} },
    output: ": the account's events\n\n",
  },
  streamTokenizationEvents: {
    input: { query: { since: '2026-11-02T14:30:00Z' }, headers: {} },
    output: ": the account's events\n\n",
  },
  streamTokenizationEventsBroker: {
    input: {
      query: { account_id: '6b5a6f0e-2f0c-4f5e-9d1e-2b8f5a0c7d11', since: '2026-11-02T14:30:00Z' },
      headers: {},
    },
    output: ": the account's events\n\n",
  },
  placeOrder: {
    input: {
      headers: { 'idempotency-key': '0f1c6a52-7d7e-4f0b-9a34-2b8f6f1f7a10' },
      body: {
        symbol: 'AAPL',
        qty: '3',
        side: 'buy',
        type: 'limit',
        time_in_force: 'day',
        limit_price: '187.5',
        client_order_id: 'my-first-order',
      },
    },
    output: order,
  },
  previewOrder: {
    input: {
      body: { symbol: 'AAPL', qty: '3', side: 'buy', type: 'market', time_in_force: 'day' },
    },
    output: {
      outcome: 'filled',
      status: 'filled',
      qty: '3',
      estimated_price: '187.75',
      reserved_price: '187.75',
      estimated_value: '563.25',
      cost: '563.25',
      fees: [{ kind: 'cat', asset: 'USD', amount: '0.000009' }],
      fills: [{ qty: '3', price: '187.75', cash: '563.25', quote_at: at }],
      remaining_qty: '0',
      buying_power_before: '400000',
      buying_power_after: '399436.75',
      position_qty_before: '0',
      position_qty_after: '3',
      steps: [
        {
          code: 'buyingPower',
          at,
          numbers: { reference: '187.75', cost: '563.25', buying_power: '400000', left: '399436.75' },
          sentence: '3 at 187.75 take 563.25 of a buying power of 400000 (4 times margin): enough.',
        },
      ],
      alternatives: [],
    },
  },
  listOrders: { input: { query: { status: 'all', limit: 10 } }, output: [order] },
  getOrder: { input: { params: { order_id: orderId }, query: {} }, output: order },
  getOrderByClientOrderId: { input: { query: { client_order_id: 'my-first-order' } }, output: order },
  replaceOrder: {
    input: { params: { order_id: orderId }, body: { qty: '2', limit_price: '190' } },
    output: {
      ...order,
      id: 'c7f3a1de-4b0c-4f6e-9a55-8f0e1b2d3c4a',
      client_order_id: '9b0a2c1f-3c59-4d0e-b6a7-5d1e9c8f7a60',
      qty: '2',
      limit_price: '190',
      replaces: orderId,
    },
  },
  cancelOrder: { input: { params: { order_id: orderId } }, output: undefined },
  cancelAllOrders: {
    input: {},
    output: [{ id: orderId, status: 200, body: { ...order, status: 'canceled' } }],
  },
  listAssets: { input: { query: { status: 'active' } }, output: [asset] },
  getAsset: { input: { params: { symbol_or_asset_id: 'AAPL' } }, output: asset },
  listTreasuries: { input: { query: {} }, output: { us_treasuries: [] } },
  listCorporates: { input: { query: {} }, output: { us_corporates: [] } },
  listPositions: { input: {}, output: [position] },
  getPosition: { input: { params: { symbol_or_asset_id: 'AAPL' } }, output: position },
  closePosition: {
    input: { params: { symbol_or_asset_id: 'AAPL' }, query: { percentage: '50' }, headers: {} },
    output: closing,
  },
  closeAllPositions: {
    input: { query: { cancel_orders: true } },
    output: [{ symbol: 'AAPL', status: 200, body: closing }],
  },
  exerciseOption: {
    input: { headers: {}, params: { symbol_or_contract_id: 'AAPL261218C00200000' } },
    output: undefined,
  },
  doNotExerciseOption: {
    input: { params: { symbol_or_contract_id: 'AAPL261218C00200000' } },
    output: undefined,
  },
  getClock: {
    input: {},
    output: {
      timestamp: '2026-11-02T10:10:15.101202303-05:00',
      is_open: true,
      next_open: '2026-11-03T09:30:00-05:00',
      next_close: '2026-11-02T16:00:00-05:00',
    },
  },
  getMarketClocks: {
    input: { query: { markets: ['NYSE'] } },
    output: {
      clocks: [
        {
          market: newYorkExchange,
          timestamp: '2026-11-02T10:10:15.101202303-05:00',
          is_market_day: true,
          next_market_open: '2026-11-03T09:30:00-05:00',
          next_market_close: '2026-11-02T16:00:00-05:00',
          phase: 'core',
          phase_until: '2026-11-02T16:00:00-05:00',
        },
      ],
    },
  },
  getCalendar: {
    input: { query: { start: '2026-11-27', end: '2026-11-27' } },
    output: [
      {
        date: '2026-11-27',
        open: '09:30',
        close: '13:00',
        session_open: '0400',
        session_close: '1700',
        settlement_date: '2026-11-30',
      },
    ],
  },
  getMarketCalendar: {
    input: { params: { market: 'NYSE' }, query: { start: '2026-11-27', end: '2026-11-27' } },
    output: {
      market: newYorkExchange,
      calendar: [
        {
          date: '2026-11-27',
          pre_start: '2026-11-27T04:00:00-05:00',
          pre_end: '2026-11-27T09:30:00-05:00',
          core_start: '2026-11-27T09:30:00-05:00',
          core_end: '2026-11-27T13:00:00-05:00',
          post_start: '2026-11-27T13:00:00-05:00',
          post_end: '2026-11-27T17:00:00-05:00',
          settlement_date: '2026-11-30',
        },
      ],
    },
  },
  listWatchlists: { input: {}, output: [bareWatchlist] },
  createWatchlist: { input: { body: { name: 'Fruit', symbols: ['AAPL'] } }, output: watchlist },
  getWatchlist: { input: byWatchlistId, output: watchlist },
  updateWatchlist: {
    input: { ...byWatchlistId, body: { name: 'Fruit', symbols: ['AAPL'] } },
    output: watchlist,
  },
  addToWatchlist: { input: { ...byWatchlistId, body: { symbol: 'AAPL' } }, output: watchlist },
  deleteWatchlist: { input: byWatchlistId, output: undefined },
  removeFromWatchlist: {
    input: { params: { id: watchlistId, symbol: 'MSFT' } },
    output: watchlist,
  },
  getWatchlistByName: { input: byName, output: watchlist },
  updateWatchlistByName: { input: { ...byName, body: { symbols: ['AAPL'] } }, output: watchlist },
  addToWatchlistByName: { input: { ...byName, body: { symbol: 'AAPL' } }, output: watchlist },
  deleteWatchlistByName: { input: byName, output: undefined },
  listAnnouncements: {
    input: { query: { ca_types: ['dividend'], since: '2026-11-01', until: '2026-11-30' } },
    output: [],
  },
  getAnnouncement: { input: byId, output: announcement },
  listOptionContracts: {
    input: { query: { underlying_symbols: ['AAPL'] } },
    output: { option_contracts: [], next_page_token: null },
  },
  getOptionContract: { input: { params: { symbol_or_id: optionContract.symbol } }, output: optionContract },
  listWallets: { input: { query: {} }, output: [] },
  listWalletTransfers: { input: {}, output: [] },
  createWalletTransfer: {
    input: { headers: {}, body: { amount: '1.5', address, asset: 'SOL', chain: 'SOL' } },
    output: transfer,
  },
  getWalletTransfer: { input: byId, output: transfer },
  listWhitelistedAddresses: { input: {}, output: [] },
  createWhitelistedAddress: { input: { body: { address, asset: 'SOL', chain: 'SOL' } }, output: whitelisted },
  deleteWhitelistedAddress: { input: byId, output: undefined },
  estimateWalletFee: {
    input: { query: { asset: 'SOL', amount: '1.5' } },
    output: { fee: '0', network_fee: '0.001' },
  },
  listLocateQuotes: {
    input: { query: { symbols: ['AAPL'] } },
    output: {
      quotes: [],
      errors: [{ symbol: 'AAPL', code: 'easy_to_borrow', message: 'AAPL is easy to borrow' }],
    },
  },
  createLocate: { input: { headers: {}, body: { symbol: 'AAPL', qty: 100 } }, output: locate },
  listLocates: { input: { query: {} }, output: { locates: [], next_page_token: null } },
  getLocate: { input: byId, output: locate },
}
