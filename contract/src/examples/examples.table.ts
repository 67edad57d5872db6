import {
  FOR_ACCOUNT,
  FOR_PARTNER,
  tradingAccounts,
  tradingPartners,
} from '../operations/broker/trading-accounts.ts'
import type { CallOf, OperationName, OutputOf } from '../operations.ts'
import type { OrderRecord } from '../records.ts'
import { brokerExamples } from './broker.table.ts'
import { historyExamples } from './history.table.ts'
import { lookupExamples } from './lookup.table.ts'
import { notHadExamples } from './not-had.table.ts'
import { oauthClientExamples } from './oauth.table.ts'
import { pageExamples } from './pages.table.ts'
import { readingExamples } from './reading.table.ts'
import { token, tokenizationExamples, tokenizationWorldExamples } from './tokenization.table.ts'
import { userExamples } from './users.table.ts'

/** A call of every operation and what it may answer: for OpenAPI and the reference; a test reads them back. */
export type Example<Name extends OperationName> = {
  readonly input: CallOf<Name>
  readonly output: OutputOf<Name>
}

const orderId = '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'
const accountId = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
const assetId = '6f1b1c58-77a1-4f0e-8a0a-0d0b7a5e9c01'
const mintId = '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'
const placed = '2026-11-02T15:10:15.101202303Z'

const order: OrderRecord = {
  id: orderId,
  client_order_id: 'my-first-order',
  created_at: placed,
  updated_at: placed,
  submitted_at: placed,
  filled_at: null,
  expired_at: null,
  expires_at: '2026-11-02T21:00:00Z',
  canceled_at: null,
  failed_at: null,
  replaced_at: null,
  replaced_by: null,
  replaces: null,
  asset_id: assetId,
  symbol: 'AAPL',
  asset_class: 'us_equity',
  notional: null,
  qty: '3',
  filled_qty: '0',
  filled_avg_price: null,
  order_class: '',
  order_type: 'limit',
  type: 'limit',
  side: 'buy',
  position_intent: 'buy_to_open',
  time_in_force: 'day',
  limit_price: '187.5',
  stop_price: null,
  trail_percent: null,
  trail_price: null,
  hwm: null,
  ratio_qty: null,
  status: 'pending_new',
  extended_hours: false,
  legs: null,
  subtag: null,
  source: null,
}

