const accountId = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
const watchlistId = '3f1d6c52-8a77-4c0e-9d55-1b2a3c4d5e6f'
const made = '2026-11-02T15:10:15.101202303Z'

const asset = {
  id: '6f1b1c58-77a1-4f0e-8a0a-0d0b7a5e9c01',
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

const bareWatchlist = {
  id: watchlistId,
  account_id: accountId,
  name: 'Fruit',
  created_at: made,
  updated_at: made,
}
const watchlist = { ...bareWatchlist, assets: [asset] }
const byId = { params: { id: watchlistId } }
const byName = { query: { name: 'Fruit' } }

const newYorkExchange = {
  mic: 'XNYS',
  acronym: 'NYSE',
  name: 'New York Stock Exchange',
  timezone: 'America/New_York',
}

/** Calls of what a client looks up: bonds, days, clocks and watchlists. */
export const lookupExamples = {
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
  listTreasuries: { input: { query: {} }, output: { us_treasuries: [] } },
  listCorporates: { input: { query: {} }, output: { us_corporates: [] } },
  listWatchlists: { input: {}, output: [bareWatchlist] },
  createWatchlist: { input: { body: { name: 'Fruit', symbols: ['AAPL'] } }, output: watchlist },
  getWatchlist: { input: byId, output: watchlist },
  updateWatchlist: { input: { ...byId, body: { name: 'Fruit', symbols: ['AAPL'] } }, output: watchlist },
  addToWatchlist: { input: { ...byId, body: { symbol: 'AAPL' } }, output: watchlist },
  deleteWatchlist: { input: byId, output: undefined },
  removeFromWatchlist: {
    input: { params: { id: watchlistId, symbol: 'MSFT' } },
    output: watchlist,
  },
  getWatchlistByName: { input: byName, output: watchlist },
  updateWatchlistByName: { input: { ...byName, body: { symbols: ['AAPL'] } }, output: watchlist },
  addToWatchlistByName: { input: { ...byName, body: { symbol: 'AAPL' } }, output: watchlist },
  deleteWatchlistByName: { input: byName, output: undefined },
} as const
