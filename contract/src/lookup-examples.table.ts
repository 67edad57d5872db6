const newYorkExchange = {
  mic: 'XNYS',
  acronym: 'NYSE',
  name: 'New York Stock Exchange',
  timezone: 'America/New_York',
}

/** Calls of what a client looks up: days and clocks. */
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
} as const
