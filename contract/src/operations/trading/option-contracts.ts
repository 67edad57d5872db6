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
  nullable,
  oneOf,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'

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

const shared = { family: 'trading', method: 'GET', who: ['account'], scope: 'read', status: 200 } as const

/** Quipu lists no options. */
export const optionContracts = {
  listOptionContracts: operation({
    ...shared,
    state: 'empty',
    path: '/v2/options/contracts',
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
  getOptionContract: operation({
    ...shared,
    state: 'refused',
    path: '/v2/options/contracts/{symbol_or_id}',
    summary: 'Get an option contract.',
    params: record({ symbol_or_id: text({ max: 64 }) }),
    output: OptionContract,
    errors: ['invalidParameter', 'optionContractNotFound'],
  }),
}
