import type { State } from './operation.ts'
import { cryptoChannels, dataStreams, stockChannels } from './streams/index.ts'

/**
 * What of the streams and of the kinds of orders is served, beside the operations, which say it themselves.
 * Whatever the protocol has and this table lacks is absent.
 */
export const servedChannels: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  '/stream': { trade_updates: 'works' },
  '/v2/sip': working(stockChannels),
  '/v2/iex': working(stockChannels),
  '/v2/delayed_sip': working(stockChannels),
  '/v1beta1/boats': silent(stockChannels),
  '/v1beta1/overnight': silent(stockChannels),
  '/v2/test': { trades: 'works', quotes: 'works', bars: 'works' },
  '/v1beta3/crypto/{loc}': working(cryptoChannels),
  '/v1beta1/crypto-perps/{loc}': silent(dataStreams.perps.channels),
  '/v1beta1/indicative': silent(dataStreams.indicative.channels),
  '/v1beta1/opra': silent(dataStreams.opra.channels),
  '/v1beta1/news': silent(dataStreams.news.channels),
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

/** Subscriptions are acknowledged and carry data. */
function working(channels: readonly string[]): Readonly<Record<string, State>> {
  return Object.fromEntries(channels.map((channel) => [channel, 'works'] as const))
}

/** Subscriptions are acknowledged and stay silent. */
function silent(channels: readonly string[]): Readonly<Record<string, State>> {
  return Object.fromEntries(channels.map((channel) => [channel, 'empty'] as const))
}
