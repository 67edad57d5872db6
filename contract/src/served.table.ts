import type { State } from './operation.ts'
import { orderTypeNames, timesInForce } from './operations/trading/order-types.ts'
import { type DataStream, dataStreams, tradeUpdatesChannel, tradeUpdatesPath } from './streams/index.ts'

/**
 * The supported stream channels and order kinds. Operations declare their support themselves.
 * A part of the protocol that is not in this table is absent.
 */
export const servedChannels: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  [tradeUpdatesPath]: working([tradeUpdatesChannel]),
  ...Object.fromEntries(
    Object.values<DataStream>(dataStreams).map(({ path, channels, state }) => [path, allIn(channels, state)]),
  ),
}

export const servedOrderKinds: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  type: working(orderTypeNames),
  time_in_force: working(timesInForce),
  order_class: { ...working(['simple', 'bracket', 'oco', 'oto']), mleg: 'refused' },
  size: working(['whole qty', 'fractional qty', 'notional']),
  'asset class': { ...working(['us_equity', 'crypto']), us_option: 'refused' },
  extra: working(['extended_hours', 'short sale', 'position_intent', 'replace']),
}

function working(things: readonly string[]): Readonly<Record<string, State>> {
  return allIn(things, 'works')
}

function allIn(things: readonly string[], state: State): Readonly<Record<string, State>> {
  return Object.fromEntries(things.map((thing) => [thing, state]))
}
