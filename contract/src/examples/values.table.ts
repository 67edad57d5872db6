import type { OrderRecord } from '../records.ts'

/** Ids, times and records that the examples of several families use. */
export const accountId = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'

export const orderId = '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'

export const assetId = '6f1b1c58-77a1-4f0e-8a0a-0d0b7a5e9c01'

export const partnerId = '1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9'

export const at = '2026-11-02T15:10:15.101202303Z'

export const inFriday = { params: { world: 'friday' } }

export const asset = {
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

export const order: OrderRecord = {
  id: orderId,
  client_order_id: 'my-first-order',
  created_at: at,
  updated_at: at,
  submitted_at: at,
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
