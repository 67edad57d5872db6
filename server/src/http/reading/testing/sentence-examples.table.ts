import type { StepCode, Values } from '../explain/sentences.table.ts'

const T1 = '2026-11-02T15:00:00Z'
const T2 = '2026-11-02T21:00:00Z'
const quote = { bid: '99.98', bid_size: '200', ask: '100.01', ask_size: '300', quote_at: T1 }
const quoted = 'bid 99.98 × 200, ask 100.01 × 300'
const day = { symbol: 'AAPL', side: 'buy', type: 'market', time_in_force: 'day' }
const fill = {
  side: 'buy',
  qty: '3',
  price: '100.01',
  filled_at: T1,
  ...quote,
  queue_ahead: '0',
  remaining_qty: '0',
}
const [one, two] = ['0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11', '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b']

/** Numbers and sentence of every kind of step; a new code needs a row. */
export const sentenceExamples: { readonly [Code in StepCode]: readonly (readonly [Values, string])[] } = {
  placed: [
    [
      { ...day, qty: '3', limit_price: '187.5' },
      'Accepted: buy 3 AAPL at 187.5 or better, good for the day.',
    ],
    [{ ...day, notional: '50.5' }, 'Accepted: buy AAPL for 50.5 USD at the market, good for the day.'],
    [
      { ...day, qty: '1', stop_price: '190', order_class: 'bracket' },
      'Accepted: buy 1 AAPL at the market once 190 is traded, good for the day, bracket.',
    ],
  ],
  asked: [
    [
      { ...day, type: 'trailing_stop', qty: '1', trail_percent: '2.5' },
      'Requested: buy 1 AAPL at the market once the market turns by 2.5 %, good for the day.',
    ],
  ],
  askedReplace: [
    [
      { order_id: one, qty: '2', limit_price: '3.5' },
      `Requested: replace order ${one} with quantity 2, limit 3.5.`,
    ],
    [{ order_id: one }, `Requested: replace order ${one}.`],
  ],
  askedCancel: [[{ order_id: one }, `Requested: cancel order ${one}.`]],
  askedClose: [
    [{ symbol: 'KO' }, 'Requested: close all of the position in KO.'],
    [{ symbol: 'KO', percentage: '12.5' }, 'Requested: close 12.5 % of the position in KO.'],
  ],
  session: [
    [
      { session: 'regular', way: 'at_once', due_at: T1 },
      'The regular session was on. It goes to the market at once.',
    ],
    [
      { session: 'closed', way: 'queued', due_at: T1, trades_from: T2 },
      `The market was closed. It is queued and leaves for the market at ${T1}. It trades from ${T2} on.`,
    ],
    [{ way: 'held', due_at: T1 }, 'It waits for the order it belongs to.'],
    [
      { session: 'always', way: 'delayed', due_at: T1 },
      `It trades at any hour. It reaches the market at ${T1}.`,
    ],
  ],
  tradingHours: [
    [{ trades_now: 'true' }, 'The market was open for this order.'],
    [{ trades_now: 'false' }, 'The market was closed for this order: it would have been queued.'],
  ],
  market: [
    [{ ...quote, traded: '100' }, `The market showed ${quoted}, last trade 100.`],
    [{ traded: '100' }, 'The market showed last trade 100.'],
  ],
  buyingPower: [
    [
      {
        qty: '3',
        reference: '187.5',
        cost: '562.5',
        buying_power: '400000',
        multiplier: '4',
        left: '399437.5',
      },
      '3 at 187.5 take 562.5 of a buying power of 400000 (4 times margin): enough.',
    ],
    [{ cost: '50', buying_power: '60', left: '10' }, 'It takes 50 of a buying power of 60: enough.'],
    [{ cost: '61', buying_power: '60', missing: '1' }, 'It takes 61; the buying power was 60: 1 too little.'],
  ],
  balance: [
    [
      { symbol: 'USD', balance: '60', available: '50', requested: '61' },
      'It takes 61 USD; of 60, 50 are available.',
    ],
  ],
  shares: [
    [{ qty: '2', position: '5', available: '3' }, 'It closes 2; 3 of a position of 5 were available.'],
    [
      { position: '5', held_for_orders: '1', held_for_mints: '2', available: '2.5', requested: '9' },
      'Of 5 held, 1 are reserved for other orders and 2 for mint requests: 2.5 are available, 9 were requested.',
    ],
  ],
  timeInForce: [
    [
      { time_in_force: 'day', expires_at: T2, extended_hours: 'false' },
      `Good for the day: it expires at ${T2}, the end of the regular session.`,
    ],
    [{ time_in_force: 'gtc', expires_at: T2 }, `Good till canceled: it is canceled by age at ${T2}.`],
    [
      { time_in_force: 'fok', expires_at: T2 },
      'Fill or kill: the first quote fills all of it, or it is canceled.',
    ],
  ],
  trigger: [
    [
      { side: 'sell', stop_price: '90.5', hwm: '95' },
      'It waits for a trade at 90.5 or below, a price that follows the market; only trades of the regular session count.',
    ],
  ],
  replaces: [[{ order_id: one }, `It replaces order ${one}.`]],
  group: [
    [
      { order_class: 'bracket', role: 'entry', leg_ids: `${one},${two}` },
      `It is the entry of a bracket order, with ${one} and ${two}.`,
    ],
    [
      { order_class: 'oco', role: 'stopLoss', parent_id: one },
      `It is the stop-loss of an oco order, under ${one}.`,
    ],
  ],
  released: [[{ due_at: T1 }, 'Its session began: it left the queue for the market.']],
  worked: [
    [{}, 'It reached the market.'],
    [
      { side: 'buy', limit_price: '101', ...quote, reached: 'true', time_in_force: 'day' },
      'It reached the market; the ask of 100.01 reached its limit.',
    ],
    [
      { side: 'sell', limit_price: '101', ...quote, reached: 'false', time_in_force: 'day' },
      `It reached the market; the bid of 99.98 was below its limit of 101, so it waits (${quoted}).`,
    ],
  ],
  activated: [[{}, 'The order it belongs to was filled: it works from now on.']],
  armed: [[{}, 'The order it belongs to was filled: its stop is active from now on.']],
  trailed: [
    [
      { moves: '17', hwm: '95', stop_price: '90.5' },
      'The best price reached 95; its stop followed to 90.5 in 17 moves.',
    ],
  ],
  elected: [[{ price: '90.4', size: '5' }, 'A trade at 90.4 reached its stop: it works from now on.']],
  resized: [[{ qty: '2' }, 'It is for 2 now, as the order it belongs to was filled in part.']],
  restated: [[{ action_id: one }, 'A corporate action changed its terms.']],
  filled: [
    [
      { ...fill, volume_cap: 'unlimited' },
      `Bought 3 at 100.01, the ask at ${T1} (${quoted}). The size of fills is not limited in this world. Nothing is left.`,
    ],
    [
      { ...fill, side: 'sell', worse_by: '0.02', volume_cap: '200', queue_ahead: '50', remaining_qty: '7' },
      `Sold 3 at 100.01, 0.02 worse than the bid at ${T1} (${quoted}). The quote had 200 available, of which 50 went to orders ahead of it. 7 are left.`,
    ],
    [
      { ...fill, auction: 'close' },
      'Bought 3 at 100.01, the price of the closing auction. An auction fills the full quantity. Nothing is left.',
    ],
    [
      { ...fill, rests_until: T2, remaining_qty: '1' },
      `Bought 3 at 100.01, the ask at ${T1} (${quoted}). It fills in pieces and rests until ${T2}. 1 are left.`,
    ],
    [
      { ...fill, minute_volume: '900' },
      `Bought 3 at 100.01, the ask at ${T1} (${quoted}). Fills are limited to a share of the volume of the minute, 900. Nothing is left.`,
    ],
  ],
  replaced: [[{ by: one }, `Replaced by order ${one}.`]],
  canceled: [[{ why: 'asked' }, 'Canceled at the request of its owner.']],
  expired: [[{}, 'Expired: its time in force ended.']],
  rejected: [
    [
      { why: 'market', draw: '0.25', share: '0.3' },
      'The market rejected it: the seeded draw 0.25 is below the share 0.3.',
    ],
    [{ why: 'replacement' }, 'Rejected, because the order that it was to replace was not replaced.'],
  ],
  cancelRequested: [
    [
      { confirm_at: T1 },
      `Its owner asked for a cancel; the market decides at ${T1}, and it can fill until then.`,
    ],
  ],
  cancelRejected: [
    [
      { draw: '0.25', share: '0.3' },
      'The market rejected the cancel: the seeded draw 0.25 is below the share 0.3.',
    ],
  ],
  replaceRequested: [
    [
      { by: one, qty: '2' },
      `Its owner asked for a replacement by ${one}; it can fill until the market decides.`,
    ],
  ],
  replaceRejected: [
    [{ by: one, why: 'ended' }, 'It was not replaced, because one of the two orders ended before.'],
  ],
  doneForDay: [
    [{ resumes_at: T2 }, `The market stopped working it; it works again at ${T2}.`],
    [{}, 'The market stopped working it; it expires with its session.'],
  ],
  resumed: [[{}, 'Its next session began: the market works it again.']],
  requeued: [[{}, 'Its rest after a partial fill is over: it can fill again.']],
  liquidation: [
    [
      { value: '5', equity: '900.5', maintenance_margin: '1000' },
      'The broker placed it, because a margin call was not met: the equity 900.5 is below the maintenance margin 1000.',
    ],
  ],
  event: [[{ kind: 'orderSomething' }, 'Another event of the order: orderSomething.']],
  waiting: [
    [
      { for: 'quote', side: 'buy', limit_price: '90', ...quote, orders_ahead: '2', queue_ahead: '7.5' },
      `It waits until the ask, now 100.01, reaches 90 (${quoted}). 2 orders for 7.5 are ahead of it.`,
    ],
    [
      { for: 'quote', side: 'buy', orders_ahead: '0', queue_ahead: '0' },
      'It waits for a quote. No orders are ahead of it.',
    ],
    [{ for: 'session', due_at: T1 }, `It is queued until ${T1}.`],
    [{ for: 'parent' }, 'It waits for the order it belongs to.'],
    [{ for: 'trade', stop_price: '90.5' }, 'It waits for a trade at 90.5.'],
    [{ for: 'rest', rests_until: T1 }, `It rests until ${T1} after a partial fill.`],
    [{ for: 'next_session' }, 'The market does not work it until its next session.'],
    [
      { for: 'replacement', order_id: one, due_at: T1 },
      `It replaces order ${one} when the market agrees, at ${T1}.`,
    ],
    [{ for: 'market', due_at: T1 }, 'It is on its way to the market.'],
  ],
  limitAtOnce: [
    [{ limit_price: '100.01', side: 'buy' }, 'A limit of 100.01 or more would have filled at once.'],
    [
      { limit_price: '99.98', side: 'sell', order_is: 'refused' },
      'A limit of 99.98 or less would have been reached at once.',
    ],
  ],
  limitInLife: [
    [
      { limit_price: '99.5', at: T1, missed_by: '0.3', ...quote },
      `While it worked, a limit of 99.5 would have been reached, at ${T1}; no limit nearer to its own was reached.`,
    ],
  ],
  limitReachedAt: [
    [{ limit_price: '9', order_is: 'refused' }, 'Its limit of 9 would have been reached at once.'],
    [{ limit_price: '9', at: T1, order_is: 'refused' }, `Its own limit of 9 is reached at ${T1}.`],
    [
      { limit_price: '9', at: T1, order_is: 'open' },
      `Its limit of 9 is reached at ${T1}, unless something changes.`,
    ],
    [
      { limit_price: '9', at: T1, order_is: 'closed', is_past: 'true' },
      `If it had stayed open, its limit of 9 would have been reached at ${T1}.`,
    ],
  ],
  limitNotReached: [[{ limit_price: '9', searched_to: T2 }, `Its limit of 9 is not reached up to ${T2}.`]],
  electedAt: [
    [
      { stop_price: '90', price: '89.5', at: T1, order_is: 'open' },
      `A trade at 89.5 at ${T1} elects its stop of 90.`,
    ],
  ],
  stopNotReached: [[{ stop_price: '90', searched_to: T2 }, `Nothing trades at its stop of 90 up to ${T2}.`]],
  auctionAhead: [[{ auction: 'open', at: T1 }, `Its opening auction is at ${T1}.`]],
  limitInAuction: [
    [
      { auction: 'close', limit_price: '90', side: 'sell', at: T1 },
      'The closing auction was held at 90: a limit of that or less would have traded in it.',
    ],
  ],
  quantityPossible: [
    [{ qty: '12', price: '3.5' }, 'At 3.5 the buying power was enough for 12.'],
    [{ qty: '12' }, 'At most 12 could have been ordered.'],
  ],
  notionalPossible: [[{ notional: '60.25' }, 'At most 60.25 USD could have been ordered.']],
  notForeseeable: [[{}, 'The prices of this world come from an upstream provider and cannot be searched.']],
  answered: [
    [
      { method: 'GET', path: '/v2/clock', status: '200' },
      'GET /v2/clock was answered 200; it placed no order.',
    ],
    [
      { method: 'GET', path: '/v2/clock' },
      'GET /v2/clock was closed without a response; it placed no order.',
    ],
  ],
}
