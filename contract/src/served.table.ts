import type { State } from './operation.ts'

/**
 * What of the streams and of the kinds of orders is served, beside the operations, which say it themselves.
 * Whatever the protocol has and this table lacks is absent.
 */
export const servedChannels: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  '/stream': { trade_updates: 'works' },
  '/v2/sip': stockStream(),
  '/v2/iex': stockStream(),
  '/v2/delayed_sip': stockStream(),
}

export const servedOrderKinds: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  type: {
    market: 'works',
    limit: 'works',
    stop: 'refused',
    stop_limit: 'refused',
    trailing_stop: 'refused',
  },
  time_in_force: {
    day: 'works',
    gtc: 'works',
    opg: 'refused',
    cls: 'refused',
    ioc: 'refused',
    fok: 'refused',
  },
  order_class: { simple: 'works', bracket: 'refused', oco: 'refused', oto: 'refused', mleg: 'refused' },
  size: { 'whole qty': 'works', 'fractional qty': 'works', notional: 'refused' },
  'asset class': { us_equity: 'works' },
  extra: { extended_hours: 'works', 'short sale': 'refused', position_intent: 'works' },
}

/** Subscriptions to every channel are acknowledged; only bars carry data so far. */
function stockStream(): Readonly<Record<string, State>> {
  return {
    bars: 'works',
    trades: 'empty',
    quotes: 'empty',
    updatedBars: 'empty',
    dailyBars: 'empty',
    statuses: 'empty',
    lulds: 'empty',
    imbalances: 'empty',
    corrections: 'empty',
    cancelErrors: 'empty',
  }
}
