import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  decimalText,
  either,
  integer,
  isPositive,
  nullable,
  oneOf,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { keyErrors, keyHeader } from '../broker/idempotency.ts'
import { exchanges, symbolOrAssetId } from './assets.ts'
import { assetClasses, OrderShape } from './order-record.ts'

export const PositionShape = record({
  asset_id: uuid(),
  symbol: text(),
  exchange: oneOf(...exchanges),
  asset_class: oneOf(...assetClasses),
  asset_marginable: bool(),
  qty: decimalText().about('Negative for a short position.'),
  qty_available: decimalText().about('Quantity that no open order holds.'),
  side: oneOf('long', 'short'),
  avg_entry_price: decimalText(),
  cost_basis: decimalText(),
  market_value: nullable(decimalText()),
  current_price: nullable(decimalText()),
  lastday_price: nullable(decimalText()),
  change_today: nullable(decimalText()).about('Fraction of the previous closing price.'),
  unrealized_pl: nullable(decimalText()),
  unrealized_plpc: nullable(decimalText()).about('Fraction of the cost basis.'),
  unrealized_intraday_pl: nullable(decimalText()),
  unrealized_intraday_plpc: nullable(decimalText()),
}).named('Position')

const parts = record({
  qty: optional(decimal({ excess: 'cut' }).where(isPositive, 'qty must be > 0')).about('Quantity to close.'),
  percentage: optional(
    decimal({ excess: 'cut' }).where(
      (value) => isPositive(value) && Number(value) <= 100,
      'percentage must be > 0 and <= 100',
    ),
  ).about('Percentage to close. A position in whole shares closes whole shares only.'),
}).refine(({ qty, percentage }) =>
  qty !== undefined && percentage !== undefined
    ? { field: 'percentage', message: 'only one of qty or percentage is accepted' }
    : undefined,
)

const contract = record({ symbol_or_contract_id: text({ min: 1, max: 64 }) })

const shared = { family: 'trading', who: ['account'] } as const
const read = { ...shared, scope: 'read' } as const
const trade = { ...shared, scope: 'trading' } as const

export const ClosedPosition = record({
  symbol: text().about('Without a slash.'),
  status: integer().about('HTTP status of closing this position alone.'),
  body: either(OrderShape, record({ code: integer(), message: text() })).about('The order, or the error.'),
}).named('ClosedPosition')

/** Refusals of an order that closes a position. */
const refusals = [
  'assetNotTradable',
  'accountNotAllowedToTrade',
  'tradingBlocked',
  'tradingSuspended',
  'fractionalTradingDisabled',
  'assetNotFractionable',
  'noPrice',
  'closingOrdersOpen',
  'insufficientQuantity',
  'insufficientBalance',
  'cryptoCostTooSmall',
  'cryptoCostTooLarge',
  'washTrade',
] as const

export const positions = {
  listPositions: operation('GET /v2/positions', read, {
    summary: 'List positions at current prices.',
    output: array(PositionShape),
  }),
  getPosition: operation('GET /v2/positions/{symbol_or_asset_id...}', read, {
    summary: 'Get the position in an asset.',
    params: symbolOrAssetId,
    output: PositionShape,
    errors: ['positionNotFound', 'symbolNotFound'],
  }),
  closePosition: operation('DELETE /v2/positions/{symbol_or_asset_id...}', trade, {
    summary: 'Close a position, or a part of it, with a market order.',
    headers: keyHeader,
    params: symbolOrAssetId,
    query: parts,
    output: OrderShape,
    errors: [
      ...keyErrors,
      'invalidParameter',
      'nothingToClose',
      'symbolNotFound',
      'partTooSmall',
      ...refusals,
    ],
  }),
  closeAllPositions: operation('DELETE /v2/positions', trade, {
    summary: 'Close all positions, each with its own order.',
    query: record({
      cancel_orders: withDefault(bool(), false).about('Cancel all open orders first.'),
    }),
    output: array(ClosedPosition),
    status: 207,
    errors: ['invalidParameter'],
  }),
  exerciseOption: operation('POST /v2/positions/{symbol_or_contract_id}/exercise', trade, {
    summary: 'Exercise an option. Always refused, because Quipu has no options.',
    headers: keyHeader,
    params: contract,
    errors: [...keyErrors, 'longPositionNotFound'],
    state: 'refused',
  }),
  doNotExerciseOption: operation('POST /v2/positions/{symbol_or_contract_id}/do-not-exercise', trade, {
    summary: 'Decline the exercise of an option. Always refused, because Quipu has no options.',
    params: contract,
    errors: ['longPositionNotFound'],
    state: 'refused',
  }),
}
