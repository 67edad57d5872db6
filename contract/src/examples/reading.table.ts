import { brokerExamples } from './broker.table.ts'
import type { ExamplesOf } from './example.ts'
import { tradingExamples } from './trading.table.ts'
import { accountId, inFriday, order, orderId } from './values.table.ts'

const fridayList = { params: { world: 'friday' }, headers: {} }

const requestId = '9f86d081884c7d659a2feaa0c55ad015'

const at = '2026-11-06T15:10:15.101202303Z'

const event = {
  number: 42,
  at,
  kind: 'orderCanceled',
  account_id: accountId,
  order_id: orderId,
  request_id: requestId,
  event: { kind: 'orderCanceled', at, accountId, orderId, why: 'asked' },
}

const leg = {
  number: 43,
  leg: 0,
  at,
  kind: 'orderFilled',
  ledger_account: `customer:${accountId}:unsettled`,
  account_id: accountId,
  asset: 'USD',
  amount: '-563.25',
  order_id: orderId,
  symbol: 'AAPL',
  qty: '3',
  price: '187.75',
  execution_id: '5b0f4f4e-3f0b-4a8e-9d5b-0c6f2a1d7e88',
}

const request = {
  number: 17,
  request_id: requestId,
  at: '2026-11-15T08:00:01.250Z',
  method: 'DELETE',
  path: `/v2/orders/${orderId}`,
  operation: 'cancelOrder',
  source: 'dashboard',
  status: 204,
  ms: 1.27,
  key_id: 'PKEXAMPLE00000000000',
  account_id: accountId,
  seq: 42,
} as const

const placed = {
  number: 16,
  request_id: '4e07408562bedb8b60ce05c1decfe3ad',
  at: '2026-11-15T08:00:00.750Z',
  method: 'POST',
  path: '/v2/orders',
  body: '{"symbol":"AAPL","qty":"3","side":"buy","type":"limit","time_in_force":"day","limit_price":"187.5"}',
  address: '127.0.0.1',
  agent: 'alpaca-trade-api/3',
  source: 'program',
  operation: 'placeOrder',
  status: 200,
  ms: 1.61,
  key_id: 'PKEXAMPLE00000000000',
  account_id: accountId,
  seq: 41,
} as const

const entry = {
  number: 42,
  at,
  kind: 'orderCanceled',
  request_id: requestId,
  operation: 'cancelOrder',
  caller: 'key',
  key_id: 'PKEXAMPLE00000000000',
  account_id: accountId,
  address: '203.0.113.7',
} as const

