import type { State } from './operation.ts'
import { cryptoChannels, dataStreams, stockChannels } from './streams/index.ts'

/**
 * The supported stream channels and order kinds. Operations declare their support themselves.
 * A part of the protocol that is not in this table is absent.
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
  type: working(['market', 'limit', 'stop', 'stop_limit', 'trailing_stop']),
  time_in_force: working(['day', 'gtc', 'opg', 'cls', 'ioc', 'fok']),
  order_class: { ...working(['simple', 'bracket', 'oco', 'oto']), mleg: 'refused' },
  size: working(['whole qty', 'fractional qty', 'notional']),
  'asset class': { ...working(['us_equity', 'crypto']), us_option: 'refused' },
  extra: working(['extended_hours', 'short sale', 'position_intent', 'replace']),
}

/** Channels: subscriptions are acknowledged and receive data. */
function working(things: readonly string[]): Readonly<Record<string, State>> {
  return Object.fromEntries(things.map((thing) => [thing, 'works'] as const))
}

/** Subscriptions are acknowledged and receive no data. */
function silent(channels: readonly string[]): Readonly<Record<string, State>> {
  return Object.fromEntries(channels.map((channel) => [channel, 'empty'] as const))
}