const asset = {
  id: assetId,
  class: 'us_equity',
  exchange: 'NASDAQ',
  symbol: 'AAPL',
  name: 'Apple Inc.',
  status: 'active',
  tradable: true,
  marginable: true,
  shortable: true,
  easy_to_borrow: true,
  fractionable: true,
  borrow_status: 'easy_to_borrow',
  maintenance_margin_requirement: 30,
  margin_requirement_long: '30',
  margin_requirement_short: '30',
  attributes: ['fractional_eh_enabled'],
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

const trade = { t: placed, x: 'V', p: 187.5, s: 100, c: ['@'], i: 4211, z: 'C' }
const quote = { t: placed, ax: 'V', ap: 187.51, as: 200, bx: 'V', bp: 187.49, bs: 300, c: ['R'], z: 'C' }
const bar = {
  t: '2026-11-02T05:00:00Z',
  o: 186.2,
  h: 189.1,
  l: 185.9,
  c: 188.5,
  v: 1204511,
  n: 9120,
  vw: 187.61,
}

const barsQuery = { symbols: ['AAPL'], timeframe: '1Day', start: '2026-11-02', end: '2026-11-06' }

const oauthRequest = {
  client_id: '7a3c52a910e1dc2abbb14da2b6b8e711',
  client_secret: 'the-secret-of-the-app',
  redirect_uri: 'http://localhost:3000/callback',
  scope: 'trading data',
  account_id: accountId,
}

const oauthClient = {
  client_id: oauthRequest.client_id,
  client_secret: oauthRequest.client_secret,
}

const minted = {
  tokenization_request_id: mintId,
  created_at: placed,
  type: 'mint',
  status: 'pending',
  underlying_symbol: 'AAPL',
  token_symbol: 'AAPLx',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'solana',
  wallet_address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  client_request_id: 'treasury-17',
} as const

const tokenizationRequest = { ...minted, updated_at: null, tx_hash: null, fees: null }

const world = {
  world: 'friday',
  durable: false,
  clock: 'virtual',
  frozen: true,
  now: '2026-11-06T14:30:00Z',
  seed: '42',
  hours: 'nyse',
  market: 'synthetic',
  fill_size: 'unlimited',
  latency_ms: '0',
  starting_cash: '100000',
  fees: 'us',
  seq: 5,
} as const

const inAccount = { account_id: accountId, account_number: '010203ABCD', flavour: 'paper' } as const
const keyPair = { key_id: 'PKEXAMPLE00000000000', secret_key: 'shown-only-here' }
const createdWorld = {
  ...world,
  accounts: [{ ...inAccount, ...keyPair }],
  partner: { partner_id: '1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9', ...keyPair },
}
const worldClock = {
  world: 'friday',
  clock: 'virtual',
  now: '2026-11-06T14:30:00Z',
  frozen: true,
  speed: 0,
  is_open: true,
  next_open: '2026-11-09T14:30:00Z',
  next_close: '2026-11-06T21:00:00Z',
} as const
const series = {
  symbol: 'AAPL',
  kind: 'bars',
  frame: '1Min',
  rows: 98_280,
  bytes: 1_867_320,
  first: '2025-01-02T14:30:00Z',
  last: '2025-12-31T20:59:00Z',
  worlds: ['main'],
} as const
const usedSeries = {
  symbol: 'AAPL',
  kind: 'bars',
  frame: '1Min',
  rows: 98_280,
  digest: '5d3f6b1f0e9b7f2a4c1d8e6a90b3c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9',
} as const
const crash = {
  kind: 'crash',
  at: '2026-11-06T15:00:00Z',
  depth: 0.2,
  minutes: 10,
  recovers: true,
} as const
const corporateSplit = {
  id: '3f0a1c5e-9b1d-4a55-8c4e-6d2f0b7a9e11',
  type: 'forward_split',
  symbol: 'AAPL',
  status: 'scheduled',
  ex_date: '2026-11-10',
  effective_at: '2026-11-10T05:00:00Z',
  created_at: '2026-11-06T15:00:00Z',
  new_rate: '4',
  old_rate: '1',
} as const
const inFriday = { params: { world: 'friday' } }
const key = {
  key_id: keyPair.key_id,
  kind: 'account',
  account_id: accountId,
  created_at: placed,
} as const

const snapshot = { latestTrade: trade, latestQuote: quote, minuteBar: bar, dailyBar: bar, prevDailyBar: bar }
const auctions = {
  d: '2026-11-02',
  o: [{ t: '2026-11-02T14:30:00.1Z', x: 'Q', p: 186.2, s: 51200, c: 'O' }],
  c: [{ t: '2026-11-02T21:00:00.2Z', x: 'Q', p: 188.5, s: 90300, c: '6' }],
}
const candles = {
  time: [1793595600000],
  open: [186.2],
  high: [189.1],
  low: [185.9],
  close: [188.5],
  volume: [1204511],
}
const inUs = { params: { loc: 'us' } } as const
const ofBitcoin = { ...inUs, query: { symbols: ['BTC/USD'] } }
const coinBar = { ...bar, o: 95010.2, h: 95900, l: 94800.5, c: 95012.7, v: 12.0451, vw: 95207.334 }
const coinTrade = { t: placed, p: 95012.7, s: 0.0213, i: 4211, tks: 'B' } as const
const coinQuote = { t: placed, bp: 95010.2, bs: 0.41, ap: 95012.7, as: 0.38 }

const contract = 'AAPL261218C00250000'

/** Kinds of data there is nothing of. */
const emptyExamples = {
  optionBars: {
    input: { query: { symbols: [contract], timeframe: '1Day' } },
    output: { bars: {}, next_page_token: null },
  },
  optionTrades: { input: { query: { symbols: [contract] } }, output: { trades: {}, next_page_token: null } },
  optionLatestTrades: { input: { query: { symbols: [contract] } }, output: { trades: {} } },
  optionLatestQuotes: { input: { query: { symbols: [contract] } }, output: { quotes: {} } },
  optionSnapshots: {
    input: { query: { symbols: [contract] } },
    output: { snapshots: {}, next_page_token: null },
  },
  optionChain: {
    input: { params: { underlying: 'AAPL' }, query: {} },
    output: { snapshots: {}, next_page_token: null },
  },
  optionMetaConditions: { input: { params: { ticktype: 'trade' } }, output: {} },
  optionMetaExchanges: { input: {}, output: {} },
  news: { input: { query: { symbols: ['AAPL'] } }, output: { news: [], next_page_token: null } },
  mostActives: {
    input: { query: {} },
    output: {
      most_actives: [{ symbol: 'NVDA', volume: 168203911, trade_count: 214380 }],
      last_updated: placed,
    },
  },
  movers: {
    input: { params: { market_type: 'stocks' }, query: {} },
    output: {
      gainers: [{ symbol: 'PLUG', price: 2.61, change: 0.21, percent_change: 8.75 }],
      losers: [{ symbol: 'MARA', price: 12.11, change: -0.89, percent_change: -6.85 }],
      market_type: 'stocks',
      last_updated: placed,
    },
  },
  corporateActions: {
    input: { query: { symbols: ['AAPL'], types: ['cash_dividend'] } },
    output: { corporate_actions: {}, next_page_token: null },
  },
  corporateActionsAlias: { input: { query: {} }, output: { corporate_actions: {}, next_page_token: null } },
  logo: { input: { params: { symbol: 'AAPL' }, query: {} }, output: new Uint8Array() },
  forexLatestRates: { input: { query: { currency_pairs: ['USDJPY'] } }, output: { rates: {} } },
  forexRates: {
    input: { query: { currency_pairs: ['USDJPY'] } },
    output: { rates: {}, next_page_token: null },
  },
  indexLatestValues: { input: { query: { symbols: ['SPX'] } }, output: { values: {} } },
  indexValues: { input: { query: { symbols: ['SPX'] } }, output: { values: {}, next_page_token: null } },
  fixedIncomeLatestPrices: { input: { query: { isins: ['US912810TM09'] } }, output: { prices: {} } },
  fixedIncomeLatestQuotes: { input: { query: { isins: ['US912810TM09'] } }, output: { quotes: {} } },
} as const

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

type DerivedName = keyof typeof tradingAccounts | keyof typeof tradingPartners

const written: { readonly [Name in Exclude<OperationName, DerivedName>]: Example<Name> } = {
  ...historyExamples,
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
  placeOrder: {
    input: {
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
  cancelAllOrders: {
    input: {},
    output: [{ id: orderId, status: 200, body: { ...order, status: 'canceled' } }],
  },
  cancelOrder: { input: { params: { order_id: orderId } }, output: undefined },
  listAssets: { input: { query: { status: 'active' } }, output: [asset] },
  getAsset: { input: { params: { symbol_or_asset_id: 'AAPL' } }, output: asset },
  listPositions: { input: {}, output: [position] },
  getPosition: { input: { params: { symbol_or_asset_id: 'AAPL' } }, output: position },
  closePosition: {
    input: { params: { symbol_or_asset_id: 'AAPL' }, query: { percentage: '50' } },
    output: closing,
  },
  closeAllPositions: {
    input: { query: { cancel_orders: true } },
    output: [{ symbol: 'AAPL', status: 200, body: closing }],
  },
  exerciseOption: { input: { params: { symbol_or_contract_id: 'AAPL261218C00200000' } }, output: undefined },
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
  ...lookupExamples,
  ...notHadExamples,
  stockLatestTradeSingle: {
    input: { params: { symbol: 'AAPL' }, query: {} },
    output: { symbol: 'AAPL', trade },
  },
  stockLatestTrades: { input: { query: { symbols: ['AAPL', 'MSFT'] } }, output: { trades: { AAPL: trade } } },
  stockLatestQuoteSingle: {
    input: { params: { symbol: 'AAPL' }, query: {} },
    output: { symbol: 'AAPL', quote },
  },
  stockLatestQuotes: { input: { query: { symbols: ['AAPL', 'MSFT'] } }, output: { quotes: { AAPL: quote } } },
  stockLatestBarSingle: { input: { params: { symbol: 'AAPL' }, query: {} }, output: { symbol: 'AAPL', bar } },
  stockLatestBars: { input: { query: { symbols: ['AAPL', 'MSFT'] } }, output: { bars: { AAPL: bar } } },
  stockBars: { input: { query: barsQuery }, output: { bars: { AAPL: [bar] }, next_page_token: null } },
  stockBarSingle: {
    input: { params: { symbol: 'AAPL' }, query: { timeframe: '1Day', start: '2026-11-02' } },
    output: { symbol: 'AAPL', bars: [bar], next_page_token: null },
  },
  stockCandles: {
    input: { query: barsQuery },
    output: {
      candles: {
        AAPL: {
          time: [1793595600000],
          open: [186.2],
          high: [189.1],
          low: [185.9],
          close: [188.5],
          volume: [1204511],
        },
      },
      next_page_token: null,
    },
  },
  getOAuthClient: {
    input: { params: { client_id: oauthRequest.client_id }, query: { response_type: 'code' } },
    output: {
      client_id: oauthRequest.client_id,
      name: 'TradingApp',
      description: 'Charts that trade',
      url: 'https://app.example',
      terms_of_use: '',
      privacy_policy: '',
      status: 'ACTIVE',
      redirect_uri: [oauthRequest.redirect_uri],
      live_trading_approved: true,
    },
  },
  authorizeOAuthToken: {
    input: { body: oauthRequest },
    output: {
      code: '67f74f5a-a2cc-4ebd-88b4-22453fe07994',
      client_id: oauthRequest.client_id,
      redirect_uri: oauthRequest.redirect_uri,
      scope: oauthRequest.scope,
    },
  },
  issueOAuthToken: {
    input: { body: oauthRequest },
    output: {
      access_token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1',
      token_type: 'Bearer',
      scope: oauthRequest.scope,
    },
  },
  exchangeOAuthCode: {
    input: {
      body: {
        grant_type: 'authorization_code',
        code: '67f74f5a-a2cc-4ebd-88b4-22453fe07994',
        client_id: oauthRequest.client_id,
        client_secret: oauthRequest.client_secret,
        redirect_uri: oauthRequest.redirect_uri,
      },
    },
    output: {
      access_token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1',
      token_type: 'bearer',
      scope: oauthRequest.scope,
    },
  },
  revokeOAuthToken: {
    input: { body: { token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1', ...oauthClient } },
    output: {},
  },
  introspectOAuthToken: {
    input: { body: { token: '8f9e0d1c-2b3a-4958-8677-a6b5c4d3e2f1', ...oauthClient } },
    output: {
      active: true,
      scope: oauthRequest.scope,
      client_id: oauthRequest.client_id,
      token_type: 'bearer',
      iat: 1793631600,
      sub: accountId,
      iss: 'http://localhost:4010',
      accounts: [{ id: accountId, env: 'paper' }],
    },
  },
  getOAuthMetadata: {
    input: {},
    output: {
      issuer: 'http://localhost:4010',
      authorization_endpoint: 'http://localhost:4010/oauth/authorize',
      token_endpoint: 'http://localhost:4010/oauth/token',
      revocation_endpoint: 'http://localhost:4010/oauth/revoke',
      introspection_endpoint: 'http://localhost:4010/oauth/introspect',
      service_documentation: 'http://localhost:4010/docs',
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      scopes_supported: ['account:write', 'trading', 'data', 'tokenization', 'general'],
      authorization_response_iss_parameter_supported: true,
    },
  },
  postTokenizationMint: {
    input: {
      headers: { 'idempotency-key': '0192f0c1-2345-7abc-8def-0123456789ab' },
      body: {
        underlying_symbol: 'AAPL',
        qty: '1.5',
        issuer: 'xstocks',
        network: 'solana',
        wallet_address: minted.wallet_address,
        client_request_id: 'treasury-17',
      },
    },
    output: minted,
  },
  getTokenizationTokens: { input: { query: { issuer: 'xstocks', network: 'ethereum' } }, output: [token] },
  getTokenizationRequests: {
    input: { query: { type: 'mint', underlying_symbol: 'AAPL' } },
    output: [tokenizationRequest],
  },
  getTokenizationRequest: {
    input: { params: { tokenization_request_id: mintId } },
    output: tokenizationRequest,
  },
  getTokenizationRequestByClientRequestID: {
    input: { query: { client_request_id: 'treasury-17' } },
    output: tokenizationRequest,
  },
  listWorlds: { input: {}, output: [{ ...world, accounts: [inAccount] }] },
  createWorld: {
    input: { body: { world: 'friday', seed: 42, start: '2026-11-06T14:30:00Z', hours: 'nyse' } },
    output: createdWorld,
  },
  getWorld: { input: inFriday, output: { ...world, accounts: [inAccount] } },
  forkWorld: {
    input: { ...inFriday, body: { world: 'friday-b' } },
    output: { ...createdWorld, world: 'friday-b', parent: 'friday' },
  },
  deleteWorld: { input: inFriday, output: undefined },
  getWorldClock: { input: inFriday, output: worldClock },
  freezeClock: { input: inFriday, output: worldClock },
  runClock: {
    input: { ...inFriday, body: { speed: 60 } },
    output: { ...worldClock, frozen: false, speed: 60 },
  },
  advanceClock: {
    input: { ...inFriday, body: { until: 'next_close' } },
    output: {
      world: 'friday',
      from: '2026-11-06T14:30:00Z',
      now: '2026-11-06T21:00:00Z',
      frozen: true,
      seq: 9,
      events: { orderFilled: 1, dayClosed: 1 },
    },
  },
  readAudit: {
    input: inFriday,
    output: {
      world: 'friday',
      sound: true,
      seq: 9,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      postings: 3,
      balances: 6,
      problems: [],
      tokenization: [
        {
          issuer: 'xstocks',
          underlying_symbol: 'AAPL',
          custody: '3.5',
          multiplier: '1/1',
          in_flight: '1',
          tokens: { base: '2', solana: '0.5' },
        },
      ],
    },
  },
  getJournalHead: {
    input: { params: { world: 'main' } },
    output: {
      world: 'main',
      durable: true,
      seq: 9,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  },
  stockTrades: {
    input: { query: { symbols: ['AAPL'], start: '2026-11-02' } },
    output: { trades: { AAPL: [trade] }, next_page_token: null },
  },
  stockTradeSingle: {
    input: { params: { symbol: 'AAPL' }, query: { start: '2026-11-02' } },
    output: { symbol: 'AAPL', trades: [trade], next_page_token: null },
  },
  stockQuotes: {
    input: { query: { symbols: ['AAPL'], start: '2026-11-02' } },
    output: { quotes: { AAPL: [quote] }, next_page_token: null },
  },
  stockQuoteSingle: {
    input: { params: { symbol: 'AAPL' }, query: { start: '2026-11-02' } },
    output: { symbol: 'AAPL', quotes: [quote], next_page_token: null },
  },
  stockSnapshots: { input: { query: { symbols: ['AAPL', 'NONE'] } }, output: { AAPL: snapshot, NONE: null } },
  stockSnapshotSingle: {
    input: { params: { symbol: 'AAPL' }, query: {} },
    output: { symbol: 'AAPL', ...snapshot },
  },
  stockAuctions: {
    input: { query: { symbols: ['AAPL'], start: '2026-11-02' } },
    output: { auctions: { AAPL: [auctions] }, next_page_token: null },
  },
  stockAuctionSingle: {
    input: { params: { symbol: 'AAPL' }, query: { start: '2026-11-02' } },
    output: { symbol: 'AAPL', auctions: [auctions], next_page_token: null },
  },
  cryptoBars: {
    input: { ...inUs, query: { symbols: ['BTC/USD'], timeframe: '1Day' } },
    output: { bars: { 'BTC/USD': [coinBar] }, next_page_token: null },
  },
  cryptoCandles: {
    input: { ...inUs, query: { symbols: ['BTC/USD'], timeframe: '1Day' } },
    output: { candles: { 'BTC/USD': candles }, next_page_token: null },
  },
  cryptoTrades: {
    input: { ...inUs, query: { symbols: ['BTC/USD'] } },
    output: { trades: { 'BTC/USD': [coinTrade] }, next_page_token: null },
  },
  cryptoQuotes: {
    input: { ...inUs, query: { symbols: ['BTC/USD'] } },
    output: { quotes: { 'BTC/USD': [coinQuote] }, next_page_token: null },
  },
  cryptoLatestBars: { input: ofBitcoin, output: { bars: { 'BTC/USD': coinBar } } },
  cryptoLatestTrades: { input: ofBitcoin, output: { trades: { 'BTC/USD': coinTrade } } },
  cryptoLatestQuotes: { input: ofBitcoin, output: { quotes: { 'BTC/USD': coinQuote } } },
  cryptoLatestOrderbooks: {
    input: ofBitcoin,
    output: {
      orderbooks: { 'BTC/USD': { t: placed, b: [{ p: 95010.2, s: 0.41 }], a: [{ p: 95012.7, s: 0.38 }] } },
    },
  },
  cryptoSnapshots: {
    input: ofBitcoin,
    output: {
      snapshots: { 'BTC/USD': { latestTrade: coinTrade, latestQuote: coinQuote, minuteBar: coinBar } },
    },
  },
  stockMetaConditions: {
    input: { params: { ticktype: 'trade' }, query: { tape: 'C' } },
    output: { '@': 'Regular Sale' },
  },
  stockMetaExchanges: { input: {}, output: { Q: 'Nasdaq' } },
  ...emptyExamples,
  listData: { input: {}, output: [series] },
  deleteData: { input: { query: { symbol: 'AAPL', kind: 'bars' } }, output: [{ ...series, worlds: [] }] },
  useData: { input: { ...inFriday, body: { symbols: ['AAPL'] } }, output: [usedSeries] },
  listMarketEvents: { input: inFriday, output: [crash] },
  createMarketEvent: {
    input: { ...inFriday, body: { kind: 'crash', at: '2026-11-06T15:00:00Z', depth: '0.2' } },
    output: crash,
  },
  listCorporateActions: { input: inFriday, output: [corporateSplit] },
  createCorporateAction: {
    input: {
      ...inFriday,
      body: { type: 'forward_split', symbol: 'AAPL', ex_date: '2026-11-10', new_rate: '4', old_rate: '1' },
    },
    output: corporateSplit,
  },
  deleteCorporateAction: {
    input: { params: { world: 'friday', action_id: corporateSplit.id } },
    output: undefined,
  },
  createAsset: {
    input: { ...inFriday, body: { symbol: 'SOFI', price: '12' } },
    output: { ...asset, symbol: 'SOFI', name: 'SOFI' },
  },
  ...pageExamples,
  ...readingExamples,
  listWorldOrders: { input: { ...inFriday, query: { status: 'open' } }, output: [order] },
  getWorldOrder: { input: { params: { world: 'friday', order_id: orderId } }, output: order },
  listWorldAccounts: {
    input: { ...inFriday, query: { limit: 10 } },
    output: [
      {
        ...brokerExamples.getAccountById.output,
        cash: '99437.5',
        equity: '100003',
        buying_power: '399446.5',
        position_market_value: '565.5',
        positions: 1,
      },
    ],
  },
  ...tokenizationExamples,
  ...tokenizationWorldExamples,
  ...brokerExamples,
  ...userExamples,
  ...oauthClientExamples,
  listKeys: { input: inFriday, output: [key] },
  createKey: {
    input: { ...inFriday, body: { kind: 'account' } },
    output: { ...key, secret_key: keyPair.secret_key },
  },
  deleteKey: { input: { params: { world: 'friday', key_id: keyPair.key_id } }, output: undefined },
  getPage: { input: {}, output: '<!doctype html>…' },
  getReference: { input: {}, output: '<!doctype html>…' },
  getOpenApi: { input: {}, output: '{"openapi":"3.1.0", …}' },
  getHealth: { input: {}, output: { status: 'ok' } },
  getReadiness: { input: {}, output: { status: 'ready' } },
  getMetrics: { input: {}, output: 'quipu_requests_total 1\n' },
  getSecurityText: {
    input: {},
    output: 'Contact: mailto:security@broker.example\nExpires: 2027-05-01T00:00:00.000Z\n',
  },
}

/** The example of the operation that one for partners derives from, with the account in the path. */
const derived = (names: object, suffix: string, params: object): object =>
  Object.fromEntries(
    Object.keys(names).map((name) => {
      const { input, output } = written[name.slice(0, -suffix.length) as keyof typeof written]
      const given = input as { readonly params?: object; readonly headers?: object }
      return [
        name,
        {
          input: { ...given, params: { ...params, ...given.params }, headers: { ...given.headers } },
          output,
        },
      ]
    }),
  )

export const examples = {
  ...written,
  ...derived(tradingAccounts, FOR_ACCOUNT, { account_id: accountId }),
  ...derived(tradingPartners, FOR_PARTNER, {}),
} as { readonly [Name in OperationName]: Example<Name> }
