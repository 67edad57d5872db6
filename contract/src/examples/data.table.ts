import type { ExamplesOf } from './example.ts'
import { at } from './values.table.ts'

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

const inUs = { params: { loc: 'us' } } as const

const coinBar = { ...bar, o: 95010.2, h: 95900, l: 94800.5, c: 95012.7, v: 12.0451, vw: 95207.334 }

const candles = {
  time: [1793595600000],
  open: [186.2],
  high: [189.1],
  low: [185.9],
  close: [188.5],
  volume: [1204511],
}

const trade = { t: at, x: 'V', p: 187.5, s: 100, c: ['@'], i: 4211, z: 'C' }

const quote = { t: at, ax: 'V', ap: 187.51, as: 200, bx: 'V', bp: 187.49, bs: 300, c: ['R'], z: 'C' }

const snapshot = { latestTrade: trade, latestQuote: quote, minuteBar: bar, dailyBar: bar, prevDailyBar: bar }

const ofBitcoin = { ...inUs, query: { symbols: ['BTC/USD'] } }

const coinTrade = { t: at, p: 95012.7, s: 0.0213, i: 4211, tks: 'B' } as const

const coinQuote = { t: at, bp: 95010.2, bs: 0.41, ap: 95012.7, as: 0.38 }

const auctions = {
  d: '2026-11-02',
  o: [{ t: '2026-11-02T14:30:00.1Z', x: 'Q', p: 186.2, s: 51200, c: 'O' }],
  c: [{ t: '2026-11-02T21:00:00.2Z', x: 'Q', p: 188.5, s: 90300, c: '6' }],
}

const contract = 'AAPL261218C00250000'

export const dataExamples: ExamplesOf<'data'> = {
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
  stockHalts: {
    input: { query: { symbols: ['AAPL'] } },
    output: {
      halts: {
        AAPL: [
          {
            kind: 'halt',
            status: 'ended',
            from: '2026-11-02T15:05:00Z',
            to: '2026-11-02T15:10:00Z',
            reason: 'news_pending',
          },
        ],
      },
    },
  },
  cryptoBars: {
    input: { ...inUs, query: { symbols: ['BTC/USD'], timeframe: '1Day' } },
    output: { bars: { 'BTC/USD': [coinBar] }, next_page_token: null },
  },
  cryptoCandles: {
    input: { ...inUs, query: { symbols: ['BTC/USD'], timeframe: '1Day' } },
    output: { candles: { 'BTC/USD': candles }, next_page_token: null },
  },
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
  stockSnapshots: { input: { query: { symbols: ['AAPL', 'NONE'] } }, output: { AAPL: snapshot, NONE: null } },
  stockSnapshotSingle: {
    input: { params: { symbol: 'AAPL' }, query: {} },
    output: { symbol: 'AAPL', ...snapshot },
  },
  cryptoLatestBars: { input: ofBitcoin, output: { bars: { 'BTC/USD': coinBar } } },
  cryptoLatestTrades: { input: ofBitcoin, output: { trades: { 'BTC/USD': coinTrade } } },
  cryptoLatestQuotes: { input: ofBitcoin, output: { quotes: { 'BTC/USD': coinQuote } } },
  cryptoLatestOrderbooks: {
    input: ofBitcoin,
    output: {
      orderbooks: { 'BTC/USD': { t: at, b: [{ p: 95010.2, s: 0.41 }], a: [{ p: 95012.7, s: 0.38 }] } },
    },
  },
  cryptoSnapshots: {
    input: ofBitcoin,
    output: {
      snapshots: { 'BTC/USD': { latestTrade: coinTrade, latestQuote: coinQuote, minuteBar: coinBar } },
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
  cryptoTrades: {
    input: { ...inUs, query: { symbols: ['BTC/USD'] } },
    output: { trades: { 'BTC/USD': [coinTrade] }, next_page_token: null },
  },
  cryptoQuotes: {
    input: { ...inUs, query: { symbols: ['BTC/USD'] } },
    output: { quotes: { 'BTC/USD': [coinQuote] }, next_page_token: null },
  },
  stockAuctions: {
    input: { query: { symbols: ['AAPL'], start: '2026-11-02' } },
    output: { auctions: { AAPL: [auctions] }, next_page_token: null },
  },
  stockAuctionSingle: {
    input: { params: { symbol: 'AAPL' }, query: { start: '2026-11-02' } },
    output: { symbol: 'AAPL', auctions: [auctions], next_page_token: null },
  },
  stockMetaConditions: {
    input: { params: { ticktype: 'trade' }, query: { tape: 'C' } },
    output: { '@': 'Regular Sale' },
  },
  stockMetaExchanges: { input: {}, output: { Q: 'Nasdaq' } },
  mostActives: {
    input: { query: {} },
    output: {
      most_actives: [{ symbol: 'NVDA', volume: 168203911, trade_count: 214380 }],
      last_updated: at,
    },
  },
  movers: {
    input: { params: { market_type: 'stocks' }, query: {} },
    output: {
      gainers: [{ symbol: 'PLUG', price: 2.61, change: 0.21, percent_change: 8.75 }],
      losers: [{ symbol: 'MARA', price: 12.11, change: -0.89, percent_change: -6.85 }],
      market_type: 'stocks',
      last_updated: at,
    },
  },
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
  corporateActions: {
    input: { query: { symbols: ['AAPL'], types: ['cash_dividend'] } },
    output: { corporate_actions: {}, next_page_token: null },
  },
  corporateActionsAlias: { input: { query: {} }, output: { corporate_actions: {}, next_page_token: null } },
}
