import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  decimal,
  integer,
  isPositive,
  moment,
  number,
  oneOf,
  optional,
  record,
  sentDate,
  text,
  timestamp,
} from '../../shape/index.ts'
import { AssetShape } from '../trading/assets.ts'
import { operatorOnly, worldParam } from './world-param.ts'

const kinds = ['halt', 'pause', 'crash', 'gap', 'thin', 'missing', 'late', 'mistakes'] as const

export const haltReasons = [
  'news_pending',
  'news_released',
  'operational',
  'circuit_breaker_1',
  'circuit_breaker_2',
  'circuit_breaker_3',
] as const

const kind = oneOf(...kinds).about(
  'halt: trading stops from `from` to `to`. pause: the price leaves its band at `at` and trading stops for `minutes`, at most until the close. ' +
    'crash: the price falls by `depth` at `at`. gap: the session of `on` opens `percent` away from its normal price. ' +
    'thin: spreads are `times` as wide. missing: a `share` of minutes has no trades. late: a `share` of trades is ' +
    'reported late. mistakes: a `share` of trades is corrected or canceled.',
)

/** Required fields by kind. */
const requiredFields: Readonly<Record<(typeof kinds)[number], readonly string[]>> = {
  halt: ['symbol', 'from', 'to'],
  pause: ['symbol', 'at'],
  crash: ['at', 'depth'],
  gap: ['on', 'percent'],
  thin: ['times'],
  missing: ['share'],
  late: ['share'],
  mistakes: ['share'],
}

const sixDecimals = () => optional(decimal({ decimals: 6 }))

export const NewMarketEvent = record({
  kind,
  symbol: optional(text({ min: 1, max: 20 })).about('Affected symbol. Default: every stock.'),
  from: optional(moment()).about('Start (inclusive). Required for halt.'),
  to: optional(moment()).about('End (exclusive). Required for halt.'),
  at: optional(moment()).about('Start of a pause or crash. A crash of stocks must be in a regular session.'),
  on: optional(sentDate()).about('Day of a gap. For stocks, a trading day.'),
  reason: optional(oneOf(...haltReasons)).about('Reason of a halt. Default: news_pending.'),
  minutes: optional(integer({ min: 1, max: 120 })).about('Duration. Default: 5 for pause, 10 for crash.'),
  limit: optional(oneOf('up', 'down')).about('Limit that a pause reaches. Default: down.'),
  percent: sixDecimals().about(
    'pause: width of the band, 1 to 50, default 5. gap: change of the price, -90 to 400.',
  ),
  depth: sixDecimals().about('Fraction of the price that a crash loses, 0.01 to 0.9.'),
  recovers: optional(bool()).about('Whether the price recovers from a crash. Default: true.'),
  times: sixDecimals().about('Factor of the spreads, 1 to 100.'),
  share: sixDecimals().about('Fraction, 0 to 0.9.'),
})
  .refine((event) => {
    const fields: Readonly<Record<string, unknown>> = event
    const missing = requiredFields[event.kind]?.find((field) => fields[field] === undefined)
    return missing === undefined
      ? undefined
      : { field: missing, message: `${missing}: required for kind ${event.kind}` }
  })
  .named('NewMarketEvent')

export const MarketEventShape = record({
  id: text().about('Number of the event in its world, from 1. It is not reused.'),
  status: oneOf('pending', 'active', 'done').about(
    'pending: the event has not begun. active: it affects prices now. done: it has ended.',
  ),
  kind: oneOf(...kinds),
  symbol: optional(text()),
  from: optional(timestamp()),
  to: optional(timestamp()),
  at: optional(timestamp()),
  on: optional(date()),
  reason: optional(oneOf(...haltReasons)),
  minutes: optional(integer()),
  limit: optional(oneOf('up', 'down')),
  percent: optional(number()),
  depth: optional(number()),
  recovers: optional(bool()),
  times: optional(number()),
  share: optional(number()),
}).named('MarketEvent')

const shared = { ...operatorOnly, params: record(worldParam) } as const

export const marketEvents = {
  listMarketEvents: operation('GET /sim/v1/worlds/{world}/market-events', shared, {
    summary: 'List market events of a world, without removed ones.',
    output: array(MarketEventShape),
    errors: ['worldNotFound'],
  }),
  createMarketEvent: operation('POST /sim/v1/worlds/{world}/market-events', shared, {
    needsSim: true,
    summary: 'Create a market event. Past prices do not change.',
    body: NewMarketEvent,
    output: MarketEventShape,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'marketFollowed',
      'replayMarketFixed',
      'assetNotFound',
      'marketEventInvalid',
      'marketEventInPast',
    ],
  }),
  deleteMarketEvent: operation('DELETE /sim/v1/worlds/{world}/market-events/{event_id}', shared, {
    needsSim: true,
    summary: 'Remove a market event that has not begun. Prices of the next minute do not change.',
    params: record({ ...worldParam, event_id: text({ min: 1, max: 20 }) }),
    errors: ['worldNotFound', 'marketFollowed', 'marketEventNotFound', 'marketEventBegun'],
  }),
}

const NewAsset = record({
  symbol: text({ min: 1, max: 20, example: 'SOFI' }).about(
    'Stock such as SOFI or BRK.B, or crypto pair such as PEPE/USD.',
  ),
  price: optional(decimal().where(isPositive, 'price must be > 0')).about(
    'Current price in dollars. Default: derived from the symbol.',
  ),
  name: optional(text({ min: 1, max: 200 })),
  tradable: optional(bool()).about('Can be traded. Default: true.'),
  fractionable: optional(bool()).about('Fractions can be traded. Default: true.'),
  shortable: optional(bool()).about('Can be sold short. Default: true; never for crypto.'),
  marginable: optional(bool()).about('Can be bought on margin. Default: true; never for crypto.'),
}).named('NewAsset')

const WorldSymbols = record({
  any: bool().about('Whether the world lists unknown US tickers on first use.'),
  listed: array(text()).about('Symbols listed on first use, oldest first.'),
  limit: integer().about('How many the world lists at most.'),
  unknown: array(
    record({ symbol: text(), requests: integer().about('Requests and subscriptions that named it.') }),
  ).about(
    'At most 1000 symbols that clients named and that the world does not have, since this process opened it.',
  ),
}).named('WorldSymbols')

export const worldAssets = {
  getWorldSymbols: operation('GET /sim/v1/worlds/{world}/symbols', shared, {
    summary: 'Get the symbols that a world listed on first use, and unknown symbols that clients named.',
    output: WorldSymbols,
    errors: ['worldNotFound'],
  }),
  createAsset: operation('POST /sim/v1/worlds/{world}/assets', shared, {
    summary: 'Add a symbol to a world, with generated price history.',
    body: NewAsset,
    output: AssetShape,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'marketFollowed',
      'replayMarketFixed',
      'assetSymbolTaken',
      'assetSymbolInvalid',
      'assetPriceInvalid',
    ],
  }),
}
