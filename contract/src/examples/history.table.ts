import type { CallOf, OutputOf } from '../operations.ts'

const orderId = '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'
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

type Names =
  | 'listActivities'
  | 'listActivitiesByType'
  | 'getPortfolioHistory'
  | 'streamTradeEvents'
  | 'streamTradeEventsBroker'
  | 'streamActivityEvents'
  | 'streamTokenizationEvents'
  | 'streamTokenizationEventsBroker'

/** Calls of what an account's past is asked for with. */
export const historyExamples: {
  readonly [Name in Names]: { readonly input: CallOf<Name>; readonly output: OutputOf<Name> }
} = {
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
}
