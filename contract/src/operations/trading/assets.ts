import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  dateOrTimestamp,
  decimal,
  decimalText,
  integer,
  list,
  map,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { assetClasses } from './order-record.ts'

export const exchanges = ['AMEX', 'ARCA', 'BATS', 'NYSE', 'NASDAQ', 'NYSEARCA', 'OTC', 'CRYPTO', ''] as const

export const assetAttributes = [
  'ptp_no_exception',
  'ptp_with_exception',
  'ipo',
  'has_options',
  'options_late_close',
  'fractional_eh_enabled',
  'overnight_tradable',
  'overnight_halted',
] as const

export const AssetShape = record({
  id: uuid(),
  class: oneOf(...assetClasses),
  exchange: oneOf(...exchanges),
  symbol: text(),
  name: text(),
  status: oneOf('active', 'inactive'),
  tradable: bool(),
  marginable: bool(),
  shortable: bool(),
  easy_to_borrow: bool(),
  fractionable: bool(),
  borrow_status: optional(oneOf('easy_to_borrow', 'hard_to_borrow')),
  maintenance_margin_requirement: optional(number()),
  margin_requirement_long: optional(decimalText()).about('Percent of the market value.'),
  margin_requirement_short: optional(decimalText()),
  cusip: optional(text()),
  attributes: array(oneOf(...assetAttributes)),
  min_order_size: optional(decimalText()).about('Crypto only.'),
  min_trade_increment: optional(decimalText()).about('Crypto only.'),
  price_increment: optional(decimalText()).about('Crypto only.'),
}).named('Asset')

// The rest of the path, because some clients do not escape the slash of BTC/USD.
export const symbolOrAssetId = record({
  symbol_or_asset_id: text({ min: 1, max: 64 }).about('Symbol or asset id. BTC/USD may keep its slash.'),
})

const shared = { family: 'trading', who: ['account'], scope: 'read' } as const

/** Quipu lists no bonds. */
const bonds = {
  state: 'empty',
  query: record({
    isins: optional(list(text({ max: 12 }))),
    cusips: optional(list(text({ max: 9 }))),
    bond_status: optional(text({ max: 64 })),
  }),
  errors: ['invalidParameter'],
} as const

export const assets = {
  listAssets: operation('GET /v2/assets', shared, {
    summary: 'List assets. Filter by status, class, exchange and attributes.',
    query: record({
      status: optional(oneOf('active', 'inactive', 'all')),
      asset_class: withDefault(oneOf(...assetClasses, 'all'), 'us_equity'),
      exchange: optional(text({ max: 16 })),
      attributes: optional(list(text({ max: 64 }))).about('Assets with any of these attributes.'),
    }),
    output: array(AssetShape),
    errors: ['invalidParameter'],
  }),
  getAsset: operation('GET /v2/assets/{symbol_or_asset_id...}', shared, {
    summary: 'Get an asset by symbol or id.',
    params: symbolOrAssetId,
    output: AssetShape,
    errors: ['assetUnknown'],
  }),
  listTreasuries: operation('GET /v2/assets/fixed_income/us_treasuries', shared, {
    ...bonds,
    summary: 'List Treasury bonds.',
    output: record({ us_treasuries: array(map(text())) }),
  }),
  listCorporates: operation('GET /v2/assets/fixed_income/us_corporates', shared, {
    ...bonds,
    summary: 'List corporate bonds.',
    output: record({ us_corporates: array(map(text())) }),
  }),
}

const OptionContract = record({
  id: uuid(),
  symbol: text(),
  name: text(),
  status: oneOf('active', 'inactive'),
  tradable: bool(),
  expiration_date: date(),
  root_symbol: text(),
  underlying_symbol: text(),
  underlying_asset_id: uuid(),
  type: oneOf('call', 'put'),
  style: oneOf('american', 'european'),
  strike_price: decimalText(),
  multiplier: decimalText(),
  size: decimalText(),
}).named('OptionContract')

/** Quipu lists no options. */
export const optionContracts = {
  listOptionContracts: operation('GET /v2/options/contracts', shared, {
    state: 'empty',
    summary: 'List option contracts.',
    query: record({
      underlying_symbols: optional(list(text({ max: 64 }))),
      show_deliverables: withDefault(bool(), false),
      status: withDefault(oneOf('active', 'inactive'), 'active'),
      expiration_date: optional(dateOrTimestamp()),
      expiration_date_gte: optional(dateOrTimestamp()),
      expiration_date_lte: optional(dateOrTimestamp()),
      root_symbol: optional(text({ max: 16 })),
      type: optional(oneOf('call', 'put')),
      style: optional(oneOf('american', 'european')),
      strike_price_gte: optional(decimal()),
      strike_price_lte: optional(decimal()),
      limit: withDefault(integer({ min: 1, max: 10_000 }), 100),
      page_token: optional(text({ max: 256 })),
      ppind: optional(bool()),
    }),
    output: record({
      option_contracts: array(OptionContract),
      next_page_token: nullable(text()).about('Null on the last page.'),
    }),
    errors: ['invalidParameter'],
  }),
  getOptionContract: operation('GET /v2/options/contracts/{symbol_or_id}', shared, {
    state: 'refused',
    summary: 'Get an option contract.',
    params: record({ symbol_or_id: text({ max: 64 }) }),
    output: OptionContract,
    errors: ['invalidParameter', 'optionContractNotFound'],
  }),
}