export const readingExamples: ExamplesOf<'reading'> = {
  listEvents: {
    input: { ...fridayList, query: { order_id: orderId, limit: 100 } },
    output: {
      events: [event],
      next_cursor: null,
    },
  },
  listPostings: {
    input: { ...fridayList, query: { account_id: accountId, asset: 'USD', format: 'json' } },
    output: { postings: [leg], next_cursor: '43' },
  },
  listBalances: {
    input: { ...fridayList, query: { account_id: accountId } },
    output: {
      balances: [
        {
          ledger_account: `customer:${accountId}:settled`,
          account_id: accountId,
          asset: 'USD',
          amount: '99436.75',
        },
      ],
      number: 43,
      next_cursor: null,
    },
  },
  listRequests: {
    input: { ...fridayList, query: { last: 100, method: 'POST', path: '/v2/orders' } },
    output: { requests: [placed], next_cursor: null },
  },
  getRequest: {
    input: { params: { world: 'friday', request_id: requestId } },
    output: { request, events: [event], postings: [], order_ids: [orderId] },
  },
  listFrames: {
    input: { params: { world: 'friday' }, query: { order_id: orderId } },
    output: {
      frames: [
        {
          number: 42,
          at,
          account_id: accountId,
          order_id: orderId,
          request_id: requestId,
          stream: 'trade_updates',
          event: 'canceled',
          data: { at, event: 'canceled', timestamp: at, order: { id: orderId, status: 'canceled' } },
        },
      ],
    },
  },
  listSockets: {
    input: { params: { world: 'friday' }, query: { limit: 100 } },
    output: {
      sockets: [
        {
          id: '7',
          endpoint: '/stream',
          key_id: 'PKEXAMPLE00000000000',
          account_id: accountId,
          address: '127.0.0.1',
          opened_at: '2026-11-15T08:00:00Z',
          subscriptions: { trade_updates: ['*'] },
          symbols: 1,
          sent_messages: 5,
          sent_bytes: 4211,
          waiting_bytes: 0,
          lag_ms: 0,
        },
      ],
      next_cursor: null,
    },
  },
  closeSocket: { input: { params: { world: 'friday', socket_id: '7' } }, output: undefined },
  listAuditLog: {
    input: { ...fridayList, query: { account_id: accountId, since: '2026-11-06T00:00:00Z' } },
    output: { entries: [entry], next_cursor: null },
  },
  eraseAddresses: {
    input: { body: { address: '203.0.113.7' } },
    output: { erased: 3 },
  },
  getWorldDifference: {
    input: { params: { world: 'friday' }, query: { against: 'friday-b' } },
    output: {
      time: '2026-11-06T15:30:00Z',
      tips_apart_ms: -60_000,
      world: {
        world: 'friday',
        account_id: accountId,
        now: '2026-11-06T15:31:00Z',
        event: 45,
        equity: '100003',
        cash: '99434.5',
      },
      against: {
        world: 'friday-b',
        account_id: accountId,
        now: '2026-11-06T15:30:00Z',
        event: 43,
        equity: '100000',
        cash: '100000',
      },
      common_past: { event: 41, time: '2026-11-06T15:10:00Z' },
      same_market: true,
      rows: [
        {
          placed_at: at,
          symbol: 'AAPL',
          side: 'buy',
          matched_by: null,
          differs: ['existence'],
          world_order: {
            order_id: orderId,
            client_order_id: 'my-1',
            type: 'limit',
            time_in_force: 'day',
            qty: '3',
            notional: null,
            limit_price: '187.75',
            stop_price: null,
            trail_price: null,
            trail_percent: null,
            status: 'filled',
            filled_qty: '3',
            filled_avg_price: '187.5',
            updated_at: '2026-11-06T15:10:15.2Z',
            fills: [{ at: '2026-11-06T15:10:15.2Z', qty: '3', price: '187.5' }],
          },
          against_order: null,
          price: '188.5',
          equity_change: '-3',
        },
      ],
      rest: { kind: 'other', equity_change: '0' },
      equity_change: '-3',
    },
  },
  whatIfOrder: {
    input: {
      params: { world: 'friday', order_id: orderId },
      query: { limit_prices: ['188.02', '187.7', '187.5'] },
    },
    output: {
      world: 'friday',
      order_id: orderId,
      symbol: 'AAPL',
      side: 'buy',
      qty: '3',
      limit_price: '187.5',
      from: at,
      to: '2026-11-06T21:00:00Z',
      exact: true,
      complete: true,
      fills: [
        {
          limit_price: '188.02',
          outcome: 'filled',
          filled_qty: '3',
          filled_avg_price: '188.02',
          first_at: at,
          last_at: at,
        },
        {
          limit_price: '187.7',
          outcome: 'filled',
          filled_qty: '3',
          filled_avg_price: '187.69',
          first_at: '2026-11-06T16:02:11.4Z',
          last_at: '2026-11-06T16:02:11.4Z',
        },
        { limit_price: '187.5', outcome: 'not_filled', filled_qty: '0' },
      ],
    },
  },
  whatIfRequest: {
    input: { params: { world: 'friday', request_id: requestId }, query: { limit_prices: ['188.02'] } },
    output: {
      world: 'friday',
      request_id: requestId,
      symbol: 'AAPL',
      side: 'buy',
      qty: '3000',
      limit_price: '187.5',
      from: at,
      to: '2026-11-06T21:00:00Z',
      exact: true,
      complete: true,
      fills: [
        {
          limit_price: '188.02',
          outcome: 'filled',
          filled_qty: '3000',
          filled_avg_price: '188.02',
          first_at: at,
          last_at: at,
        },
      ],
    },
  },
  explainOrder: {
    input: { params: { world: 'friday', order_id: orderId } },
    output: {
      world: 'friday',
      order_id: orderId,
      request_id: requestId,
      account_id: accountId,
      outcome: 'open',
      summary: 'buy 3 AAPL at 187.5 or better, good for the day: open, nothing filled yet',
      steps: [
        {
          code: 'buyingPower',
          at,
          number: 41,
          request_id: requestId,
          numbers: {
            reference: '187.5',
            cost: '562.5',
            buying_power: '400000',
            multiplier: '4',
            left: '399437.5',
          },
          sentence: '3 at 187.5 take 562.5 of a buying power of 400000 (4 times margin): enough.',
        },
      ],
      counterfactual: [
        {
          code: 'limitAtOnce',
          at,
          numbers: { limit_price: '188.02', side: 'buy' },
          sentence: 'A limit of 188.02 or more would have filled at once.',
        },
      ],
      quotes: [
        {
          at,
          relation: 'arrival',
          price: '188.02',
          size: '300',
          bid: '187.98',
          bid_size: '200',
          ask: '188.02',
          ask_size: '300',
          missed_by: '0.52',
        },
      ],
    },
  },
  explainRequest: {
    input: { params: { world: 'friday', request_id: requestId } },
    output: {
      world: 'friday',
      request_id: requestId,
      account_id: accountId,
      outcome: 'refused',
      summary: 'buy 3000 AAPL at 187.5 or better, good for the day: refused, insufficient buying power',
      steps: [
        {
          code: 'insufficientBuyingPower',
          at,
          numbers: {
            buying_power: '400000',
            cost_basis: '562500',
            status: '403',
            code: '40310000',
            message: 'insufficient buying power',
          },
          sentence: 'Refused: insufficient buying power.',
        },
      ],
      counterfactual: [],
      quotes: [],
    },
  },
  listWorldAccounts: {
    input: { ...inFriday, query: { limit: 10 } },
    output: [
      {
        ...brokerExamples.getAccountById.output,
        name: 'Ada',
        cash: '99437.5',
        equity: '100003',
        buying_power: '399446.5',
        position_market_value: '565.5',
        positions: 1,
      },
    ],
  },
  getAccountGain: {
    input: { params: { world: 'friday', account_id: accountId } },
    output: { at: '2026-01-02T15:00:00Z', equity: '100003', transferred: '100000', gain: '3' },
  },
  getAccountSnapshot: {
    input: {
      params: { world: 'friday', account_id: accountId },
      query: { symbols: ['AAPL'], event: 42 },
    },
    output: {
      time: '2026-11-06T15:10:15.101202304Z',
      event: 42,
      account: tradingExamples.getAccount.output,
      gain_today: '3',
      positions: tradingExamples.listPositions.output,
      orders: [order],
      open_orders: 1,
      activities: tradingExamples.listActivities.output,
      prices: [
        {
          symbol: 'AAPL',
          bid: '188.49',
          bid_size: '300',
          ask: '188.51',
          ask_size: '200',
          quote_at: at,
          last: '188.5',
          last_size: '100',
          last_at: at,
          previous_close: '187.2',
        },
      ],
    },
  },
  listWorldOrders: {
    input: { ...fridayList, query: { status: 'open' } },
    output: [{ account_id: accountId, ...order }],
  },
  getWorldOrder: {
    input: { params: { world: 'friday', order_id: orderId } },
    output: { account_id: accountId, ...order },
  },
}
